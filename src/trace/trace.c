// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Trace event format, an array of events a line each, readable without its end. A process of the format is a node, a
// thread one of its processes. Spans are as long as what was seen stayed the same: one event when they end, or, around
// a flush, one where they begin and one where they end. Counters are written when they changed.
#include "trace/trace.h"

#include <stdlib.h>
#include "base/log.h"

enum {
    STEPS = 2000, // before the interval doubles
    MOSTLY = 75,  // percent: the process is in MPI, or, below 100 - MOSTLY, computes
    BUSY = 5,     // percent: a ghost is busy
    GHOST_TID = 1000000,
    NONE = -1
};

enum state { COMPUTES, BOTH, IN_MPI, IDLE, IS_BUSY, STATES };

static const char *const state_names[STATES] = {"computes", "computes and MPI", "MPI", "", "busy"};

struct track {
    struct csp_trace_proc proc;
    struct csp_trace_look last;
    int state;               // enum state, NONE
    uint64_t since_ns;       // in it
    int begun;               // that is written
    int in_mpi, waits, busy; // percent, as written last
    uint64_t per_s[3];       // operations, as written last
};

struct csp_trace {
    FILE *out;
    int node, n;
    uint64_t begin_ns, last_ns, interval_ns;
    int steps; // with this interval
    struct track track[];
};

static double us(const struct csp_trace *t, uint64_t ns)
{
    return ns > t->begin_ns ? (double)(ns - t->begin_ns) * 1e-3 : 0;
}

static int tid_of(const struct csp_trace_proc *p)
{
    return p->is_ghost ? GHOST_TID + p->rank : p->rank;
}

static const char *kind_of(const struct csp_trace_proc *p)
{
    return p->is_ghost ? "ghost" : "rank";
}

static void name_tracks(const struct csp_trace *t)
{
    fprintf(
        t->out,
        "[\n{\"ph\": \"M\", \"pid\": %d, \"name\": \"process_name\", \"args\": {\"name\": \"node "
        "%d\"}}",
        t->node, t->node);
    for (int i = 0; i < t->n; i++) {
        const struct csp_trace_proc *p = &t->track[i].proc;
        fprintf(t->out,
                ",\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"thread_name\", \"args\": "
                "{\"name\": \"%s %d\"}}",
                t->node, tid_of(p), kind_of(p), p->rank);
    }
}

struct csp_trace *csp_trace_begin(FILE *out, int node, const struct csp_trace_proc *procs, int n,
                                  uint64_t interval_ns, uint64_t begin_ns, uint64_t now_ns)
{
    struct csp_trace *t = calloc(1, sizeof(*t) + (size_t)n * sizeof(t->track[0]));
    CSP_CHECK(t, "out of memory for the trace");
    t->out = out;
    t->node = node;
    t->n = n;
    t->begin_ns = begin_ns;
    t->last_ns = now_ns;
    t->interval_ns = interval_ns;
    for (int i = 0; i < n; i++)
        t->track[i] = (struct track){
            .proc = procs[i], .state = NONE, .in_mpi = NONE, .waits = NONE, .busy = NONE};
    name_tracks(t);
    return t;
}

uint64_t csp_trace_due_ns(const struct csp_trace *t)
{
    return t->last_ns + t->interval_ns;
}

static int is_open(const struct track *k, uint64_t now_ns)
{
    return k->state != NONE && k->state != IDLE && now_ns > k->since_ns;
}

static void begin_span(const struct csp_trace *t, struct track *k)
{
    fprintf(t->out, ",\n{\"ph\": \"B\", \"pid\": %d, \"tid\": %d, \"ts\": %.1f, \"name\": \"%s\"}",
            t->node, tid_of(&k->proc), us(t, k->since_ns), state_names[k->state]);
    k->begun = 1;
}

static void end_span(const struct csp_trace *t, struct track *k, uint64_t now_ns)
{
    if (k->begun)
        fprintf(t->out, ",\n{\"ph\": \"E\", \"pid\": %d, \"tid\": %d, \"ts\": %.1f}", t->node,
                tid_of(&k->proc), us(t, now_ns));
    else if (is_open(k, now_ns))
        fprintf(t->out,
                ",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"ts\": %.1f, \"dur\": %.1f, "
                "\"name\": \"%s\"}",
                t->node, tid_of(&k->proc), us(t, k->since_ns),
                (double)(now_ns - k->since_ns) * 1e-3, state_names[k->state]);
    k->begun = 0;
}

// It was in this state since the last look.
static void note_state(const struct csp_trace *t, struct track *k, enum state now)
{
    if (k->state == (int)now)
        return;
    end_span(t, k, t->last_ns);
    k->state = (int)now;
    k->since_ns = t->last_ns;
}

static void percent(const struct csp_trace *t, const struct track *k, const char *what, int *last,
                    int now)
{
    if (*last == now)
        return;
    *last = now;
    fprintf(t->out,
            ",\n{\"ph\": \"C\", \"pid\": %d, \"ts\": %.1f, \"name\": \"%s %d: %s\", \"args\": "
            "{\"%%\": %d}}",
            t->node, us(t, t->last_ns), kind_of(&k->proc), k->proc.rank, what, now);
}

static void rates(const struct csp_trace *t, struct track *k, const uint64_t now[3])
{
    if (k->per_s[0] == now[0] && k->per_s[1] == now[1] && k->per_s[2] == now[2])
        return;
    for (int i = 0; i < 3; i++)
        k->per_s[i] = now[i];
    fprintf(t->out,
            ",\n{\"ph\": \"C\", \"pid\": %d, \"ts\": %.1f, \"name\": \"rank %d: operations/s\", "
            "\"args\": {\"load/store\": %llu, \"ghosts\": %llu, \"targets\": %llu}}",
            t->node, us(t, t->last_ns), k->proc.rank, (unsigned long long)now[0],
            (unsigned long long)now[1], (unsigned long long)now[2]);
}

static int share(uint64_t before, uint64_t now, uint64_t of)
{
    uint64_t part = now > before ? now - before : 0;
    return part >= of ? 100 : (int)((double)part * 100 / (double)of + 0.5);
}

static uint64_t rate(uint64_t before, uint64_t now, uint64_t in_ns)
{
    return now > before ? (uint64_t)((double)(now - before) * 1e9 / (double)in_ns) : 0;
}

static void step_user(const struct csp_trace *t, struct track *k, const struct csp_trace_look *now,
                      uint64_t took_ns)
{
    const struct csp_trace_look *was = &k->last;
    int in_mpi = share(was->mpi_ns, now->mpi_ns, took_ns);
    const uint64_t per_s[3] = {rate(was->by_direct, now->by_direct, took_ns),
                               rate(was->by_ghost, now->by_ghost, took_ns),
                               rate(was->by_target, now->by_target, took_ns)};
    note_state(t, k, in_mpi >= MOSTLY ? IN_MPI : in_mpi <= 100 - MOSTLY ? COMPUTES : BOTH);
    percent(t, k, "in MPI", &k->in_mpi, in_mpi);
    percent(t, k, "waits", &k->waits, share(was->waited_ns, now->waited_ns, took_ns));
    rates(t, k, per_s);
}

static void step_ghost(const struct csp_trace *t, struct track *k, const struct csp_trace_look *now,
                       uint64_t took_ns)
{
    int busy = share(k->last.busy_ns, now->busy_ns, took_ns);
    note_state(t, k, busy >= BUSY ? IS_BUSY : IDLE);
    percent(t, k, "busy", &k->busy, busy);
}

void csp_trace_step(struct csp_trace *t, uint64_t now_ns, const struct csp_trace_look *looks)
{
    if (now_ns <= t->last_ns)
        return;
    for (int i = 0; i < t->n; i++) {
        struct track *k = &t->track[i];
        (k->proc.is_ghost ? step_ghost : step_user)(t, k, &looks[i], now_ns - t->last_ns);
        k->last = looks[i];
    }
    t->last_ns = now_ns;
    if (++t->steps == STEPS) {
        t->steps = 0;
        t->interval_ns *= 2;
    }
}

static void change_args(FILE *out, const struct csp_change *c)
{
    if (c->by == CSP_CHANGE_MEASURED)
        fprintf(out,
                "window %llx, targets of node %d: %s\", \"args\": {\"users waited for an operation "
                "(for each 4 KB of a larger one) with ghosts, us\": %.3f, \"without\": %.3f}",
                (unsigned long long)c->gid, c->who, c->off ? "off" : "on", c->with * 1e-3,
                c->without * 1e-3);
    else if (c->by == CSP_CHANGE_PREDICTED)
        fprintf(out, "target rank %d: %s\", \"args\": {\"%% of its time in MPI\": %.0f}", c->who,
                c->off ? "off" : "on", c->with);
    else if (c->by == CSP_CHANGE_AGREED)
        fprintf(out,
                "window %llx: off for %d of %.0f targets\", \"args\": {\"by\": \"its processes "
                "agreed\"}",
                (unsigned long long)c->gid, c->who, c->with);
    else if (c->by == CSP_CHANGE_MESSAGES)
        fprintf(out,
                "messages of %d processes: %s\", \"args\": {\"from one collective call to the next "
                "with ghosts, us\": %.1f, \"without\": %.1f}",
                c->who, c->off ? "by the MPI library" : "by ghosts", c->with * 1e-3,
                c->without * 1e-3);
    else
        fprintf(out, "window %llx: %s\", \"args\": {\"by\": \"the program\"}",
                (unsigned long long)c->gid, c->off ? "off" : "on");
}

void csp_trace_change(struct csp_trace *t, const struct csp_change *c)
{
    fprintf(
        t->out,
        ",\n{\"ph\": \"i\", \"s\": \"g\", \"pid\": %d, \"tid\": %d, \"ts\": %.1f, \"cat\": \"%s\", "
        "\"name\": \"",
        t->node, GHOST_TID, (double)c->ns * 1e-3, c->off ? "off" : "on");
    change_args(t->out, c);
    fprintf(t->out, "}");
}

void csp_trace_more_changes(struct csp_trace *t, uint64_t count)
{
    fprintf(t->out,
            ",\n{\"ph\": \"M\", \"pid\": %d, \"name\": \"more_changes\", \"args\": {\"count\": "
            "%llu}}",
            t->node, (unsigned long long)count);
}

void csp_trace_flush(struct csp_trace *t)
{
    for (int i = 0; i < t->n; i++)
        if (!t->track[i].begun && is_open(&t->track[i], t->last_ns))
            begin_span(t, &t->track[i]);
    fflush(t->out);
}

enum csp_status csp_trace_end(struct csp_trace *t, uint64_t now_ns,
                              const struct csp_trace_look *looks)
{
    csp_trace_step(t, now_ns, looks);
    for (int i = 0; i < t->n; i++)
        end_span(t, &t->track[i], t->last_ns);
    fprintf(t->out, "\n]\n");
    int incomplete = ferror(t->out);
    incomplete |= fclose(t->out) != 0;
    free(t);
    return incomplete ? CSP_ERR_SYS : CSP_OK;
}
