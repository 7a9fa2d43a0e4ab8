// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection by profile, the ghost's part: the first ghost of a node reads how long its users are in MPI, predicts
// for each, and tells the other nodes (adapt/rate.h, adapt/news.h). So a user that computes for a long time is
// predicted for, too. docs/design/adaptive.md.
#include <stdlib.h>
#include "adapt/news.h"
#include "base/clock.h"
#include "base/log.h"
#include "ghost/ghost.h"
#include "runtime/am.h"
#include "runtime/changes.h"
#include "runtime/node.h"
#include "runtime/predict.h"

static struct csp_rate *rates; // [user of the node]; NULL: not this ghost's business
static struct csp_rate_config config;
static struct csp_news news;
static uint64_t next_ns;

static struct csp_node_proc *user(int i)
{
    return &csp_node_procs(csp_rt.page)[csp_rt.page->ng + i];
}

static void send_news(void *ctx, int to_node, enum csp_news_kind kind, const void *text,
                      size_t bytes)
{
    (void)ctx;
    struct csp_am msg = {.type = CSP_AM_NEWS, .a = (int32_t)kind};
    csp_am_send_text(csp_topo_ghosts(csp_rt.topo)[to_node * csp_rt.topo->ng], &msg, text, bytes);
}

static void on_news(const struct csp_am *msg)
{
    csp_news_receive(&news, (enum csp_news_kind)msg->a, csp_am_text(msg), msg->text_bytes);
}

static void predict(int i, uint64_t now_ns)
{
    struct csp_rate *r = &rates[i];
    if (!csp_rate_step(r, &config, now_ns, csp_mpi_time_until(&user(i)->mpi_time, now_ns)))
        return;
    int place = csp_predictions.first[csp_rt.node] + i;
    atomic_store_explicit(&csp_predictions.off[place], (uint8_t)r->off, memory_order_relaxed);
    csp_news_changed(&news);
    csp_change_note((struct csp_change){.who = user(i)->urank,
                                        .by = CSP_CHANGE_PREDICTED,
                                        .off = (uint16_t)r->off,
                                        .with = r->percent});
    csp_info("user rank %d: in MPI for %d %% of its time: redirection should be %s", user(i)->urank,
             r->percent, r->off ? "off" : "on");
}

int csp_ghost_rate_turn(uint64_t now_ns)
{
    if (!rates)
        return 0;
    if (now_ns >= next_ns) {
        now_ns = csp_clock_ns(); // the turn may have begun long ago, and users have done much since
        for (int i = 0; i < csp_rt.page->nprocs - csp_rt.page->ng; i++)
            predict(i, now_ns);
        next_ns = now_ns + config.interval_ns;
    }
    return csp_predict_told() && csp_news_turn(&news, now_ns);
}

int csp_ghost_rate_over(void)
{
    if (!rates || !csp_predict_told())
        return 1;
    csp_news_end(&news);
    return news.over;
}

void csp_ghost_rate_start(void)
{
    if (!csp_predict_used() || csp_rt.gidx != 0)
        return;
    int users = csp_rt.page->nprocs - csp_rt.page->ng;
    rates = calloc((size_t)users, sizeof(*rates));
    CSP_CHECK(rates, "out of memory in MPI_Init");
    config = (struct csp_rate_config){csp_predict_interval_ns(), (int)csp_config.low_cr,
                                      (int)csp_config.high_cr};
    if (csp_rt.node == 0)
        csp_info("redirection by profile: on for who is in MPI for less than %d %% of its time, "
                 "off for more than %d %%",
                 config.low_percent, config.high_percent);
    uint64_t now_ns = csp_clock_ns();
    for (int i = 0; i < users; i++)
        csp_rate_begin(&rates[i], now_ns, csp_mpi_time_until(&user(i)->mpi_time, now_ns));
    csp_news_begin(&news,
                   &(struct csp_news_config){.node = csp_rt.node,
                                             .nnodes = csp_rt.topo->nnodes,
                                             .first = csp_predictions.first,
                                             .table = csp_predictions.off,
                                             .interval_ns = (uint64_t)csp_config.gsync_int * 1000,
                                             .send = send_news});
    csp_am_handle(CSP_AM_NEWS, on_news);
}

void csp_ghost_rate_stop(void)
{
    if (rates)
        csp_news_free(&news);
    free(rates);
    rates = NULL;
}
