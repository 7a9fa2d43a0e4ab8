// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See ops.h. All values are small integers, so that sums of doubles are exact.
#include "ops.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const double poison = -12345.0;

static double initial_target(long i)
{
    return (double)(i % 1000 + 1);
}

static double initial_origin(long i)
{
    return (double)(3 * (i % 7) + 5);
}

static int in_sub(long i)
{
    return i >= OP_START && i < OP_START + OP_SUB;
}

static int in_shape(struct op_case what, long i)
{
    if (what.count > 0)
        return i < what.count;
    return in_sub(i % OP_CUBE) && in_sub(i / OP_CUBE % OP_CUBE) && in_sub(i / (OP_CUBE * OP_CUBE));
}

static int is_int(const struct op_state *s)
{
    return s->what.kind == OP_FOP || s->what.kind == OP_CAS;
}

long op_bytes(struct op_case what)
{
    return (long)sizeof(double) * (what.count > 0 ? what.count : OP_SUB * OP_SUB * OP_SUB);
}

const char *op_shape(struct op_case what)
{
    return what.count > 0 ? "contiguous" : "strided";
}

static int is_kind(const char *kind)
{
    const char *wanted = getenv("BENCH_WINDOW");
    return strcmp(wanted ? wanted : "allocate", kind) == 0;
}

static void open_window(struct op_state *s, MPI_Aint bytes)
{
    if (is_kind("allocate")) {
        MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &s->window, &s->win);
        return;
    }
    if (is_kind("alloc_mem"))
        MPI_Alloc_mem(bytes, MPI_INFO_NULL, &s->window);
    else
        s->window = malloc((size_t)bytes);
    s->memory = s->window;
    if (s->window == NULL)
        bench_die("no memory for the window");
    if (is_kind("create") || is_kind("alloc_mem")) {
        MPI_Win_create(s->window, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &s->win);
    } else if (is_kind("dynamic")) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &s->win);
        MPI_Win_attach(s->win, s->window, bytes);
        MPI_Get_address(s->window, &s->disp);
        MPI_Bcast(&s->disp, 1, MPI_AINT, s->target, MPI_COMM_WORLD);
    } else {
        bench_die("BENCH_WINDOW is allocate, create, alloc_mem or dynamic");
    }
}

void op_open(struct op_state *s, int target)
{
    const size_t bytes = OP_WINDOW_COUNT * sizeof(double);
    memset(s, 0, sizeof *s);
    s->target = target;
    s->type = MPI_DATATYPE_NULL;
    s->origin = malloc(bytes);
    s->result = malloc(bytes);
    if (s->origin == NULL || s->result == NULL)
        bench_die("no memory for the buffers");
    open_window(s, (MPI_Aint)bytes);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, s->win);
}

void op_close(struct op_state *s)
{
    MPI_Win_unlock_all(s->win);
    if (is_kind("dynamic"))
        MPI_Win_detach(s->win, s->memory);
    MPI_Win_free(&s->win);
    if (is_kind("alloc_mem"))
        MPI_Free_mem(s->memory);
    else
        free(s->memory);
    free(s->origin);
    free(s->result);
}

static MPI_Datatype make_type(struct op_case what)
{
    const int sizes[3] = {OP_CUBE, OP_CUBE, OP_CUBE};
    const int subsizes[3] = {OP_SUB, OP_SUB, OP_SUB};
    const int starts[3] = {OP_START, OP_START, OP_START};
    MPI_Datatype type;
    if (what.count > 0)
        MPI_Type_contiguous((int)what.count, MPI_DOUBLE, &type);
    else
        MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

void op_begin(struct op_state *s, struct op_case what)
{
    s->what = what;
    s->done_count = 0;
    s->type = make_type(what);
    for (long i = 0; i < OP_WINDOW_COUNT; i++) {
        s->window[i] = initial_target(i);
        s->origin[i] = initial_origin(i);
        s->result[i] = poison;
    }
    if (is_int(s))
        ((int64_t *)s->window)[0] = 7;
    MPI_Win_sync(s->win);
}

void op_end(struct op_state *s)
{
    MPI_Type_free(&s->type);
}

// Contiguous data as most programs pass it: count elements of the basic type.
static void issue_array(struct op_state *s)
{
    const int n = s->what.count > 0 ? (int)s->what.count : 1;
    const MPI_Datatype t = s->what.count > 0 ? MPI_DOUBLE : s->type;
    switch (s->what.kind) {
    case OP_PUT:
        MPI_Put(s->origin, n, t, s->target, s->disp, n, t, s->win);
        break;
    case OP_GET:
        MPI_Get(s->result, n, t, s->target, s->disp, n, t, s->win);
        break;
    case OP_ACC:
        MPI_Accumulate(s->origin, n, t, s->target, s->disp, n, t, MPI_SUM, s->win);
        break;
    default:
        MPI_Get_accumulate(s->origin, n, t, s->result, n, t, s->target, s->disp, n, t, MPI_SUM,
                           s->win);
    }
}

void op_issue(struct op_state *s)
{
    s->result_int = (int64_t)poison;
    if (s->what.kind == OP_FOP) {
        s->origin_int = 3;
        MPI_Fetch_and_op(&s->origin_int, &s->result_int, MPI_INT64_T, s->target, s->disp, MPI_SUM,
                         s->win);
    } else if (s->what.kind == OP_CAS) {
        s->compare = 7 + 3 * s->done_count;
        s->origin_int = s->compare + 3;
        MPI_Compare_and_swap(&s->origin_int, &s->compare, &s->result_int, MPI_INT64_T, s->target,
                             s->disp, s->win);
    } else {
        issue_array(s);
    }
    s->done_count++;
}

static double expected_target(const struct op_state *s, long i, long done_count)
{
    if (!in_shape(s->what, i) || done_count == 0 || s->what.kind == OP_GET)
        return initial_target(i);
    if (s->what.kind == OP_PUT)
        return initial_origin(i);
    return initial_target(i) + (double)done_count * initial_origin(i);
}

static double expected_result(const struct op_state *s, long i)
{
    if (!in_shape(s->what, i) || s->what.kind == OP_PUT || s->what.kind == OP_ACC)
        return poison;
    return expected_target(s, i, s->done_count - 1);
}

long op_check_result(const struct op_state *s)
{
    long errors = 0;
    if (is_int(s))
        return s->result_int != 7 + 3 * (s->done_count - 1);
    for (long i = 0; i < OP_WINDOW_COUNT; i++)
        errors += s->result[i] != expected_result(s, i);
    return errors;
}

long op_check_window(const struct op_state *s, long done_count)
{
    long errors = 0;
    long first = 0;
    MPI_Win_sync(s->win);
    if (is_int(s)) {
        errors = ((const int64_t *)s->window)[0] != 7 + 3 * done_count;
        first = 1;
    }
    for (long i = first; i < OP_WINDOW_COUNT; i++)
        errors += s->window[i] != expected_target(s, i, is_int(s) ? 0 : done_count);
    return errors;
}
