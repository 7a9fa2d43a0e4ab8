// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The simulated exchanges (exchange_sim.h), a JSON object a line: bench/exchange.py.
#include <stdio.h>
#include "exchange_sim.h"
#include "unit.h"

static const char *const changes[] = {"none", "one", "all"};

static void fence_row(const struct exchange_job *job)
{
    struct exchange_fence r = exchange_fence(job);
    printf(
        "{\"method\": \"P\", \"users\": %d, \"per_node\": %d, \"nodes\": %d, \"changed\": \"%s\", "
        "\"steps\": %d, \"messages\": %d, \"bytes\": %.0f, \"us\": %.3f, \"wrong\": %d}\n",
        job->users, job->per_node, r.nodes, changes[job->change], r.steps, r.messages, r.bytes,
        r.time_us, r.wrong);
    fflush(stdout);
}

static void ghosts_row(const struct exchange_job *job, const struct exchange_gsync *gsync)
{
    struct exchange_ghosts r = exchange_ghosts(job, gsync);
    printf(
        "{\"method\": \"GP\", \"users\": %d, \"per_node\": %d, \"nodes\": %d, \"changed\": \"%s\", "
        "\"levels\": %d, \"messages\": %.0f, \"bytes\": %.0f, \"busy\": %.6f, "
        "\"stale_ms\": %.3f, \"interval_ms\": %g, \"look_ms\": %g, \"wrong\": %d}\n",
        job->users, job->per_node, r.nodes, changes[job->change], r.levels, r.messages, r.bytes,
        r.busy, r.stale_ms, gsync->interval_ms, gsync->look_ms, r.wrong);
    fflush(stdout);
}

static void routes_row(int users, enum exchange_targets targets, const char *name)
{
    struct exchange_routes_job job = {users, 64, targets, 50, 0};
    struct exchange_routes r = exchange_routes(&job);
    printf("{\"method\": \"auto\", \"users\": %d, \"per_node\": %d, \"nodes\": %d, \"targets\": "
           "\"%s\", "
           "\"found_ms\": %.0f, \"followed_ms\": %.0f, \"messages\": %.1f, \"busy\": %.6f, "
           "\"peak_messages\": %.0f, \"peak_busy\": %.6f, \"stopped\": %.6f, \"leave_ms\": %.2f, "
           "\"interval_ms\": %g, \"wrong\": %d}\n",
           users, job.per_node, r.nodes, name, r.found_ms, r.followed_ms, r.messages, r.busy,
           r.peak_messages, r.peak_busy, r.stopped, r.leave_ms, job.interval_ms,
           r.wrong + (r.found_ms < 0) + (r.followed_ms < 0) + (r.leave_ms < 0));
    fflush(stdout);
}

int main(void)
{
    static const int users[] = {16, 64, 256, 1024, 4096, 16384, 65536, 100000};
    static const struct exchange_gsync gsync = {100, 1, 2};
    for (size_t per = 16; per <= 64; per *= 4)
        for (size_t i = 0; i < COUNT(users); i++)
            for (int change = EXCHANGE_NONE; change <= EXCHANGE_ALL; change++) {
                struct exchange_job job = {users[i], (int)per, (enum exchange_change)change};
                if (users[i] <= job.per_node)
                    continue;
                fence_row(&job);
                if (per == 64) // tables of all nodes have users * nodes bytes
                    ghosts_row(&job, &gsync);
            }
    for (size_t i = 2; i < COUNT(users); i++) {
        routes_row(users[i], EXCHANGE_ONE_NODE, "one node");
        routes_row(users[i], EXCHANGE_NEIGHBOURS, "26 nodes");
        if (users[i] <= 16384) // all nodes have gates for all nodes
            routes_row(users[i], EXCHANGE_EVERYBODY, "all nodes");
    }
    return 0;
}
