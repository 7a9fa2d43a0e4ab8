// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A memory segment shared by the processes of one node. Any role; create and attach are called from
// MPI_Init or a window creation. Created with memfd_create: no name in the file system, no limit by
// the size of /dev/shm, nothing left when the job is killed. Others open it through
// /proc/PID/fd/FD; where that is refused, the creator falls back to shm_open and unlinks the name
// once all have attached (csp_seg_unlink).
#ifndef CSP_SHM_SEG_H
#define CSP_SHM_SEG_H

#include <stdint.h>
#include "base/status.h"

#define CSP_OFF_NONE UINT64_MAX // no offset

struct csp_seg {
    void *base;     // this process's mapping, page aligned
    uint64_t bytes; // size at the start
    uint64_t span;  // size of the mapping: as far as it can grow
    int fd;         // kept open by the creator until csp_seg_unlink, -1 otherwise
    char name[48];  // shm_open name until csp_seg_unlink, empty for a memfd
};

// All that another process of the node needs to attach; plain data, goes through MPI messages.
struct csp_seg_key {
    int64_t pid;
    int32_t fd;
    int32_t named; // 1: attach by name
    uint64_t bytes;
    char name[48]; // of the shm_open file, or of the memfd: attach compares it
};

/**
 * Creates a zero-filled segment of at least `bytes` (rounded up to pages, allocated lazily) and
 * maps it. `named` != 0 takes the shm_open way: all pages are reserved at once, CSP_ERR_NOMEM if
 * /dev/shm has no room, so that no later touch is a SIGBUS. So are those of a memfd where the kernel promises no more
 * memory than there is (vm.overcommit_memory=2).
 */
enum csp_status csp_seg_create(uint64_t bytes, int named, struct csp_seg *seg,
                               struct csp_seg_key *key) CSP_MUST_CHECK;

/** The same by memfd, mapped with address space for `span` bytes: csp_seg_grow may make it so large. */
enum csp_status csp_seg_create_span(uint64_t bytes, uint64_t span, struct csp_seg *seg,
                                    struct csp_seg_key *key) CSP_MUST_CHECK;

/** Maps a segment of another process of the node. CSP_ERR_PERM if the system refuses. */
enum csp_status csp_seg_attach(const struct csp_seg_key *key, struct csp_seg *seg) CSP_MUST_CHECK;

/** Likewise one of csp_seg_create_span. */
enum csp_status csp_seg_attach_span(const struct csp_seg_key *key, uint64_t span,
                                    struct csp_seg *seg) CSP_MUST_CHECK;

/**
 * Makes a segment of csp_seg_create_span at least so large, with memory taken for what is new: any process, as long as the creator
 * did not unlink it. All that attached see it at once.
 */
enum csp_status csp_seg_grow(const struct csp_seg_key *key, uint64_t bytes) CSP_MUST_CHECK;

/** The creator: all have attached; drop the name and the descriptor. */
void csp_seg_unlink(struct csp_seg *seg);

/** Unmaps (after csp_seg_unlink, if that was not called); safe on a zeroed struct. */
void csp_seg_detach(struct csp_seg *seg);

#endif
