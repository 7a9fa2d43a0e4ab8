// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Blocks lie side by side, each behind a header that knows its own and its left neighbour's size,
// so free merges with both sides at once. Free blocks hang in lists by size class (16 classes a
// power of two), a bitmap tells which are not empty: alloc and free look at a few words, however
// many blocks there are. Sizes are multiples of UNIT, headers sit HEADER before a multiple of UNIT,
// so what is handed out starts a cache line. All offsets are from the segment's base. Everything is
// under the lock.
#include "shm/heap.h"
#include "base/log.h"
#include "shm/lock.h"

#include <inttypes.h>
#include <string.h>

enum {
    UNIT = 64,      // bytes; sizes and alignment are multiples of it
    HEADER = 16,    // bytes in front of what is handed out
    CLASS_BITS = 4, // log2 of the classes a power of two
    CLASSES = 1 << CLASS_BITS,
    BINS = 45 * CLASSES, // blocks of up to 2^48 bytes
    WORDS = (BINS + 63) / 64,
};

struct block {
    uint64_t tag;        // size in bytes, multiple of UNIT, plus the marks below
    uint64_t left_bytes; // size of the left neighbour, 0: there is none
    // Only in a free block, in the list of its class; CSP_OFF_NONE: no further one.
    uint64_t next_off, prev_off;
};

static const uint64_t mark_used = 1;
static const uint64_t mark_magic = UINT64_C(0xca59) << 48; // shows that a header is one
static const uint64_t size_mask = (UINT64_C(1) << 48) - UNIT;

struct csp_heap {
    struct csp_lock lock;
    uint64_t self_off;            // of this struct
    uint64_t first_off, last_off; // the blocks lie in [first, last); there, a used block of no size
    uint64_t used_bytes, peak_bytes;
    uint64_t filled[WORDS]; // bit b: bins[b] is not empty
    uint64_t bins[BINS];    // first free block of the class
};

static struct block *at(struct csp_heap *h, uint64_t off)
{
    return (struct block *)((char *)h - h->self_off + off);
}

static uint64_t size_of(const struct block *b)
{
    return b->tag & size_mask;
}

static int is_used(const struct block *b)
{
    return (int)(b->tag & mark_used);
}

static uint64_t round_up(uint64_t v, uint64_t align)
{
    return (v + align - 1) & ~(align - 1);
}

// Class of a block: below 16 units exact, then 16 a power of two, rounded down.
static unsigned bin_of(uint64_t bytes)
{
    uint64_t units = bytes / UNIT;
    if (units < CLASSES)
        return (unsigned)units;
    unsigned e = 63 - (unsigned)__builtin_clzll(units);
    return (e - CLASS_BITS + 1) * CLASSES + (unsigned)((units >> (e - CLASS_BITS)) & (CLASSES - 1));
}

// The first class of which every block has at least `bytes`.
static unsigned bin_above(uint64_t bytes)
{
    uint64_t units = bytes / UNIT;
    if (units < CLASSES)
        return (unsigned)units;
    unsigned e = 63 - (unsigned)__builtin_clzll(units);
    return bin_of(bytes + ((UINT64_C(1) << (e - CLASS_BITS)) - 1) * UNIT);
}

// First class from `bin` on that is not empty; BINS if none.
static unsigned bin_filled(const struct csp_heap *h, unsigned bin)
{
    if (bin >= BINS)
        return BINS;
    uint64_t mask = UINT64_MAX << bin % 64;
    for (unsigned w = bin / 64; w < WORDS; w++, mask = UINT64_MAX)
        if (h->filled[w] & mask)
            return w * 64 + (unsigned)__builtin_ctzll(h->filled[w] & mask);
    return BINS;
}

static void list_add(struct csp_heap *h, uint64_t off)
{
    struct block *b = at(h, off);
    unsigned bin = bin_of(size_of(b));
    b->prev_off = CSP_OFF_NONE;
    b->next_off = h->bins[bin];
    if (b->next_off != CSP_OFF_NONE)
        at(h, b->next_off)->prev_off = off;
    h->bins[bin] = off;
    h->filled[bin / 64] |= UINT64_C(1) << bin % 64;
}

static void list_remove(struct csp_heap *h, uint64_t off)
{
    struct block *b = at(h, off);
    unsigned bin = bin_of(size_of(b));
    if (b->next_off != CSP_OFF_NONE)
        at(h, b->next_off)->prev_off = b->prev_off;
    if (b->prev_off != CSP_OFF_NONE)
        at(h, b->prev_off)->next_off = b->next_off;
    else
        h->bins[bin] = b->next_off;
    if (h->bins[bin] == CSP_OFF_NONE)
        h->filled[bin / 64] &= ~(UINT64_C(1) << bin % 64);
}

// Writes the header of [off, off + bytes); the right neighbour learns the size.
static void set_block(struct csp_heap *h, uint64_t off, uint64_t bytes, uint64_t mark)
{
    at(h, off)->tag = mark_magic | bytes | mark;
    at(h, off + bytes)->left_bytes = bytes;
}

// Where in the free block a piece of `bytes` would start so that its contents are aligned;
// CSP_OFF_NONE if it does not fit.
static uint64_t fit(struct csp_heap *h, uint64_t off, uint64_t bytes, uint64_t align)
{
    uint64_t start = round_up(off + HEADER, align) - HEADER;
    uint64_t room_bytes = size_of(at(h, off));
    uint64_t skip_bytes = start - off;
    return skip_bytes <= room_bytes && room_bytes - skip_bytes >= bytes ? start : CSP_OFF_NONE;
}

// The last resort of a nearly full heap: tries each block of the classes in [bin, end).
static uint64_t search(struct csp_heap *h, unsigned bin, unsigned end, uint64_t bytes,
                       uint64_t align)
{
    for (bin = bin_filled(h, bin); bin < end; bin = bin_filled(h, bin + 1))
        for (uint64_t off = h->bins[bin]; off != CSP_OFF_NONE; off = at(h, off)->next_off)
            if (fit(h, off, bytes, align) != CSP_OFF_NONE)
                return off;
    return CSP_OFF_NONE;
}

// A free block that can hold `bytes` at `align`.
static uint64_t find(struct csp_heap *h, uint64_t bytes, uint64_t align)
{
    unsigned sure = bin_above(bytes + align - UNIT); // fits wherever it starts
    unsigned bin = bin_filled(h, sure);
    if (bin < BINS)
        return h->bins[bin];
    return search(h, bin_of(bytes), sure, bytes, align);
}

// Takes [start, start + bytes) out of the free block at `off`; what is left on both sides stays
// free.
static void carve(struct csp_heap *h, uint64_t off, uint64_t start, uint64_t bytes)
{
    uint64_t end = off + size_of(at(h, off));
    list_remove(h, off);
    if (start > off) {
        set_block(h, off, start - off, 0);
        list_add(h, off);
    }
    set_block(h, start, bytes, mark_used);
    if (start + bytes < end) {
        set_block(h, start + bytes, end - start - bytes, 0);
        list_add(h, start + bytes);
    }
}

struct csp_heap *csp_heap_init(void *base, uint64_t off, uint64_t bytes)
{
    uint64_t self_off = round_up(off, UNIT);
    uint64_t first_off = round_up(self_off + sizeof(struct csp_heap) + HEADER, UNIT) - HEADER;
    uint64_t end = (off + bytes) / UNIT * UNIT - HEADER; // of the header that closes the row
    if (bytes > size_mask / 2 || end < first_off + UNIT)
        return NULL;
    struct csp_heap *h = (struct csp_heap *)((char *)base + self_off);
    memset(h, 0, sizeof *h);
    h->self_off = self_off;
    h->first_off = first_off;
    h->last_off = end;
    for (unsigned i = 0; i < BINS; i++)
        h->bins[i] = CSP_OFF_NONE;
    at(h, first_off)->left_bytes = 0;
    set_block(h, first_off, end - first_off, 0);
    at(h, end)->tag = mark_magic | mark_used;
    list_add(h, first_off);
    return h;
}

struct csp_heap *csp_heap_at(void *base, uint64_t off)
{
    return (struct csp_heap *)((char *)base + round_up(off, UNIT));
}

uint64_t csp_heap_alloc(struct csp_heap *h, uint64_t bytes, uint64_t align)
{
    if (align < UNIT)
        align = UNIT;
    if ((align & (align - 1)) || bytes > size_mask / 2 || align > size_mask / 2)
        return CSP_OFF_NONE;
    bytes = round_up(bytes + HEADER, UNIT);
    uint64_t start = CSP_OFF_NONE;
    csp_lock_acquire(&h->lock, "heap");
    uint64_t off = find(h, bytes, align);
    if (off != CSP_OFF_NONE) {
        start = fit(h, off, bytes, align);
        carve(h, off, start, bytes);
        h->used_bytes += bytes;
        if (h->used_bytes > h->peak_bytes)
            h->peak_bytes = h->used_bytes;
    }
    csp_lock_release(&h->lock);
    return start == CSP_OFF_NONE ? CSP_OFF_NONE : start + HEADER;
}

// Freeing twice, or a header that the program overwrote, must not become a damaged heap later.
static void check_header(struct csp_heap *h, uint64_t off)
{
    CSP_CHECK(off >= h->first_off && off < h->last_off && (off + HEADER) % UNIT == 0,
              "heap: offset %" PRIu64 " was never allocated", off + HEADER);
    const struct block *b = at(h, off);
    CSP_CHECK(
        (b->tag & ~size_mask) == (mark_magic | mark_used) && size_of(b) <= h->last_off - off &&
            at(h, off + size_of(b))->left_bytes == size_of(b),
        "heap: the memory at offset %" PRIu64 " is not allocated, or the words before or behind"
        " it were overwritten (a write past the end of a window?)",
        off + HEADER);
}

// Under the lock.
static void put_back(struct csp_heap *h, uint64_t off)
{
    struct block *b = at(h, off);
    uint64_t bytes = size_of(b), right_off = off + bytes;
    if (!is_used(at(h, right_off))) {
        list_remove(h, right_off);
        bytes += size_of(at(h, right_off));
    }
    if (b->left_bytes && !is_used(at(h, off - b->left_bytes))) {
        uint64_t left_bytes = b->left_bytes;
        off -= left_bytes;
        list_remove(h, off);
        bytes += left_bytes;
        b->tag = 0; // no header any more: freeing it again is seen
    }
    set_block(h, off, bytes, 0);
    list_add(h, off);
}

void csp_heap_free(struct csp_heap *h, uint64_t off)
{
    off -= HEADER;
    csp_lock_acquire(&h->lock, "heap");
    check_header(h, off);
    h->used_bytes -= size_of(at(h, off));
    put_back(h, off);
    csp_lock_release(&h->lock);
}

uint64_t csp_heap_end(struct csp_heap *h)
{
    csp_lock_acquire(&h->lock, "heap");
    uint64_t end = h->last_off + HEADER;
    csp_lock_release(&h->lock);
    return end;
}

void csp_heap_extend(struct csp_heap *h, uint64_t end)
{
    csp_lock_acquire(&h->lock, "heap");
    uint64_t last_off = end / UNIT * UNIT - HEADER, old_off = h->last_off;
    if (last_off > old_off) {
        at(h, last_off)->tag = mark_magic | mark_used;
        set_block(h, old_off, last_off - old_off, mark_used); // what closed the row becomes a block
        h->last_off = last_off;
        put_back(h, old_off);
    }
    csp_lock_release(&h->lock);
}

void csp_heap_usage(struct csp_heap *h, uint64_t *used_bytes, uint64_t *peak_bytes)
{
    csp_lock_acquire(&h->lock, "heap");
    *used_bytes = h->used_bytes;
    *peak_bytes = h->peak_bytes;
    csp_lock_release(&h->lock);
}
