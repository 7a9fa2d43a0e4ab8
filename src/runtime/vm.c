// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/vm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "runtime/node.h"
#include "runtime/rt.h"
#include "runtime/wait.h"

enum {
    RUNS = 256,           // runs of bytes in one system call, on each side
    STEP = 16 << 20,      // bytes in one system call
    GAP = 2048,           // bytes between two runs that cost less than a run of its own
    SPAN_DATA = 32 << 10, // bytes of fine runs that are read at a time,
    SPAN_LEAST = 64,
    SPAN = 512 << 10 // with what lies between them, at most
};

enum { REACH_UNKNOWN = 0, REACH_YES, REACH_NO };

static uint64_t probe_word;

void csp_vm_open(void)
{
#ifdef PR_SET_PTRACER
    // Yama lets only ancestors in; a process may invite others. Refused where there is no Yama.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
#endif
    struct csp_node_proc *me = &csp_node_procs(csp_rt.page)[csp_rt.lrank];
    probe_word = me->probe_word = (csp_clock_ns() << 24) + (uint64_t)csp_rt.wrank;
    me->probe_addr = (uint64_t)(uintptr_t)&probe_word;
}

void csp_vm_probe(void)
{
    for (int i = csp_rt.page->ng; i < csp_rt.page->nprocs; i++) {
        struct csp_node_proc *p = &csp_node_procs(csp_rt.page)[i];
        uint64_t word = 0;
        struct iovec mine = {&word, sizeof(word)};
        struct iovec theirs = {(void *)(uintptr_t)p->probe_addr, sizeof(word)};
        ssize_t n = process_vm_readv(p->pid, &mine, 1, &theirs, 1, 0);
        int yes = n == (ssize_t)sizeof(word) && word == p->probe_word;
        if (!yes)
            csp_info("the memory of process %d is out of reach: %s", p->wrank, strerror(errno));
        atomic_store_explicit(&p->reach, yes ? REACH_YES : REACH_NO, memory_order_release);
    }
}

int csp_vm_reachable(void)
{
    struct csp_node_proc *me = &csp_node_procs(csp_rt.page)[csp_rt.lrank];
    struct csp_wait wait;
    csp_wait_begin(&wait, "a ghost of this node to try this process's memory");
    while (atomic_load_explicit(&me->reach, memory_order_acquire) == REACH_UNKNOWN)
        csp_wait_turn(&wait);
    return atomic_load_explicit(&me->reach, memory_order_relaxed) == REACH_YES;
}

// One side of a copy, as runs.
struct stream {
    const struct csp_vm_side *side;
    int64_t first; // byte of the side's stream where the copy starts
    struct csp_layout_cursor cursor;
};

static enum csp_status begin(struct stream *s, const struct csp_vm_side *side, int64_t first)
{
    s->side = side;
    s->first = first;
    return side->layout ? csp_layout_begin(&s->cursor, side->layout, 0, side->count) : CSP_OK;
}

// The runs of the bytes [at, at + *bytes) of the copy, as many as fit; *bytes: what they hold.
static int runs_of(struct stream *s, int64_t at, struct iovec *runs, size_t *bytes)
{
    char *base = (char *)(uintptr_t)s->side->addr; // NOLINT: perhaps of another process
    if (!s->side->layout) {
        runs[0] = (struct iovec){base + s->first + at, *bytes};
        return 1;
    }
    if (s->side->layout->size_bytes * s->side->count - csp_layout_left(&s->cursor) != s->first + at)
        csp_layout_seek(&s->cursor, s->first + at);
    int n = csp_layout_iov(&s->cursor, base, runs, RUNS, *bytes);
    *bytes = 0;
    for (int i = 0; i < n; i++)
        *bytes += runs[i].iov_len;
    return n;
}

static enum csp_status failed(ssize_t done)
{
    if (done >= 0)
        return CSP_ERR_ARG; // it stopped at a page that is not there
    return errno == EFAULT ? CSP_ERR_ARG : errno == EPERM ? CSP_ERR_PERM : CSP_ERR_SYS;
}

// The system call. Each run of the other process costs a look-up of its pages.
static ssize_t transfer(pid_t pid, int write, const struct iovec *here, int nhere,
                        const struct iovec *there, int nthere)
{
    return write
               ? process_vm_writev(pid, here, (unsigned long)nhere, there, (unsigned long)nthere, 0)
               : process_vm_readv(pid, here, (unsigned long)nhere, there, (unsigned long)nthere, 0);
}

// The same runs to read, those of the other process with short gaps between them joined to one. What
// lies in the gaps goes to `gap`.
struct joined {
    struct iovec there[RUNS], here[3 * RUNS];
    int nthere, nhere;
    size_t bytes;
    char gap[GAP];
};

// The next `bytes` of the own runs; `*used` bytes of the first are taken. @return the next run.
static const struct iovec *take(struct joined *j, const struct iovec *here, size_t *used,
                                size_t bytes)
{
    while (bytes > 0) {
        size_t n = here->iov_len - *used < bytes ? here->iov_len - *used : bytes;
        j->here[j->nhere++] = (struct iovec){(char *)here->iov_base + *used, n};
        bytes -= n;
        *used += n;
        if (*used == here->iov_len) {
            here++;
            *used = 0;
        }
    }
    return here;
}

static void join(struct joined *j, const struct iovec *here, const struct iovec *there, int nthere)
{
    struct iovec *last = NULL;
    size_t used = 0;
    j->nthere = j->nhere = 0;
    j->bytes = 0;
    for (int i = 0; i < nthere; i++) {
        const struct iovec *run = &there[i];
        // Huge, too, if the run lies before the last one.
        size_t gap =
            last ? (uintptr_t)run->iov_base - (uintptr_t)last->iov_base - last->iov_len : 0;
        if (last && gap <= GAP) {
            last->iov_len += gap + run->iov_len;
            j->here[j->nhere++] = (struct iovec){j->gap, gap};
            j->bytes += gap;
        } else {
            last = &j->there[j->nthere++];
            *last = *run;
        }
        j->bytes += run->iov_len;
        here = take(j, here, &used, run->iov_len);
    }
}

// Reads with gaps. @return 1 if that went well: a gap may hold a page that is not there.
static int read_joined(pid_t pid, const struct iovec *here, const struct iovec *there, int nthere)
{
    struct joined j;
    join(&j, here, there, nthere);
    return j.nthere < nthere &&
           transfer(pid, 0, j.here, j.nhere, j.there, j.nthere) == (ssize_t)j.bytes;
}

// One system call, or two.
static enum csp_status step(pid_t pid, int write, struct stream *mine, struct stream *theirs,
                            int64_t at, size_t *bytes)
{
    struct iovec here[RUNS], there[RUNS];
    size_t here_bytes;
    int nthere = runs_of(theirs, at, there, bytes);
    here_bytes = *bytes;
    int nhere = runs_of(mine, at, here, &here_bytes);
    if (here_bytes < *bytes) { // more runs on this side
        *bytes = here_bytes;
        nthere = runs_of(theirs, at, there, bytes);
    }
    if (*bytes == 0)
        return CSP_ERR_ARG;
    if (!write && nthere > 1 && read_joined(pid, here, there, nthere))
        return CSP_OK;
    ssize_t done = transfer(pid, write, here, nhere, there, nthere);
    return done == (ssize_t)*bytes ? CSP_OK : failed(done);
}

// Fine runs of the other process: all from the first to the last of them, packed here. @return 1 if that went well: between
// them may be a page that is not there.
static int read_span(pid_t pid, struct stream *theirs, int64_t at, size_t bytes, char *span,
                     char *to)
{
    struct csp_layout_cursor *c = &theirs->cursor;
    int64_t lo, hi;
    csp_layout_seek(c, theirs->first + at);
    csp_layout_span(c, (int64_t)bytes, &lo, &hi);
    if (hi - lo > SPAN)
        return 0;
    struct iovec here = {span, (size_t)(hi - lo)};
    struct iovec there = {(char *)(uintptr_t)theirs->side->addr + lo, here.iov_len}; // NOLINT
    if (transfer(pid, 0, &here, 1, &there, 1) != (ssize_t)here.iov_len)
        return 0;
    const char *base = (char *)((uintptr_t)span - (uintptr_t)lo); // NOLINT: of displacement 0
    return csp_layout_pack(c, base, to, bytes) == bytes;
}

// @return how many bytes at the start of the copy were read so.
static int64_t read_spans(pid_t pid, const struct csp_vm_side *mine, int64_t mine_first,
                          struct stream *theirs, int64_t bytes)
{
    char *to = (char *)(uintptr_t)mine->addr + mine_first; // NOLINT: own
    int64_t at = 0, lo, hi;
    if (csp_layout_range(theirs->side->layout, 0, theirs->side->count, &lo, &hi) != CSP_OK)
        return 0;
    char *span = malloc((size_t)(hi - lo < SPAN ? hi - lo : SPAN));
    while (span && at < bytes) {
        int64_t n = bytes - at < SPAN_DATA ? bytes - at : SPAN_DATA;
        while (n >= SPAN_LEAST && !read_span(pid, theirs, at, (size_t)n, span, to + at))
            n /= 2; // of one element instead of two, or without a hole
        if (n < SPAN_LEAST)
            break;
        at += n;
    }
    free(span);
    return at;
}

static int is_fine(const struct csp_vm_side *side)
{
    return side->layout && csp_vm_is_fine(side->layout) && csp_vm_is_dense(side->layout);
}

enum csp_status csp_vm_copy(int lrank, int write, const struct csp_vm_side *mine,
                            int64_t mine_first, const struct csp_vm_side *theirs,
                            int64_t theirs_first, int64_t bytes)
{
    pid_t pid = csp_node_procs(csp_rt.page)[lrank].pid;
    struct stream here, there;
    enum csp_status s = begin(&here, mine, mine_first);
    if (s == CSP_OK)
        s = begin(&there, theirs, theirs_first);
    int64_t at = 0;
    if (s == CSP_OK && !write && !mine->layout && bytes >= SPAN_LEAST && is_fine(theirs))
        at = read_spans(pid, mine, mine_first, &there, bytes);
    while (at < bytes && s == CSP_OK) {
        size_t n = bytes - at < STEP ? (size_t)(bytes - at) : STEP;
        s = step(pid, write, &here, &there, at, &n);
        at += (int64_t)n;
    }
    return s;
}
