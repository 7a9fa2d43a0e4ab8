// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Creation token: the first ghost of the job gives it to one window creation (or free) at a time.
#include <stdlib.h>
#include "base/log.h"
#include "ghost/ghost.h"
#include "runtime/am.h"

struct asker {
    struct asker *next;
    int origin;
    uint64_t cookie;
};

static struct asker *first, **last = &first; // the first one has the token

static void grant(const struct asker *a)
{
    struct csp_am msg = {.type = CSP_AM_GRANT, .cookie = a->cookie};
    csp_am_send(a->origin, &msg);
}

static void on_token(const struct csp_am *msg)
{
    struct asker *a = malloc(sizeof(*a));
    CSP_CHECK(a, "out of memory for the creation token");
    *a = (struct asker){.origin = msg->src, .cookie = msg->cookie};
    *last = a;
    last = &a->next;
    if (first == a)
        grant(a);
}

static void on_token_end(const struct csp_am *msg)
{
    struct asker *a = first;
    CSP_CHECK(a && a->origin == msg->src,
              "process %d gave back a creation token that it does not have", msg->src);
    first = a->next;
    if (!first)
        last = &first;
    free(a);
    if (first)
        grant(first);
}

void csp_ghost_token_start(void)
{
    csp_am_handle(CSP_AM_TOKEN, on_token);
    csp_am_handle(CSP_AM_TOKEN_END, on_token_end);
}
