// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Statuses, error classes and data of what was received.
#include "pr.h"

bool pr_spoil_data, pr_spoil_order;

void pr_wrong(const struct pr_pool *pool, const struct pr_pair *pair, const char *fmt, ...)
{
    char where[128];
    va_list ap;
    int n = pair ? snprintf(where, sizeof where, "message %d, ", pair->id) : 0;
    snprintf(where + n, sizeof where - (size_t)n, "pool %d, communicator %d", pool->id,
             pool->comm->index);
    va_start(ap, fmt);
    rnd_vwrong(where, fmt, ap);
    va_end(ap);
}

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

/** Nothing else than success is allowed. */
void pr_check_code(const struct pr_pool *pool, const struct pr_pair *pair, int code,
                   const char *what)
{
    if (code != MPI_SUCCESS)
        pr_wrong(pool, pair, "%s: error class %d", what, class_of(code));
}

static void check_envelope(const struct pr_pair *wanted, const MPI_Status *status)
{
    const struct pr_receive *r = &wanted->r;
    if ((r->source != MPI_ANY_SOURCE && status->MPI_SOURCE != r->source) ||
        (r->tag != MPI_ANY_TAG && status->MPI_TAG != r->tag))
        pr_wrong(wanted->pool, wanted, "status of source %d tag %d, asked for %d and %d",
                 status->MPI_SOURCE, status->MPI_TAG, r->source, r->tag);
}

static void check_count(const struct pr_pair *wanted, const struct pr_pair *got,
                        const MPI_Status *status)
{
    int count = -1;
    MPI_Get_count(status, pr_leaf(wanted->pool->extent), &count);
    if (count != got->m.n)
        pr_wrong(wanted->pool, wanted, "MPI_Get_count says %d, not %d", count, got->m.n);
}

static void take(struct pr_thread *t, struct pr_pair *wanted, struct pr_pair *got)
{
    uint64_t key = (uint64_t)got->id * 64 + (uint64_t)got->round;
    if (wanted->r.expected)
        key += ((uint64_t)wanted->id * 64 + (uint64_t)wanted->round) << 32;
    got->taken = true;
    t->digest += rnd_next(&(struct rnd_rng){key});
    pr_log_received(wanted, got);
}

/** A message that does not fit is an error, and its status says little. @return whether it is that */
static bool is_cut(struct pr_thread *t, struct pr_pair *wanted, unsigned char *buffer, int code)
{
    struct pr_pair *expected = wanted->r.expected;
    if (!expected || expected->m.n <= wanted->r.n)
        return false;
    if (class_of(code) != MPI_ERR_TRUNCATE)
        pr_wrong(wanted->pool, wanted, "cut off: error class %d, not MPI_ERR_TRUNCATE",
                 class_of(code));
    if (!pr_is_received(wanted, &wanted->r.side, expected, buffer))
        pr_wrong(wanted->pool, wanted, "cut off: written elsewhere than into the buffer");
    take(t, wanted, expected);
    return true;
}

/** What a receive got. */
void pr_check_received(struct pr_thread *t, struct pr_pair *wanted, unsigned char *buffer,
                       const MPI_Status *status, int code)
{
    const struct rnd_side *side = &wanted->r.side;
    struct pr_pair *expected = wanted->r.expected, *got;
    if (!is_cut(t, wanted, buffer, code)) {
        pr_check_code(wanted->pool, wanted, code, "receive");
        check_envelope(wanted, status);
        got = pr_look_up(wanted, side, status, buffer);
        if (!got)
            pr_wrong(wanted->pool, wanted, "got no message of the program: source %d tag %d",
                     status->MPI_SOURCE, status->MPI_TAG);
        else if (expected && got != expected)
            pr_wrong(wanted->pool, wanted, "got message %d round %d, not %d round %d", got->id,
                     got->round, expected->id, expected->round);
        if (got) {
            if (pr_spoil_data && got->m.n > 0)
                ((unsigned char *)pr_address(buffer, side))[side->at[got->m.n - 1]] ^= 1;
            check_count(wanted, got, status);
            if (!pr_is_received(wanted, side, got, buffer))
                pr_wrong(wanted->pool, wanted, "the data of message %d are not whole", got->id);
            take(t, wanted, got);
        }
    }
}

/** The size is looked at when it is received. */
void pr_check_probed(const struct pr_pair *wanted, const MPI_Status *status)
{
    check_envelope(wanted, status);
}
