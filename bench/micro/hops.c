// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the hops of a small message cost where everybody has a core: one process (with Casper: and its ghost) on
// one node, which sends to itself. Each is measured from outside:
//   post_recv, post_send  the calls alone
//   ask   MPI_Iprobe for what is not there: with Casper a post, the ghost takes it up, looks, and its answer is seen
//   ask_idle  the same, when the ghost had nothing to do before
//   self  MPI_Irecv, MPI_Isend, both waits: two posts, taken up, matched, and the answer is seen
//   seen  MPI_Waitall on both when all has long been done
//   hops FILE BYTES_MAX SAMPLES sleep|spin
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "two_sided.h"

enum { BYTES = 8, WARM_UP = 20, QUIET_TAG = TS_TAG + 1 };
static const double DONE_S = 20e-6; // after so long a message has arrived
enum what { POST_RECV, POST_SEND, ASK, ASK_IDLE, SELF, SEEN, WHATS };
static const char *const names[WHATS] = {"post_recv", "post_send", "ask",
                                         "ask_idle",  "self",      "seen"};

static double seconds[WHATS][TS_SAMPLE_MAX], clock_s;
static char out[BYTES], in[BYTES];

static void keep(enum what what, int i, double s)
{
    if (i >= 0)
        seconds[what][i] = s > clock_s ? s - clock_s : 0;
}

// pause_s: outside MPI, between posting and waiting. A spin: the ghost shall not fall asleep, nor the core.
static void self_message(int i, double pause_s)
{
    MPI_Request r[2];
    const double t0 = bench_now();
    MPI_Irecv(in, BYTES, MPI_CHAR, 0, TS_TAG, MPI_COMM_WORLD, &r[0]);
    const double t1 = bench_now();
    MPI_Isend(out, BYTES, MPI_CHAR, 0, TS_TAG, MPI_COMM_WORLD, &r[1]);
    const double t2 = bench_now();
    while (pause_s > 0 && bench_now() < t2 + pause_s)
        ;
    const double t3 = bench_now();
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    const double t4 = bench_now();
    if (pause_s > 0) {
        keep(POST_RECV, i, t1 - t0);
        keep(POST_SEND, i, t2 - t1);
        keep(SEEN, i, t4 - t3);
    } else {
        keep(SELF, i, t4 - t0 - 3 * clock_s); // the reads between
    }
}

static void ask(enum what what, int i)
{
    int found;
    const double start = bench_now();
    MPI_Iprobe(0, QUIET_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    keep(what, i, bench_now() - start);
}

int main(int argc, char **argv)
{
    struct ts t;
    char labels[50];
    ts_open(&t, argc, argv, 1, 0, "hops FILE BYTES_MAX SAMPLES sleep|spin");
    clock_s = ts_clock_s();
    ts_fill(out, BYTES, BYTES, BYTES, 3);
    ts_begin(&t);
    for (int i = -WARM_UP; i < t.sample_max && t.rank == 0; i++) {
        self_message(i, DONE_S);
        ask(ASK_IDLE, i);
        self_message(i, 0);
        ask(ASK, i);
    }
    ts_end(&t);
    if (t.rank == 0)
        ts_check(&t, in, BYTES, BYTES, BYTES, 3);
    snprintf(labels, sizeof labels, "\"bytes\": %d", BYTES);
    for (int k = 0; k < WHATS; k++)
        ts_emit(&t, labels, names[k], seconds[k], t.sample_max);
    return ts_close(&t);
}
