// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Init, second half: the node's segment, the user world, the internal communicators and window.
#include "runtime/init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "runtime/am.h"
#include "runtime/ext.h"
#include "runtime/node.h"
#include "runtime/predict.h"
#include "runtime/quirks.h"
#include "runtime/rt.h"
#include "runtime/vm.h"
#include "topo/place.h"
#include "topo/quota.h"

static const uint64_t ROOM_BYTES = 4u
                                   << 20; // less than this in /dev/shm: MPI libraries die of SIGBUS

static const uint64_t MESSAGES_BYTES = 16u << 20;

void csp_init_check_room(void)
{
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs) != 0 || fs.f_blocks == 0) // 0: no limit
        return;
    uint64_t left = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (left < ROOM_BYTES)
        csp_error("/dev/shm is full (%llu KiB left): the MPI library keeps its shared memory there "
                  "and may "
                  "fail or die of SIGBUS; free some room or enlarge it (mount -o remount,size=... "
                  "/dev/shm)",
                  (unsigned long long)(left >> 10));
}

// CPUs that control groups leave to the processes of this machine, of `cpus`.
static int within_quota(MPI_Comm machine, int procs, int cpus)
{
    struct csp_quota mine = csp_quota_read("/proc/self/cgroup", "/sys/fs/cgroup");
    struct csp_quota *all = calloc((size_t)procs, sizeof(*all));
    CSP_CHECK(all, "out of memory in MPI_Init");
    csp_init_must(
        csp_mpi.Allgather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, machine),
        "MPI_Allgather");
    int64_t quota = csp_quota_sum(all, procs);
    free(all);
    return quota > 0 && quota < cpus ? (int)quota : cpus;
}

// Virtual nodes and containers share a machine: count by kernel, not by node. Before any binding.
void csp_init_crowded(void)
{
    struct csp_place_mask mine, all;
    uint64_t id = csp_place_machine();
    MPI_Comm machine;
    int procs = 1, here = 1;
    int color = (int)((id ^ id >> 32) & 0x7fffffff);
    csp_place_mask(&mine);
    csp_init_must(csp_mpi.Comm_split(MPI_COMM_WORLD, color, csp_rt.wrank, &machine),
                  "MPI_Comm_split");
    csp_init_must(csp_mpi.Allreduce(&mine, &all, sizeof(mine) / sizeof(mine.words[0]), MPI_UINT64_T,
                                    MPI_BOR, machine),
                  "MPI_Allreduce");
    csp_mpi.Comm_size(machine, &procs);
    int cpus = within_quota(machine, procs, csp_place_count(&all));
    csp_mpi.Comm_free(&machine);
    csp_mpi.Comm_size(csp_rt.node_comm, &here);
    int share = (int)((long)cpus * here / procs);
    csp_rt.crowded = procs > cpus;
    csp_rt.cpus = share > 1 ? share : 1;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

// Offsets of the parts; see node.h.
static struct csp_node_page layout(const struct csp_topo *topo, int nprocs)
{
    struct csp_node_page p = {.magic = CSP_NODE_MAGIC, .nprocs = nprocs, .ng = topo->ng};
    p.node = csp_rt.node;
    p.changes.begin_ns = csp_clock_ns();
    p.changes.begin_unix_ns = csp_clock_unix_ns();
    p.procs_off = round_up(sizeof(p), 64);
    p.topo_off = p.procs_off + (uint64_t)nprocs * sizeof(struct csp_node_proc);
    p.predictions_off = p.topo_off + csp_topo_bytes(topo->nranks, topo->nnodes, topo->ng);
    uint64_t predictions = csp_predict_used() ? (uint64_t)topo->nusers : 0;
    p.heap_off = round_up(p.predictions_off + predictions, 4096);
    p.pool_bytes = round_up(p.heap_off + csp_config.pool_size, (uint64_t)sysconf(_SC_PAGESIZE));
    return p;
}

// What another process of the node needs to map the segment.
struct ticket {
    struct csp_seg_key key;
    uint64_t span;
};

// Address space for a segment that grows with the messages under way: as much as the node has memory, unless address space has a limit.
static uint64_t span_of(uint64_t bytes)
{
    struct rlimit limit;
    if (csp_config.p2p == CSP_CONFIG_P2P_OFF || getrlimit(RLIMIT_AS, &limit) != 0 ||
        limit.rlim_cur != RLIM_INFINITY)
        return bytes;
    return bytes + (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Bytes for messages at the start; where the segment can not grow, for ever.
static uint64_t messages_bytes(int grows)
{
    if (csp_config.p2p == CSP_CONFIG_P2P_OFF)
        return 0;
    return grows ? MESSAGES_BYTES : MESSAGES_BYTES + csp_config.pool_size / 4;
}

static enum csp_status create(uint64_t pool_bytes, int named, struct ticket *t)
{
    uint64_t span = named ? pool_bytes : span_of(pool_bytes);
    uint64_t bytes = pool_bytes + messages_bytes(span > pool_bytes);
    t->span = span > bytes ? span : bytes;
    return named ? csp_seg_create(bytes, 1, &csp_rt.pool, &t->key)
                 : csp_seg_create_span(bytes, t->span, &csp_rt.pool, &t->key);
}

static enum csp_status leader_create(const struct csp_topo *topo, int nprocs, int named,
                                     struct ticket *t)
{
    struct csp_node_page page = layout(topo, nprocs);
    enum csp_status s = create(page.pool_bytes, named, t);
    if (s != CSP_OK)
        return s;
    memcpy(csp_rt.pool.base, &page, sizeof(page));
    memcpy((char *)csp_rt.pool.base + page.topo_off, topo,
           csp_topo_bytes(topo->nranks, topo->nnodes, topo->ng));
    csp_heap_init(csp_rt.pool.base, page.heap_off, page.pool_bytes - page.heap_off);
    if (csp_rt.pool.bytes > page.pool_bytes)
        csp_heap_init(csp_rt.pool.base, page.pool_bytes, csp_rt.pool.bytes - page.pool_bytes);
    return CSP_OK;
}

// One try, by memfd or by name. @return 1 if every process of every node has it.
static int try_segment(const struct csp_topo *topo, int named)
{
    struct ticket t = {0};
    int nprocs = 0, ok = 1, all = 0;
    csp_mpi.Comm_size(csp_rt.node_comm, &nprocs);
    if (csp_rt.lrank == 0)
        ok = leader_create(topo, nprocs, named, &t) == CSP_OK;
    csp_init_must(csp_mpi.Bcast(&t, sizeof(t), MPI_BYTE, 0, csp_rt.node_comm), "MPI_Bcast");
    if (csp_rt.lrank != 0)
        ok = t.key.bytes != 0 && csp_seg_attach_span(&t.key, t.span, &csp_rt.pool) == CSP_OK;
    csp_init_must(csp_mpi.Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD),
                  "MPI_Allreduce");
    csp_rt.pool_key = t.key;
    if (csp_rt.pool.span == csp_rt.pool.bytes) // else its creator must be there to make it larger
        csp_seg_unlink(&csp_rt.pool);
    if (!all)
        csp_seg_detach(&csp_rt.pool);
    return all;
}

static void fill_my_entry(void)
{
    struct csp_node_proc *me = &csp_node_procs(csp_rt.page)[csp_rt.lrank];
    me->pid = (int32_t)getpid();
    struct stat ns;
    me->pid_ns = stat("/proc/self/ns/pid", &ns) == 0 ? ns.st_ino : 0;
    me->wrank = csp_rt.wrank;
    me->urank = csp_rt.urank;
    me->gidx = csp_rt.gidx;
    csp_my_stats = &me->stats;
    csp_vm_open();
    csp_init_must(csp_mpi.Barrier(csp_rt.node_comm), "MPI_Barrier"); // all entries are there
}

int csp_init_segment(const struct csp_topo *topo)
{
    if (!try_segment(topo, 0) && !try_segment(topo, 1))
        return 0;
    csp_rt.page = csp_rt.pool.base;
    CSP_CHECK(csp_rt.page->magic == CSP_NODE_MAGIC, "the node's segment is not ours");
    csp_rt.topo = (const struct csp_topo *)((char *)csp_rt.pool.base + csp_rt.page->topo_off);
    csp_rt.heap = csp_heap_at(csp_rt.pool.base, csp_rt.page->heap_off);
    csp_rt.pool_bytes = csp_rt.page->pool_bytes;
    if (csp_rt.pool.bytes > csp_rt.pool_bytes)
        csp_rt.messages = csp_heap_at(csp_rt.pool.base, csp_rt.pool_bytes);
    fill_my_entry();
    return 1;
}

static void dup_comm(MPI_Comm from, MPI_Comm *to)
{
    csp_init_must(csp_mpi.Comm_dup(from, to), "MPI_Comm_dup");
    csp_init_must(csp_mpi.Comm_set_errhandler(*to, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

void csp_init_world(void)
{
    MPI_Comm users;
    dup_comm(MPI_COMM_WORLD, &csp_rt.world);
    dup_comm(MPI_COMM_WORLD, &csp_rt.ctl);
    dup_comm(MPI_COMM_SELF, &csp_rt.self);
    csp_init_must(csp_mpi.Comm_group(csp_rt.ctl, &csp_rt.world_group), "MPI_Comm_group");
    int key = csp_rt.is_ghost ? csp_rt.node * csp_rt.topo->ng + csp_rt.gidx : csp_rt.wrank;
    csp_init_must(csp_mpi.Comm_split(MPI_COMM_WORLD, csp_rt.is_ghost, key, &users),
                  "MPI_Comm_split");
    csp_init_must(csp_am_start(), "control messages");
    csp_rt.user_comm = csp_rt.ghost_comm = MPI_COMM_NULL;
    if (csp_rt.is_ghost) {
        csp_rt.ghost_comm = users;
        csp_init_must(csp_mpi.Comm_set_errhandler(users, MPI_ERRORS_RETURN),
                      "MPI_Comm_set_errhandler");
        return;
    }
    csp_mpi.Comm_set_name(users, "MPI_COMM_WORLD");
    dup_comm(users, &csp_rt.user_comm);
    csp_init_must(csp_mpi.Comm_group(users, &csp_rt.user_group), "MPI_Comm_group");
    csp_user_world = users;
}

void csp_init_windows(void)
{
    csp_rt.pool_has_users = csp_config.async_config != CSP_CONFIG_ASYNC_CONFIG_ON;
    int has = csp_rt.is_ghost || csp_rt.pool_has_users;
    void *base = has ? csp_rt.pool.base : NULL;
    MPI_Aint bytes = has ? (MPI_Aint)csp_rt.pool_bytes : 0;
    int ok = !csp_quirks.create_hangs &&
             csp_ext_win(csp_rt.world, base, bytes, &csp_rt.pool_win) == MPI_SUCCESS;
    // Two executors of accumulates on one window would not be atomic with each other, so all or none.
    int p2p = csp_config.p2p != CSP_CONFIG_P2P_OFF;
    int mine[3] = {ok, (int)csp_quirks.soft_acc, p2p}, all[3] = {0};
    csp_init_must(csp_mpi.Allreduce(mine, all, 3, MPI_INT, MPI_MIN, csp_rt.world), "MPI_Allreduce");
    csp_quirks.soft_acc = (enum csp_soft_acc)all[1];
    csp_rt.p2p = all[2];
    if (all[0])
        return;
    csp_rt.pool_win = MPI_WIN_NULL;
    if (csp_rt.wrank == 0)
        csp_warn(
            "all windows take the software route: the MPI library can not create a window over "
            "all processes "
            "(see its message; Open MPI 4 can not with MPI_THREAD_MULTIPLE over TCP)");
}
