// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "layout_ref.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 6 };

// One step of a type: groups of children.
struct step {
    int64_t n, len[GROUPS], disp[GROUPS];
    const struct both *child[GROUPS];
};

static int64_t within(uint64_t *seed, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(unit_random(seed) % (uint64_t)(hi - lo + 1));
}

static void bound(struct ref *r, int *any, int64_t lb, int64_t extent)
{
    int64_t ub = r->lb + r->extent, new_ub = lb + extent;
    ub = *any && ub > new_ub ? ub : new_ub;
    r->lb = *any && r->lb < lb ? r->lb : lb;
    r->extent = ub - r->lb;
    *any = 1;
}

static struct ref ref_step(const struct step *s)
{
    struct ref r = {0};
    int any = 0;
    for (int64_t g = 0; g < s->n; g++)
        r.size += s->len[g] * s->child[g]->ref.size;
    r.off = malloc((size_t)(r.size + 1) * sizeof(*r.off));
    int64_t *to = r.off;
    for (int64_t g = 0; g < s->n; g++) {
        const struct ref *c = &s->child[g]->ref;
        for (int64_t i = 0; i < s->len[g]; i++) {
            int64_t at = s->disp[g] + i * c->extent;
            bound(&r, &any, at + c->lb, c->extent);
            for (int64_t k = 0; k < c->size; k++)
                *to++ = at + c->off[k];
        }
    }
    return r;
}

static struct ref ref_resized(const struct ref *c, int64_t lb, int64_t extent)
{
    struct ref r = {malloc((size_t)(c->size + 1) * sizeof(*r.off)), c->size, lb, extent};
    memcpy(r.off, c->off, (size_t)c->size * sizeof(*r.off));
    return r;
}

static struct both block(uint64_t *seed)
{
    static const int64_t sizes[] = {0, 1, 2, 4, 4, 4, 8, 8, 8, 16, 3, 12, 24};
    int64_t n = sizes[unit_random(seed) % COUNT(sizes)];
    struct both b = {.ref = {malloc((size_t)(n + 1) * sizeof(int64_t)), n, 0, n}};
    for (int64_t i = 0; i < n; i++)
        b.ref.off[i] = i;
    assert_int_equal(csp_layout_block(n, &b.layout), CSP_OK);
    return b;
}

static struct both vector(uint64_t *seed, const struct both *c)
{
    struct step s = {.n = within(seed, 0, GROUPS)};
    int64_t len = within(seed, 0, 3), e = c->ref.extent;
    int64_t stride = within(seed, 0, 2) ? e * within(seed, -1, 5) : within(seed, -40, 40);
    for (int64_t g = 0; g < s.n; g++)
        s.len[g] = len, s.disp[g] = g * stride, s.child[g] = c;
    struct both b = {.ref = ref_step(&s)};
    assert_int_equal(csp_layout_hvector(c->layout, s.n, len, stride, &b.layout), CSP_OK);
    return b;
}

// Displacements of groups: where the one before ends, evenly, or anywhere.
static void spread(uint64_t *seed, struct step *s, int same_len)
{
    int64_t how = within(seed, 0, 2), at = within(seed, -50, 50), gap = within(seed, -30, 60);
    for (int64_t g = 0; g < s->n; g++) {
        s->len[g] = same_len ? s->len[0] : within(seed, 0, 3);
        s->disp[g] = how == 0 ? at : how == 1 ? at + g * gap : within(seed, -100, 200);
        if (how == 0)
            at += s->len[g] * s->child[g]->ref.extent;
    }
}

static struct both indexed(uint64_t *seed, const struct both *c, int same_len)
{
    struct step s = {.n = within(seed, 0, GROUPS), .len = {within(seed, 0, 3)}};
    struct both b = {0};
    for (int64_t g = 0; g < s.n; g++)
        s.child[g] = c;
    spread(seed, &s, same_len);
    b.ref = ref_step(&s);
    enum csp_status rc =
        same_len ? csp_layout_hindexed_block(c->layout, s.n, s.len[0], s.disp, &b.layout)
                 : csp_layout_hindexed(c->layout, s.n, s.len, s.disp, &b.layout);
    assert_int_equal(rc, CSP_OK);
    return b;
}

static struct both structure(uint64_t *seed, const struct both *c, const struct both *d)
{
    struct step s = {.n = within(seed, 0, GROUPS)};
    const struct csp_layout *layouts[GROUPS];
    struct both b = {0};
    for (int64_t g = 0; g < s.n; g++) {
        s.child[g] = within(seed, 0, 1) ? c : d;
        layouts[g] = s.child[g]->layout;
    }
    spread(seed, &s, 0);
    b.ref = ref_step(&s);
    assert_int_equal(csp_layout_struct(s.n, s.len, s.disp, layouts, &b.layout), CSP_OK);
    return b;
}

static struct both resized(uint64_t *seed, const struct both *c)
{
    int64_t lb = within(seed, -20, 20), extent = within(seed, -40, 120);
    struct both b = {.ref = ref_resized(&c->ref, lb, extent)};
    assert_int_equal(csp_layout_resized(c->layout, lb, extent, &b.layout), CSP_OK);
    return b;
}

struct both both_random(uint64_t *seed, int depth, int64_t max_bytes)
{
    struct both made, c, d;
    if (depth == 0 || within(seed, 0, 9) == 0)
        return block(seed);
    c = both_random(seed, depth - 1, max_bytes);
    switch (within(seed, 0, 5)) {
    case 0:
    case 1:
        made = vector(seed, &c);
        break;
    case 2:
        made = indexed(seed, &c, 0);
        break;
    case 3:
        made = indexed(seed, &c, 1);
        break;
    case 4:
        d = both_random(seed, depth - 1, max_bytes);
        made = structure(seed, &c, &d);
        both_free(&d);
        break;
    default:
        made = resized(seed, &c);
    }
    if (made.ref.size > max_bytes) {
        both_free(&made);
        return c;
    }
    both_free(&c);
    return made;
}

void both_free(struct both *b)
{
    csp_layout_free(b->layout);
    free(b->ref.off);
}

int64_t ref_at(const struct ref *r, int64_t i)
{
    return i / r->size * r->extent + r->off[i % r->size];
}

void ref_range(const struct ref *r, int64_t n, int64_t *lo, int64_t *hi)
{
    *lo = *hi = 0;
    for (int64_t i = 0; i < n * r->size; i++) {
        int64_t at = ref_at(r, i);
        *lo = i && *lo < at ? *lo : at;
        *hi = i && *hi > at + 1 ? *hi : at + 1;
    }
}
