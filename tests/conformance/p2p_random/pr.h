// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A random program of sends and receives, generated alike on each rank from a seed: phases, pools of messages,
// messages. Whatever the timing, it ends, and all that was sent is received: each step has a moment in a serial
// order in which the program would run, steps of a rank are taken in that order, and a step that may wait needs
// only earlier ones. pr_plan*.c generates, pr_exec.c and its helpers do it. Who got what is logged; the
// model of matching that looks at the log is _matching.py.
#ifndef PR_H
#define PR_H

#include "rnd.h"

enum {
    PR_MAX_COMMS = 4,
    PR_MAX_POOLS = 8,
    PR_MAX_THREADS = 3,
    PR_MAX_OPEN = 512,
    PR_MAX_KEPT = 4096
};

// What a program may contain; pr_main.c has the names.
enum pr_feature {
    PR_F_WILD_SOURCE = RND_F_OWN,
    PR_F_WILD_TAG,
    PR_F_PROBE,
    PR_F_MPROBE,
    PR_F_SYNC,
    PR_F_BUFFERED,
    PR_F_READY,
    PR_F_PERSISTENT,
    PR_F_SENDRECV,
    PR_F_ISENDRECV,
    PR_F_FREE,
    PR_F_CANCEL,
    PR_F_TRUNCATE,
    PR_F_NOBODY,
    PR_F_NATIVE,
    PR_F_RMA,
    PR_F_LARGE,
    PR_F_COMMS,
    PR_F_COMM_FREE,
    PR_F_ISENDRECV_LATER, // the last two change how it is run and checked, not what is planned
    PR_F_GET_STATUS,
    PR_FEATURES
};

enum pr_comm_kind { PR_WORLD, PR_DUP, PR_PERMUTED, PR_SPLIT, PR_CREATE, PR_COMM_KINDS };

struct pr_comm {
    enum pr_comm_kind kind;
    int index, size, me; // me: own rank, or -1
    int members[RND_MAX_RANKS];
    MPI_Comm handle, passing; // passing: of a phase that frees it while messages are under way
    int numbers[RND_MAX_RANKS][RND_MAX_RANKS]; // messages so far
};

enum pr_mode { PR_STANDARD, PR_SYNC, PR_BUFFERED, PR_READY, PR_MODES };

struct pr_message {
    int from, to, tag; // ranks of the communicator
    int number;        // among those of the two on this communicator
    int n;             // elements
    struct rnd_side side;
    enum pr_mode mode;
    bool blocking, count_c, freed;
    double time;
};

// PR_BLOCKING to PR_IMPROBE also wait for their message.
enum pr_way { PR_NONBLOCKING, PR_BLOCKING, PR_PROBE, PR_IPROBE, PR_MPROBE, PR_IMPROBE, PR_WAYS };

struct pr_receive {
    int source, tag; // or wildcards
    int n;           // elements that there is room for
    struct rnd_side side;
    enum pr_way way;
    bool count_c, freed, nonblocking; // nonblocking: after a matched probe
    double time;
    struct pr_pair *expected; // NULL: depends on who comes first
};

/** A message and a receive of it, or of one like it. */
struct pr_pair {
    int id, round;
    struct pr_pool *pool;
    struct pr_message m;
    struct pr_receive r;
    bool taken; // the message, by some receive
    int posted; // when the receive was, among those of its rank
};

enum pr_pool_kind {
    PR_EXACT,      // receives have source and tag
    PR_TAGS,       // receives have a source, and a tag or not
    PR_SOURCES,    // receives have a tag, and a source or not
    PR_ANY,        // all kinds of receives
    PR_PERSISTENT, // several rounds
    PR_RING,       // everybody sends and receives in one call
    PR_CANCEL,     // a receive without a message
    PR_NOBODY,     // to and from MPI_PROC_NULL
    PR_NATIVE,     // requests of the library's
    PR_COLLECTIVE,
    PR_RMA,
    PR_SLEEP,
    PR_POKE, // a look at requests under way
    PR_POOL_KINDS
};

// When its messages are sent and received.
enum pr_order { PR_MIXED, PR_RECEIVES_FIRST, PR_SENDS_FIRST, PR_TOGETHER, PR_ORDERS };

enum pr_ring { PR_SENDRECV, PR_REPLACE, PR_ISENDRECV, PR_IREPLACE, PR_RINGS };

struct pr_pool {
    int id, index, tag, thread, seed;
    enum pr_pool_kind kind;
    enum pr_order order;
    enum pr_ring ring;
    struct pr_comm *comm;
    int to, npairs, nslots, nrounds; // to: the receiver, or the rank that does it
    int extent;
    bool ready; // a barrier between receives and sends
    double time;
    struct pr_pair *pairs;
    MPI_Request *requests; // persistent, of this rank: [slot] receives, [nslots + slot] sends
    unsigned char **buffers;
};

struct pr_phase {
    int id, npools, nthreads;
    bool barrier;
    struct pr_comm *passing;
    struct pr_pool pools[PR_MAX_POOLS];
};

struct pr_program {
    uint64_t seed;
    int ncomms, nphases, nids;
    struct pr_comm comms[PR_MAX_COMMS];
    struct pr_phase *phases;
    int nkept;
    unsigned char *kept[PR_MAX_KEPT]; // buffers of freed sends, until all have come
    MPI_Win win;
    int *sum, adds[RND_MAX_RANKS]; // of RMA: what others add to this rank, and it to them
};

enum pr_step_kind {
    PR_S_SEND,
    PR_S_RECV,
    PR_S_BOTH,
    PR_S_BARRIER,
    PR_S_INIT,
    PR_S_START,
    PR_S_ROUND,
    PR_S_CANCEL,
    PR_S_EXTRA,
};

struct pr_step {
    double time;
    int order; // among equal times
    enum pr_step_kind kind;
    struct pr_pool *pool;
    struct pr_pair *pair; // of PR_S_BOTH: what is sent
    int round;
};

/** A request under way. */
struct pr_open {
    MPI_Request request;
    MPI_Request *home;             // persistent: where it stays
    struct pr_pair *sent, *wanted; // either or both, or a native one
    unsigned char *out, *in;       // their buffers
    bool cancelled, generalized;
    int *value, want; // native: its result
};

struct pr_thread {
    int number, nopen, nfreed;
    struct rnd_rng rng;
    struct pr_program *program;
    struct pr_phase *phase;
    struct pr_open open[PR_MAX_OPEN], freed[PR_MAX_OPEN];
    uint64_t digest;
};

// pr_plan.c, pr_plan_pool.c
struct pr_program *pr_plan(uint64_t seed);
void pr_plan_pool(struct pr_program *p, struct pr_phase *phase, struct pr_pool *pool,
                  struct rnd_rng *rng, unsigned *targets);
double pr_between(struct rnd_rng *rng, double low, double high);
int pr_steps(struct pr_phase *phase, int thread, struct pr_step *steps);
bool pr_pool_has(const struct pr_pool *pool, const struct pr_pair *pair);

// pr_expect.c
void pr_expect(struct pr_pool *pool);

// pr_comm.c
void pr_comms_make(struct pr_program *p);
void pr_comms_free(struct pr_program *p);
MPI_Comm pr_comm_of(const struct pr_pool *pool);

// pr_exec.c
uint64_t pr_run(struct pr_program *p);

// pr_send.c
void pr_send(struct pr_thread *t, struct pr_pair *pair);
void pr_both(struct pr_thread *t, struct pr_pool *pool, struct pr_pair *sent);

// pr_recv.c
void pr_recv(struct pr_thread *t, struct pr_pair *pair);
void pr_cancel(struct pr_thread *t, struct pr_pool *pool);
void pr_freed(struct pr_thread *t);

// pr_persist.c
void pr_persist_init(struct pr_pool *pool);
void pr_persist_start(struct pr_thread *t, struct pr_pool *pool, int round);
void pr_persist_round(struct pr_thread *t, struct pr_pool *pool, int round);
void pr_persist_free(struct pr_pool *pool);

// pr_extra.c
void pr_extra(struct pr_thread *t, struct pr_pool *pool);
void pr_barrier(const struct pr_pool *pool);
void pr_win_make(struct pr_program *p);
void pr_win_free(struct pr_program *p);

// pr_complete.c
struct pr_open *pr_open_add(struct pr_thread *t, MPI_Request request);
void pr_complete(struct pr_thread *t, int from);
void pr_poke(struct pr_thread *t);

// pr_data.c
MPI_Datatype pr_leaf(int extent);
size_t pr_buffer_bytes(const struct rnd_side *side);
unsigned char *pr_buffer(const struct rnd_side *side);
void *pr_address(unsigned char *buffer, const struct rnd_side *side);
void pr_fill(const struct pr_pair *pair, unsigned char *buffer);
bool pr_check_sent(const struct pr_pair *pair, unsigned char *buffer);
bool pr_is_received(const struct pr_pair *wanted, const struct rnd_side *side,
                    const struct pr_pair *got, const unsigned char *buffer);
struct pr_pair *pr_look_up(const struct pr_pair *wanted, const struct rnd_side *side,
                           const MPI_Status *status, const unsigned char *buffer);

// pr_check.c
void pr_wrong(const struct pr_pool *pool, const struct pr_pair *pair, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void pr_check_code(const struct pr_pool *pool, const struct pr_pair *pair, int code,
                   const char *what);
void pr_check_received(struct pr_thread *t, struct pr_pair *wanted, unsigned char *buffer,
                       const MPI_Status *status, int code);
void pr_check_probed(const struct pr_pair *wanted, const MPI_Status *status);
extern bool pr_spoil_data, pr_spoil_order;

// pr_log.c
void pr_log_sent(const struct pr_pair *pair);
/** The receive gets its place in the order of receives. */
void pr_log_posted(struct pr_pair *pair);
void pr_log_received(const struct pr_pair *wanted, const struct pr_pair *got);
void pr_log_print(void);

// pr_print.c
void pr_list(const struct pr_program *p);

#endif
