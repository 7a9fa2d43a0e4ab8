// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Completion: some of the requests that are under way, of all sorts, in a random order, with null ones between
// them, by a random call, until none is left.
#include "pr.h"

enum { MOST = 24, TRIES = 50 };

enum call { WAIT, TEST, GET_STATUS, WAITANY, TESTANY, WAITSOME, TESTSOME, WAITALL, TESTALL, CALLS };

// An array for one call; a place may hold none.
struct batch {
    int n, open[MOST]; // index of the open request, or -1
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int codes[MOST], done[MOST]; // those that are complete: their places and error codes
    int ndone;
};

struct pr_open *pr_open_add(struct pr_thread *t, MPI_Request request)
{
    struct pr_open *open = &t->open[t->nopen++];
    if (t->nopen >= PR_MAX_OPEN)
        abort();
    *open = (struct pr_open){.request = request};
    return open;
}

static void say_done(struct batch *b, int place, int code)
{
    b->done[b->ndone] = place;
    b->codes[b->ndone++] = code;
}

static void choose(struct pr_thread *t, int from, bool one, struct batch *b)
{
    const int left = t->nopen - from;
    *b = (struct batch){.n = 0};
    int want = one ? 1 : rnd_between(&t->rng, 1, left);
    for (int i = 0; i < left && want > 0 && b->n < MOST - 1; i++) {
        if (!one && rnd_chance(&t->rng, 15)) {
            b->open[b->n] = -1;
            b->requests[b->n++] = MPI_REQUEST_NULL;
        }
        if (b->n < MOST && rnd_pick(&t->rng, left - i) < want) {
            b->open[b->n] = from + i;
            b->requests[b->n++] = t->open[from + i].request;
            want--;
        }
    }
}

static bool has_own(const struct batch *b)
{
    for (int i = 0; i < b->n; i++)
        if (b->open[i] >= 0)
            return true;
    return false;
}

static void any(struct batch *b, bool wait)
{
    int index = MPI_UNDEFINED, flag = 1, rc;
    MPI_Status status;
    rc = wait ? MPI_Waitany(b->n, b->requests, &index, &status)
              : MPI_Testany(b->n, b->requests, &index, &flag, &status);
    if (!flag || index == MPI_UNDEFINED)
        return;
    b->statuses[index] = status;
    say_done(b, index, rc);
}

static void some(struct batch *b, bool wait)
{
    int count = 0, indices[MOST], class = MPI_SUCCESS;
    MPI_Status statuses[MOST];
    int rc = wait ? MPI_Waitsome(b->n, b->requests, &count, indices, statuses)
                  : MPI_Testsome(b->n, b->requests, &count, indices, statuses);
    MPI_Error_class(rc, &class);
    for (int i = 0; i < count && count != MPI_UNDEFINED; i++) {
        b->statuses[indices[i]] = statuses[i];
        say_done(b, indices[i], class == MPI_ERR_IN_STATUS ? statuses[i].MPI_ERROR : MPI_SUCCESS);
    }
}

/** After an error some may be pending (MPI-4.1 3.7.5), of which MPICH does not say so. */
static void all(struct batch *b, bool wait)
{
    int flag = wait, rc = MPI_SUCCESS, class = MPI_SUCCESS, one = MPI_SUCCESS;
    if (wait)
        rc = MPI_Waitall(b->n, b->requests, b->statuses);
    for (int i = 0; i < TRIES && !flag && rc == MPI_SUCCESS; i++)
        rc = MPI_Testall(b->n, b->requests, &flag, b->statuses);
    MPI_Error_class(rc, &class);
    for (int i = 0; i < b->n && (flag || rc != MPI_SUCCESS); i++) {
        int code = class == MPI_ERR_IN_STATUS ? b->statuses[i].MPI_ERROR : rc;
        MPI_Error_class(code, &one);
        bool left =
            class == MPI_ERR_IN_STATUS && one == MPI_SUCCESS && b->requests[i] != MPI_REQUEST_NULL;
        if (b->open[i] >= 0 && one != MPI_ERR_PENDING && !left)
            say_done(b, i, code);
    }
}

static void single(struct batch *b, enum call call)
{
    int flag = 0, rc = MPI_SUCCESS;
    for (int i = 0; i < TRIES && !flag && call == GET_STATUS; i++)
        MPI_Request_get_status(b->requests[0], &flag, &b->statuses[0]);
    if (call == GET_STATUS && !flag)
        return;
    if (call == TEST)
        for (int i = 0; i < TRIES && !flag && rc == MPI_SUCCESS; i++)
            rc = MPI_Test(&b->requests[0], &flag, &b->statuses[0]);
    else
        rc = MPI_Wait(&b->requests[0], &b->statuses[0]);
    if (call != TEST || flag || rc != MPI_SUCCESS)
        say_done(b, 0, rc);
}

static void wrong(const struct pr_open *open, const char *what)
{
    const struct pr_pair *pair = open->wanted ? open->wanted : open->sent;
    if (pair)
        pr_wrong(pair->pool, pair, "%s", what);
    else
        rnd_wrong(what);
}

static void settle_other(const struct pr_open *open, const MPI_Status *status)
{
    int cancelled = 1;
    if (open->cancelled) {
        MPI_Test_cancelled(status, &cancelled);
        if (!cancelled)
            wrong(open, "a receive without a message was not cancelled");
    }
    if (open->value && *open->value != open->want)
        wrong(open, "the result of a collective is wrong");
    free(open->value);
}

static void settle(struct pr_thread *t, struct pr_open *open, const MPI_Status *status, int code,
                   MPI_Request after)
{
    if (code == MPI_SUCCESS && after != (open->home ? *open->home : MPI_REQUEST_NULL))
        wrong(open, "the request is not what it has to be after its completion");
    if (open->sent && open->out) {
        if (!open->wanted)
            pr_check_code(open->sent->pool, open->sent, code, "completion of a send");
        if (!pr_check_sent(open->sent, open->out))
            wrong(open, "the send changed its buffer");
    }
    if (open->wanted)
        pr_check_received(t, open->wanted, open->in, status, code);
    else if (!open->sent)
        settle_other(open, status);
    if (open->home)
        return;
    free(open->out);
    free(open->in);
}

static void settle_all(struct pr_thread *t, struct batch *b)
{
    for (int i = 0; i < b->ndone; i++) {
        int place = b->done[i];
        if (b->open[place] < 0) {
            rnd_wrong("a null request was completed");
            continue;
        }
        settle(t, &t->open[b->open[place]], &b->statuses[place], b->codes[i], b->requests[place]);
        t->open[b->open[place]].request = MPI_REQUEST_NULL;
    }
}

static void remove_done(struct pr_thread *t, int from)
{
    int n = from;
    for (int i = from; i < t->nopen; i++)
        if (t->open[i].request != MPI_REQUEST_NULL)
            t->open[n++] = t->open[i];
    t->nopen = n;
}

static void call_one(struct pr_thread *t, int from, enum call call)
{
    struct batch b;
    choose(t, from, call <= GET_STATUS, &b);
    if (!has_own(&b))
        return;
    if (call <= GET_STATUS)
        single(&b, call);
    else if (call == WAITANY || call == TESTANY)
        any(&b, call == WAITANY);
    else if (call == WAITSOME || call == TESTSOME)
        some(&b, call == WAITSOME);
    else
        all(&b, call == WAITALL);
    settle_all(t, &b);
    remove_done(t, from);
}

/** All requests from place `from` on. */
void pr_complete(struct pr_thread *t, int from)
{
    while (t->nopen > from) {
        enum call call = (enum call)rnd_pick(&t->rng, CALLS);
        if (call == GET_STATUS && !rnd_has(PR_F_GET_STATUS))
            call = WAIT;
        rnd_at("completion by call", (int)call);
        call_one(t, from, call);
    }
}

/** A look that does not wait. */
void pr_poke(struct pr_thread *t)
{
    static const enum call calls[] = {TEST, TESTANY, TESTSOME, TESTALL};
    if (t->nopen > 0)
        call_one(t, 0, calls[rnd_pick(&t->rng, 4)]);
}
