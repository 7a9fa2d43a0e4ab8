// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The report for programs. Times in nanoseconds, sizes in bytes.
#include "report/report.h"

static void field(FILE *out, const char *name, const _Atomic uint64_t *counter, int first)
{
    fprintf(out, "%s\"%s\": %llu", first ? "" : ", ", name,
            (unsigned long long)csp_stats_get(counter));
}

// Two counters of one thing, in an object of such objects.
static void pair(FILE *out, const char *what, int first, const char *name,
                 const _Atomic uint64_t *counter, const char *other_name,
                 const _Atomic uint64_t *other)
{
    fprintf(out, "%s\"%s\": {", first ? "" : ", ", what);
    field(out, name, counter, 1);
    field(out, other_name, other, 0);
    fprintf(out, "}");
}

static void json_ops(FILE *out, const struct csp_stats *s)
{
    fprintf(out, "\"operations\": {");
    for (int k = 0; k < CSP_OP_KINDS; k++) {
        fprintf(out, "%s\"%s\": {", k ? ", " : "", csp_report_ops[k]);
        for (int r = 0; r < CSP_ROUTES; r++)
            pair(out, csp_report_routes[r], r == 0, "count", &s->op_count[k][r], "bytes",
                 &s->op_bytes[k][r]);
        fprintf(out, "}");
    }
    fprintf(out, "}");
}

static void json_users(FILE *out, const struct csp_report_node *n)
{
    const struct csp_stats *s = &n->sum;
    fprintf(out, "\"users\": %lld, \"pool_peak_bytes\": %llu, ", (long long)n->users,
            (unsigned long long)n->pool_used_peak_bytes);
    json_ops(out, s);
    fprintf(out, ", \"waits\": {");
    for (int k = 0; k < CSP_WAIT_KINDS; k++)
        pair(out, csp_report_waits[k], k == 0, "ns", &s->wait_ns[k], "count", &s->wait_count[k]);
    fprintf(out, "}, \"windows\": {");
    field(out, "pool", &s->windows_pool, 1);
    field(out, "own", &s->windows_own, 0);
    field(out, "software", &s->windows_soft, 0);
    fprintf(out, ", \"plain\": {");
    for (int i = 0; i < CSP_PLAIN_REASONS; i++)
        field(out, csp_report_reasons[i], &s->windows_plain[i], i == 0);
    fprintf(out, "}}, \"kept_peak\": {"); // sums over the users of what each had at most
    for (int i = 0; i < CSP_META_KINDS; i++)
        field(out, csp_report_meta[i], &s->meta_peak[i], i == 0);
    fprintf(out, "}");
}

static void json_ghost(FILE *out, const struct csp_stats *s, int gidx)
{
    fprintf(out, "{\"ghost\": %d, \"busy_share\": %.6f, ", gidx, csp_report_share(s, &s->busy_ns));
    field(out, "loop_ns", &s->loop_ns, 1);
    field(out, "busy_ns", &s->busy_ns, 0);
    field(out, "sleep_ns", &s->sleep_ns, 0);
    field(out, "cpu_ns", &s->cpu_ns, 0);
    field(out, "turns", &s->polls, 0);
    field(out, "busy_turns", &s->busy_polls, 0);
    field(out, "messages", &s->messages, 0);
    fprintf(out, ", \"carried\": {"); // of the program's messages, those to users of this ghost
    for (int i = 0; i < CSP_CARRIED_KINDS; i++)
        pair(out, csp_report_carried[i], i == 0, "count", &s->carried_count[i], "bytes",
             &s->carried_bytes[i]);
    fprintf(out, "}}");
}

// `with` and `without` are what decided, if it was measured: nanoseconds; `percent`: of the target's time in MPI.
static void json_change(FILE *out, const struct csp_report_change *r)
{
    const struct csp_change *c = &r->change;
    fprintf(out, "{\"ns\": %llu, \"node\": %d, \"by\": \"%s\", \"redirection\": \"%s\"",
            (unsigned long long)c->ns, r->node, csp_report_changed_by[c->by],
            c->off ? "off" : "on");
    if (c->gid && c->by != CSP_CHANGE_MESSAGES)
        fprintf(out, ", \"window\": \"%llx\"", (unsigned long long)c->gid);
    if (c->by == CSP_CHANGE_MEASURED)
        fprintf(out, ", \"targets_of_node\": %d, \"with_ns\": %.1f, \"without_ns\": %.1f", c->who,
                c->with, c->without);
    if (c->by == CSP_CHANGE_MESSAGES)
        fprintf(out, ", \"processes\": %d, \"with_ns\": %.1f, \"without_ns\": %.1f", c->who,
                c->with, c->without);
    if (c->by == CSP_CHANGE_AGREED)
        fprintf(out, ", \"targets_off\": %d, \"targets\": %.0f", c->who, c->with);
    if (c->by == CSP_CHANGE_PREDICTED)
        fprintf(out, ", \"target\": %d, \"percent\": %.0f", c->who, c->with);
    fprintf(out, "}");
}

static void json_changes(FILE *out, const struct csp_report *r)
{
    fprintf(out, "],\n\"changes_count\": %llu, \"changes\": [",
            (unsigned long long)r->total.changes);
    for (int i = 0; i < r->nchanges; i++) {
        fprintf(out, "%s\n", i ? "," : "");
        json_change(out, &r->changes[i]);
    }
}

void csp_report_json(FILE *out, const struct csp_report *r)
{
    fprintf(out,
            "{\n\"format\": \"casper-report-1\", \"library\": \"%s\", \"seconds\": %.6f,\n"
            "\"nodes_count\": %d, \"ghosts_per_node\": %d, \"users_count\": %d,\n\"nodes\": [\n",
            r->library, r->seconds, r->nnodes, r->ng, r->nusers);
    for (int i = 0; i < r->nnodes; i++) {
        fprintf(out, "{\"node\": %lld, \"begin_unix_ns\": %llu, ", (long long)r->nodes[i].node,
                (unsigned long long)r->nodes[i].begin_unix_ns);
        json_users(out, &r->nodes[i]);
        fprintf(out, ", \"ghosts\": [");
        for (int g = 0; g < r->ng; g++) {
            fprintf(out, "%s", g ? ", " : "");
            json_ghost(out, &r->ghosts[i * r->ng + g], g);
        }
        fprintf(out, "]}%s\n", i + 1 < r->nnodes ? "," : "");
    }
    json_changes(out, r);
    fprintf(out, "],\n\"total\": {");
    json_users(out, &r->total);
    fprintf(out, "}\n}\n");
}
