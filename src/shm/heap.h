// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Allocator inside a shared segment: any process of the node allocates and frees, by offset. Thread
// and process safe (a futex lock inside the segment). Memory is handed out as it is, not cleared.
#ifndef CSP_SHM_HEAP_H
#define CSP_SHM_HEAP_H

#include <stdint.h>
#include "base/status.h"
#include "shm/seg.h"

struct csp_heap; // lives in the segment

/**
 * Makes an empty heap in [off, off + bytes) of a segment mapped at `base`; one process calls it.
 * Its own data take about 6 KB of that. @return NULL if there is no room for any block.
 */
struct csp_heap *csp_heap_init(void *base, uint64_t off, uint64_t bytes);

/** The heap that another process made at `off`. */
struct csp_heap *csp_heap_at(void *base, uint64_t off);

/**
 * @return offset from the segment's base, a multiple of `align` (a power of 2) and of 64, or
 * CSP_OFF_NONE. 0 bytes give an offset of their own.
 */
uint64_t csp_heap_alloc(struct csp_heap *heap, uint64_t bytes, uint64_t align);

/** Frees what csp_heap_alloc returned; any process of the node may. Anything else ends the process.
 */
void csp_heap_free(struct csp_heap *heap, uint64_t off);

/** Where it ends, and a later end, for a segment that has grown; an earlier one does nothing. */
uint64_t csp_heap_end(struct csp_heap *heap);
void csp_heap_extend(struct csp_heap *heap, uint64_t end);

/** Bytes handed out now with what the heap added to them, and the most ever. */
void csp_heap_usage(struct csp_heap *heap, uint64_t *used_bytes, uint64_t *peak_bytes);

#endif
