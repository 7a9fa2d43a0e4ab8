// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirected windows: MPI_Win_allocate, MPI_Win_create, MPI_Win_create_dynamic and MPI_Win_free. MPI-4.1
// 12.2; TPDS 3.1; docs/design/windows.md, docs/design/software.md.
//
//   every user of the communicator                        leader of each node
//   my part: from the node's pool heap                    the node's csp_wnode: likewise
//   (MPI_Win_create: the program's memory, which may
//   be from there; no ghost can map it: memory of its own)
//   one MPI_Allgather of cards <-----------------------> the same
//   wait for `ready`  <---------------------------------- fill the peers' table
//   (a part did not fit: own segment, rma_own.c)
//   carrier window on MPI_COMM_SELF
#include "adapt/rounds.h"
#include "rma/rma_async.h"
#include "rma/rma_auto.h"
#include "rma/rma_bind.h"
#include "rma/rma_own.h"
#include "rma/rma_win.h"
#include "rma/rma_wnode.h"

#include <limits.h>
#include <stdlib.h>
#include "runtime/ext.h"
#include "runtime/mem.h"
#include "runtime/meta.h"
#include "runtime/node.h"
#include "runtime/predict.h"
#include "runtime/quirks.h"
#include "runtime/vm.h"

// Why a window cannot be redirected, in struct csp_card.
enum {
    CANNOT = 1,
    CANNOT_REACH = 2 // unless ghosts map the memory
};

// Where a window's memory comes from.
enum memory {
    MEM_POOL,    // MPI_Win_allocate: the pool, or a segment of the window's own
    MEM_PRIVATE, // MPI_Win_allocate, if ghosts cannot map it where it must be; the software route
    MEM_PROGRAM, // MPI_Win_create and MPI_Win_create_dynamic; the software route
    MEM_LENT     // MPI_Win_create, if all of it is from the pool
};

void csp_rma_note_plain(MPI_Win win, enum csp_plain_reason reason)
{
    if (!csp_rt.active)
        return;
    csp_win_not_ours(win);
    if (reason < CSP_PLAIN_REASONS)
        csp_stats_add(&csp_my_stats->windows_plain[reason], 1);
}

// What the program asked for.
struct wish {
    int flavor; // MPI_WIN_FLAVOR_
    enum memory memory;
    void *base; // the program's or private memory
    MPI_Aint size, disp_unit;
    MPI_Info info;
    MPI_Comm comm;
};

static int plain_allocate(const struct wish *h, void *baseptr, MPI_Win *win)
{
#if CSP_HAVE_MPI_Win_allocate_c
    if (h->disp_unit > INT_MAX)
        return csp_mpi.Win_allocate_c(h->size, h->disp_unit, h->info, h->comm, baseptr, win);
#endif
    return csp_mpi.Win_allocate(h->size, (int)h->disp_unit, h->info, h->comm, baseptr, win);
}

// MPI_Win_create and MPI_Win_create_dynamic, of the library, over a communicator of one's choice.
static int library_create(const struct wish *h, MPI_Comm comm, MPI_Win *win)
{
    if (h->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return csp_mpi.Win_create_dynamic(h->info, comm, win);
#if CSP_HAVE_MPI_Win_create_c
    if (h->disp_unit > INT_MAX)
        return csp_mpi.Win_create_c(h->base, h->size, h->disp_unit, h->info, comm, win);
#endif
    int unit = h->disp_unit > INT_MAX ? INT_MAX : (int)h->disp_unit;
    return csp_mpi.Win_create(h->base, h->size, unit, h->info, comm, win);
}

static int plain(const struct wish *h, enum csp_plain_reason reason, void *baseptr, MPI_Win *win)
{
    int rc = h->flavor == MPI_WIN_FLAVOR_ALLOCATE ? plain_allocate(h, baseptr, win)
                                                  : library_create(h, h->comm, win);
    if (rc == MPI_SUCCESS)
        csp_rma_note_plain(*win, reason);
    return rc;
}

static uint64_t next_gid(void)
{
    static _Atomic uint32_t seq;
    return (uint64_t)(csp_rt.wrank + 1) << 32 | atomic_fetch_add(&seq, 1);
}

// Ghosts map it, and the pool's internal window is as it must be.
static int is_mapped(enum memory memory)
{
    return memory == MEM_POOL || memory == MEM_LENT;
}

static int pool_will_do(const struct csp_card *c)
{
    return csp_rt.pool_has_users || !csp_async_may_change((enum csp_async_wish)c->async);
}

// Where the pool has it, if MPI_Alloc_mem gave it out.
static uint64_t lent_off(const struct csp_card *c, const struct wish *h)
{
    uint64_t size = (uint64_t)h->size, off = csp_mem_mapped(h->base);
    if (h->flavor != MPI_WIN_FLAVOR_CREATE || csp_rt.pool_win == MPI_WIN_NULL || !pool_will_do(c))
        return CSP_OFF_NONE;
    return size == 0 ? 0 : off && size <= csp_rt.pool_bytes - off ? off : CSP_OFF_NONE;
}

// Where this process's part is, if it needs none from the pool.
static void card_of_program(struct csp_card *c, const struct wish *h)
{
    int dynamic = h->flavor == MPI_WIN_FLAVOR_DYNAMIC;
    c->off = dynamic ? 0 : (uint64_t)(uintptr_t)h->base;
    c->size = dynamic ? UINT64_MAX : (uint64_t)h->size; // displacements are addresses
    c->lent = lent_off(c, h);
    if (!csp_vm_reachable())
        c->cannot |= CANNOT_REACH;
}

static void card_of_private(struct csp_card *c, struct wish *h)
{
    size_t bytes = h->size > 0 ? (size_t)h->size : 1;
    if (posix_memalign(&h->base, csp_info_alignment(h->info, CSP_PART_ALIGN), bytes) != 0)
        h->base = NULL;
    if (!h->base)
        c->cannot |= CANNOT;
    card_of_program(c, h);
}

// Processes map a segment wherever there is room, so they can not promise more than a page (MPI-4.1 12.2.2).
static void card_of_pool(struct csp_card *c, const struct wish *h)
{
    uint64_t align = csp_info_alignment(h->info, CSP_PART_ALIGN);
    c->off = CSP_OFF_NONE;
    c->elsewhere = align > CSP_OWN_ALIGN;
    if (c->size <= csp_config.pool_max && !c->elsewhere && pool_will_do(c))
        c->off = csp_heap_alloc(csp_rt.heap, c->size ? c->size : 1, align);
}

static struct csp_card make_card(const struct csp_members *m, struct wish *h)
{
    struct csp_card c = {
        .size = (uint64_t)h->size, .disp_unit = (uint64_t)h->disp_unit, .lent = CSP_OFF_NONE};
    c.cannot = h->disp_unit > UINT32_MAX ? CANNOT : 0;
    c.async = csp_async_read(h->info);
    c.predicted = csp_predict_used() && csp_predict_off(csp_rt.wrank);
    if (h->memory == MEM_POOL)
        card_of_pool(&c, h);
    else if (h->memory == MEM_PRIVATE)
        card_of_private(&c, h);
    else
        card_of_program(&c, h);
    int mapped =
        is_mapped(h->memory) || c.lent != CSP_OFF_NONE; // unless somebody's part is elsewhere
    if (csp_members_lead(m))
        c.wnode_off = csp_wnode_alloc(m, mapped, (enum csp_async_wish)c.async);
    if (m->rank == 0)
        c.gid = next_gid();
    c.bind = csp_bind_wish(h->info);
    return c;
}

static void drop_card(const struct csp_members *m, const struct wish *h,
                      const struct csp_card *mine)
{
    if (h->memory == MEM_POOL && mine->off != CSP_OFF_NONE)
        csp_heap_free(csp_rt.heap, mine->off);
    if (h->memory == MEM_PRIVATE)
        free(h->base);
    if (csp_members_lead(m) && mine->wnode_off != CSP_OFF_NONE)
        csp_heap_free(csp_rt.heap, mine->wnode_off);
}

// Fields of a window that need no communication.
static struct csp_win *new_win(struct csp_members *m, const struct wish *h,
                               const struct csp_card *cards)
{
    size_t rounds = (size_t)csp_rounds(m->nnodes) * sizeof(uint32_t);
    struct csp_win *w = csp_meta_alloc(CSP_META_WINDOW, sizeof(*w) + rounds);
    size_t nodes = (size_t)csp_rt.topo->nnodes, bits = nodes * (size_t)csp_rt.topo->ng;
    csp_win_bits(w, (int)bits);
    w->lockall_node = csp_meta_alloc(CSP_META_WINDOW, (nodes + 63) / 64 * sizeof(*w->lockall_node));
    w->node_offs = csp_meta_alloc(CSP_META_WINDOW, nodes * sizeof(*w->node_offs));
    for (int i = 0; i < m->nnodes; i++)
        w->node_offs[m->nodes[i]] = cards[m->leaders[i]].wnode_off;
    w->gid = cards[0].gid;
    w->n = m->n;
    w->rank = m->rank;
    w->members = m;
    w->size = h->size;
    w->disp_unit = h->disp_unit;
    w->attr_flavor = h->flavor;
    w->my_off = h->memory == MEM_POOL ? cards[m->rank].off : CSP_OFF_NONE;
    w->private_part = h->memory == MEM_PRIVATE ? h->base : NULL;
    w->align = csp_info_alignment(h->info, CSP_PART_ALIGN);
    csp_hints_init(&w->hints);
    csp_hints_read(&w->hints, h->info);
    w->node = csp_wnode_at(w->node_offs[csp_rt.node]);
    w->peers = w->node->peers;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_mutex_init(&w->lockall_mutex, NULL);
    csp_mpi.Comm_group(h->comm, &w->group);
    return w;
}

static void delete_win(struct csp_win *w)
{
    csp_auto_free(w, w->automatic);
    csp_wnode_release(w);
    csp_attach_drop(w);
    if (w->my_off != CSP_OFF_NONE)
        csp_heap_free(csp_rt.heap, w->my_off);
    free(w->private_part);
    csp_members_drop(w->members);
    csp_mpi.Group_free(&w->group);
    pthread_mutex_destroy(&w->mutex);
    pthread_mutex_destroy(&w->lockall_mutex);
    csp_meta_free(CSP_META_WINDOW, w->used);
    csp_meta_free(CSP_META_WINDOW, (void *)w->lockall_node);
    csp_meta_free(CSP_META_WINDOW, w->node_offs);
    csp_meta_free(CSP_META_WINDOW, (void *)w->given);
    free(w->posts);
    free(w->access.ranks);
    csp_meta_free(CSP_META_WINDOW, w);
}

// The carrier of a window of MPI_Win_allocate is a created one on our memory.
static int make_carrier(struct csp_win *w, const struct wish *h)
{
    struct wish mine = *h;
    if (h->memory == MEM_POOL)
        mine.base = w->size ? csp_win_local(w, w->rank) : NULL;
    mine.info = csp_info_for_carrier(h->info);
    w->base = mine.base;
    w->attr_disp_unit = w->disp_unit > INT_MAX ? INT_MAX : (int)w->disp_unit;
    w->attr_model = MPI_WIN_UNIFIED;
    void *none;
    csp_ext_making_begin();
    int rc = csp_quirks.create_refused
                 ? csp_mpi.Win_allocate(0, 1, mine.info, MPI_COMM_SELF, &none, &w->handle)
                 : library_create(&mine, MPI_COMM_SELF, &w->handle);
    csp_ext_making_end();
    if (mine.info != h->info)
        csp_mpi.Info_free(&mine.info);
    if (rc != MPI_SUCCESS)
        csp_mpi.Comm_call_errhandler(h->comm, rc);
    return rc;
}

// All processes have the cards and come to the same answer. Needs no ghost and no other process.
static struct csp_win *describe(struct csp_members *m, const struct wish *h,
                                const struct csp_card *cards, int own)
{
    int mapped = is_mapped(h->memory);
    struct csp_win *w = new_win(m, h, cards);
    csp_wnode_describe(w, mapped, cards, own);
    if (mapped && !own)
        w->iwin = &csp_pool_iwin;
    w->own.users = csp_async_may_change((enum csp_async_wish)cards[0].async);
    csp_bind_set(w, mapped && !w->acc_soft, (uint32_t)cards[0].bind);
    return w;
}

// Some part did not fit into the pool. @return 1, or 0 when there is no memory; the window is gone then.
static int give_own_segment(struct csp_win *w, struct csp_members *m, MPI_Comm comm)
{
    if (w->my_off != CSP_OFF_NONE)
        csp_heap_free(csp_rt.heap, w->my_off);
    w->my_off = CSP_OFF_NONE;
    if (csp_own_create(w, comm))
        return 1;
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed); // the caller's stays
    delete_win(w);
    return 0;
}

// Memory of the program's that is from the pool in all processes is like that of MPI_Win_allocate.
static void take_lent(const struct csp_members *m, struct wish *h, struct csp_card *cards)
{
    int lent = h->memory == MEM_PROGRAM;
    for (int i = 0; i < m->n; i++)
        lent &= cards[i].lent != CSP_OFF_NONE;
    for (int i = 0; lent && i < m->n; i++)
        cards[i].off = cards[i].lent;
    if (lent)
        h->memory = MEM_LENT;
}

// @return the window, NULL: plain MPI.
static struct csp_win *build(struct csp_members *m, struct wish *h, struct csp_card *cards)
{
    int own = 0, cannot = 0;
    take_lent(m, h, cards);
    for (int i = 0; i < m->nnodes; i++)
        cannot |= cards[m->leaders[i]].wnode_off == CSP_OFF_NONE;
    for (int i = 0; i < m->n; i++) {
        cannot |= (cards[i].cannot & (is_mapped(h->memory) ? CANNOT : CANNOT | CANNOT_REACH)) != 0;
        own |= h->memory == MEM_POOL && cards[i].off == CSP_OFF_NONE;
    }
    if (cannot) {
        drop_card(m, h, &cards[m->rank]);
        return NULL;
    }
    struct csp_win *w = describe(m, h, cards, own);
    if (own && !give_own_segment(w, m, h->comm))
        return NULL;
    csp_async_init(w, (enum csp_async_wish)cards[0].async);
    return w;
}

static void count_window(const struct csp_win *w)
{
    struct csp_stats *s = csp_my_stats;
    csp_stats_add(!w->iwin                    ? &s->windows_soft
                  : w->iwin == &csp_pool_iwin ? &s->windows_pool
                                              : &s->windows_own,
                  1);
}

// Why a window that could not be built is plain.
static enum csp_plain_reason reason_of(const struct wish *h)
{
    return h->flavor == MPI_WIN_FLAVOR_CREATE    ? CSP_PLAIN_CREATE
           : h->flavor == MPI_WIN_FLAVOR_DYNAMIC ? CSP_PLAIN_DYNAMIC
           : csp_rt.pool_win == MPI_WIN_NULL     ? CSP_PLAIN_LIBRARY
                                                 : CSP_PLAIN_MEMORY;
}

// Everybody's cards, NULL with *rc: an error that was raised on the program's communicator.
static struct csp_card *exchange(struct csp_members *m, struct wish *h, int *rc)
{
    csp_node_use_ghosts(csp_rt.page);
    struct csp_card mine = make_card(m, h);
    struct csp_card *cards = malloc((size_t)m->n * sizeof(*cards));
    CSP_CHECK(cards, "out of memory for a window");
    *rc = csp_mpi.Allgather(&mine, sizeof(mine), MPI_BYTE, cards, sizeof(mine), MPI_BYTE, h->comm);
    if (*rc == MPI_SUCCESS)
        return cards;
    drop_card(m, h, &mine);
    free(cards);
    return NULL;
}

// The same, once more if somebody's part must be elsewhere.
static struct csp_card *gather(struct csp_members *m, struct wish *h, int *rc)
{
    struct csp_card *cards = exchange(m, h, rc);
    int elsewhere = 0, differ = 0;
    for (int i = 0; cards && i < m->n; i++) {
        elsewhere |= cards[i].elsewhere != 0;
        differ |= cards[i].async != cards[0].async;
    }
    if (!elsewhere && !differ)
        return cards;
    drop_card(m, h, &cards[m->rank]);
    free(cards);
    if (differ) {
        *rc = MPI_ERR_INFO_VALUE;
        csp_mpi.Comm_call_errhandler(h->comm, *rc);
        return NULL;
    }
    h->memory = MEM_PRIVATE;
    return exchange(m, h, rc);
}

static int redirect(struct csp_members *m, struct wish *h, void *baseptr, MPI_Win *win)
{
    int rc;
    struct csp_card *cards = gather(m, h, &rc);
    if (!cards) {
        csp_members_drop(m);
        return rc;
    }
    struct csp_win *w = build(m, h, cards);
    free(cards);
    if (!w) {
        csp_members_drop(m);
        return plain(h, reason_of(h), baseptr, win);
    }
    rc = make_carrier(w, h);
    if (rc != MPI_SUCCESS)
        return rc; // raised likewise; the others have the window, so its parts must stay
    csp_meta_count(CSP_META_CARRIERS, 1);
    count_window(w);
    csp_win_register(w);
    if (baseptr)
        *(void **)baseptr = w->base;
    *win = w->handle;
    return MPI_SUCCESS;
}

static int make(struct wish *h, void *baseptr, MPI_Win *win)
{
    if (!csp_rt.active || h->size < 0 || h->disp_unit <= 0 || h->comm == MPI_COMM_NULL)
        return plain(h, CSP_PLAIN_REASONS, baseptr, win); // errors are the library's to raise
    if (h->memory == MEM_PROGRAM && csp_config.created_windows == CSP_CONFIG_CREATED_WINDOWS_PLAIN)
        return plain(h, reason_of(h), baseptr, win);
    if (h->memory == MEM_POOL && csp_rt.pool_win == MPI_WIN_NULL)
        h->memory = MEM_PRIVATE;
    struct csp_members *m = csp_members_take(h->comm);
    return m ? redirect(m, h, baseptr, win) : plain(h, CSP_PLAIN_FOREIGN, baseptr, win);
}

int csp_rma_win_allocate(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                         void *baseptr, MPI_Win *win)
{
    struct wish h = {MPI_WIN_FLAVOR_ALLOCATE, MEM_POOL, NULL, size, disp_unit, info, comm};
    return make(&h, baseptr, win);
}

int csp_rma_win_create(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                       MPI_Win *win)
{
    struct wish h = {MPI_WIN_FLAVOR_CREATE, MEM_PROGRAM, base, size, disp_unit, info, comm};
    return make(&h, NULL, win);
}

int csp_rma_win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    struct wish h = {MPI_WIN_FLAVOR_DYNAMIC, MEM_PROGRAM, MPI_BOTTOM, 0, 1, info, comm};
    return make(&h, NULL, win);
}

int csp_rma_win_free(MPI_Win *win)
{
    struct csp_win *w = csp_win_find(*win);
    if (!w)
        return csp_mpi.Win_free(win);
    if (csp_win_locked(w) || w->access.active || w->expose.active)
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    csp_win_leave(w);
    int rc = csp_win_flush_end(w); // was raised; the others wait for this process all the same
    csp_win_barrier(w);
    csp_meta_count(CSP_META_CARRIERS, -1);
    csp_ext_making_begin();
    int freed = csp_mpi.Win_free(win); // the carrier: delete callbacks still find the window
    csp_ext_making_end();
    if (w->iwin && w->iwin != &csp_pool_iwin)
        csp_own_free(w);
    csp_win_forget(w);
    delete_win(w);
    return rc != MPI_SUCCESS ? rc : freed;
}
