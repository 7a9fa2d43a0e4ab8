// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who has something to do when: a ghost looks at those that are due, however many others there are. Times are on a grid;
// what is further away than the wheel is large comes up early, and is put in again. One thread.
#ifndef CSP_ADAPT_WHEEL_H
#define CSP_ADAPT_WHEEL_H

#include <stddef.h>
#include <stdint.h>

enum { CSP_WHEEL_SLOTS = 128 };

/** In one list at a time, or in none. */
struct csp_timed {
    struct csp_timed *next, **at; // at: what points here
};

struct csp_wheel {
    struct csp_timed *slots[CSP_WHEEL_SLOTS];
    uint64_t grid_ns;
    uint64_t passed; // the last point of the grid whose slot was taken
};

static inline void csp_timed_stop(struct csp_timed *t)
{
    if (!t->at)
        return;
    *t->at = t->next;
    if (t->next)
        t->next->at = t->at;
    t->at = NULL;
}

static inline void csp_timed_put(struct csp_timed **list, struct csp_timed *t)
{
    csp_timed_stop(t);
    t->next = *list;
    t->at = list;
    if (t->next)
        t->next->at = &t->next;
    *list = t;
}

static inline void csp_wheel_put(struct csp_wheel *w, struct csp_timed *t, uint64_t ns)
{
    uint64_t ahead = (ns + w->grid_ns - 1) / w->grid_ns;
    ahead = ahead > w->passed ? ahead - w->passed : 1;
    if (ahead >= CSP_WHEEL_SLOTS)
        ahead = CSP_WHEEL_SLOTS - 1;
    csp_timed_put(&w->slots[(w->passed + ahead) % CSP_WHEEL_SLOTS], t);
}

/** Adds those of a time until now to the list. */
static inline void csp_wheel_take(struct csp_wheel *w, uint64_t now_ns, struct csp_timed **list)
{
    uint64_t now = now_ns / w->grid_ns;
    if (now > w->passed + CSP_WHEEL_SLOTS)
        w->passed = now - CSP_WHEEL_SLOTS; // all of them
    while (w->passed < now) {
        struct csp_timed **slot = &w->slots[++w->passed % CSP_WHEEL_SLOTS];
        while (*slot)
            csp_timed_put(list, *slot);
    }
}

/** When the next ones come up; UINT64_MAX: nobody is there. */
static inline uint64_t csp_wheel_next_ns(const struct csp_wheel *w)
{
    for (uint64_t ahead = 1; ahead <= CSP_WHEEL_SLOTS; ahead++)
        if (w->slots[(w->passed + ahead) % CSP_WHEEL_SLOTS])
            return (w->passed + ahead) * w->grid_ns;
    return UINT64_MAX;
}

#endif
