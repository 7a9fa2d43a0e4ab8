// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The operations that the benchmarks measure, with the check of every value that they move. The
// target's array holds T[i], the origin's array O[i]; k operations later both sides know what the
// target and the last result must hold. Elements outside the shape must never change.
#ifndef BENCH_OPS_H
#define BENCH_OPS_H

#include <mpi.h>
#include <stdint.h>

enum op_kind { OP_PUT, OP_GET, OP_ACC, OP_GET_ACC, OP_FOP, OP_CAS };

// A cube of doubles: SUB elements in each direction, at START, inside one with CUBE in each.
enum { OP_CUBE = 64, OP_SUB = 32, OP_START = 5 };
// Elements of the window: as many as the cube, or 2 MB.
enum { OP_WINDOW_COUNT = OP_CUBE * OP_CUBE * OP_CUBE };

struct op_case {
    const char *name;
    enum op_kind kind;
    long count; // doubles, or 0 for the strided cube
};

struct op_state {
    struct op_case what;
    MPI_Win win;
    int target;
    MPI_Aint disp;      // of the target's array: its address in a dynamic window
    MPI_Datatype type;  // of count = 1, at origin and target
    long done_count;    // operations so far
    double *window;     // OP_WINDOW_COUNT elements of this process in the window
    double *memory;     // the same if it is ours
    double *origin;     // O[]
    double *result;     // what GET, GET_ACC, FOP, CAS brought back
    int64_t compare;    // CAS
    int64_t origin_int; // FOP, CAS
    int64_t result_int; //
};

/**
 * Collective: a window of OP_WINDOW_COUNT doubles, locked for all, and the origin's buffers. The
 * variable BENCH_WINDOW says how it is made: allocate (default), create, alloc_mem (create on memory of MPI_Alloc_mem), dynamic.
 */
void op_open(struct op_state *s, int target);
void op_close(struct op_state *s);

/** Local: fills window and buffers for a series of one operation. A barrier must follow. */
void op_begin(struct op_state *s, struct op_case what);
void op_end(struct op_state *s);

/** Origin: starts the next operation. The caller flushes. */
void op_issue(struct op_state *s);

/** Origin, after the flush: number of wrong values in what the last operation brought back. */
long op_check_result(const struct op_state *s);
/** Target, after the series and a barrier: number of wrong values in its window. */
long op_check_window(const struct op_state *s, long done_count);

long op_bytes(struct op_case what);
const char *op_shape(struct op_case what); // "contiguous", "strided"

#endif
