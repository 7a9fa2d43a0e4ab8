// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The report for people.
#include "report/report.h"

enum { CHANGES_SHOWN = 20 };

static void human(char *text, size_t bytes, uint64_t n)
{
    static const char unit[] = {'B', 'K', 'M', 'G', 'T'};
    double v = (double)n;
    int u = 0;
    for (; v >= 9999.5 && u < 4; u++)
        v /= 1024;
    snprintf(text, bytes, u ? "%.1f %c" : "%.0f %c", v, unit[u]);
}

static void print_ops(FILE *out, const struct csp_stats *s)
{
    fprintf(out, "  %-8s %22s %22s %22s %22s %10s\n", "", "load/store", "ghost, same node",
            "ghost, other node", "target itself", "no data");
    for (int k = 0; k < CSP_OP_KINDS; k++) {
        uint64_t sum = 0;
        for (int r = 0; r < CSP_ROUTES; r++)
            sum += csp_stats_get(&s->op_count[k][r]);
        if (sum == 0)
            continue;
        fprintf(out, "  %-8s", csp_report_ops[k]);
        for (int r = 0; r < CSP_ROUTE_NONE; r++) {
            char text[32];
            human(text, sizeof(text), csp_stats_get(&s->op_bytes[k][r]));
            fprintf(out, " %10llu %11s", (unsigned long long)csp_stats_get(&s->op_count[k][r]),
                    text);
        }
        fprintf(out, " %10llu\n",
                (unsigned long long)csp_stats_get(&s->op_count[k][CSP_ROUTE_NONE]));
    }
}

static void print_waits(FILE *out, const struct csp_stats *s)
{
    fprintf(out, "  users waited:");
    for (int k = 0; k < CSP_WAIT_KINDS; k++)
        fprintf(out, "%s %s %.3f s (%llu)", k ? "," : "", csp_report_waits[k],
                (double)csp_stats_get(&s->wait_ns[k]) * 1e-9,
                (unsigned long long)csp_stats_get(&s->wait_count[k]));
    fprintf(out, "\n");
}

static void print_windows(FILE *out, const struct csp_stats *s)
{
    fprintf(
        out,
        "  windows (sum over the processes): %llu from the pool, %llu with a segment of their own, "
        "%llu by the software route",
        (unsigned long long)csp_stats_get(&s->windows_pool),
        (unsigned long long)csp_stats_get(&s->windows_own),
        (unsigned long long)csp_stats_get(&s->windows_soft));
    for (int i = 0; i < CSP_PLAIN_REASONS; i++) {
        uint64_t n = csp_stats_get(&s->windows_plain[i]);
        if (n)
            fprintf(out, ", %llu not redirected (%s)", (unsigned long long)n,
                    csp_report_reasons[i]);
    }
    fprintf(out, "\n");
}

// Of the program's own messages.
static void print_carried(FILE *out, const struct csp_stats *s)
{
    static const char *const from[CSP_CARRIED_KINDS] = {
        "inside the node", "there copied by who waited for them", "from other nodes"};
    const char *before = "    carried: ";
    for (int i = 0; i < CSP_CARRIED_KINDS; i++) {
        char text[32];
        uint64_t n = csp_stats_get(&s->carried_count[i]);
        human(text, sizeof(text), csp_stats_get(&s->carried_bytes[i]));
        if (n == 0)
            continue;
        fprintf(out, "%s%llu %s (%s)", before, (unsigned long long)n, from[i], text);
        before = ", ";
    }
    if (before[0] == ',')
        fprintf(out, "\n");
}

static void print_node(FILE *out, const struct csp_report *r, int i)
{
    const struct csp_report_node *n = &r->nodes[i];
    fprintf(out, " node %lld: %lld users\n", (long long)n->node, (long long)n->users);
    print_ops(out, &n->sum);
    print_waits(out, &n->sum);
    for (int g = 0; g < r->ng; g++) {
        const struct csp_stats *s = &r->ghosts[i * r->ng + g];
        fprintf(
            out,
            "  ghost %d: busy %.1f %%, asleep %.1f %%, on a core %.1f %%, %llu turns with work, "
            "%llu messages\n",
            g, 100 * csp_report_share(s, &s->busy_ns), 100 * csp_report_share(s, &s->sleep_ns),
            100 * csp_report_share(s, &s->cpu_ns),
            (unsigned long long)csp_stats_get(&s->busy_polls),
            (unsigned long long)csp_stats_get(&s->messages));
        print_carried(out, s);
    }
}

static void print_change(FILE *out, const struct csp_change *c)
{
    const char *now = c->off ? "off" : "on";
    fprintf(out, "  %10.3f s  ", (double)c->ns * 1e-9);
    switch (c->by) {
    case CSP_CHANGE_MEASURED:
        fprintf(out,
                "window %llx, targets of node %d: %s; users waited %.2f us for an operation "
                "(for each 4 KB of a larger one) with ghosts, %.2f without\n",
                (unsigned long long)c->gid, c->who, now, c->with * 1e-3, c->without * 1e-3);
        break;
    case CSP_CHANGE_PREDICTED:
        fprintf(out, "target rank %d: %s; in MPI for %.0f %% of its time\n", c->who, now, c->with);
        break;
    case CSP_CHANGE_AGREED:
        fprintf(out, "window %llx: off for %d of %.0f targets; its processes agreed\n",
                (unsigned long long)c->gid, c->who, c->with);
        break;
    case CSP_CHANGE_MESSAGES:
        fprintf(out,
                "messages of %d processes: %s; from one collective call to the next %.1f us with "
                "ghosts, %.1f without\n",
                c->who, c->off ? "by the MPI library" : "by ghosts", c->with * 1e-3,
                c->without * 1e-3);
        break;
    default:
        fprintf(out, "window %llx: %s; the program said so\n", (unsigned long long)c->gid, now);
    }
}

static void print_changes(FILE *out, const struct csp_report *r)
{
    int shown = r->nchanges < CHANGES_SHOWN ? r->nchanges : CHANGES_SHOWN;
    if (r->total.changes == 0)
        return;
    fprintf(out, "  %llu changes of redirection, or of who carries messages%s\n",
            (unsigned long long)r->total.changes,
            r->total.changes > (uint64_t)shown ? ", first:" : ":");
    for (int i = 0; i < shown; i++)
        print_change(out, &r->changes[i].change);
}

void csp_report_text(FILE *out, const struct csp_report *r)
{
    char pool[32];
    human(pool, sizeof(pool), r->total.pool_used_peak_bytes);
    fprintf(out, "casper: report: %d users, %d nodes, %d ghosts per node, %.3f s, %s\n", r->nusers,
            r->nnodes, r->ng, r->seconds, r->library);
    for (int i = 0; i < r->nnodes; i++)
        print_node(out, r, i);
    fprintf(out, " total\n");
    print_ops(out, &r->total.sum);
    print_waits(out, &r->total.sum);
    print_windows(out, &r->total.sum);
    fprintf(out, "  pool: at most %s in use on a node\n", pool);
    print_changes(out, r);
    fflush(out);
}
