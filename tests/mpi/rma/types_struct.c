// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Put and MPI_Get of a C structure with padding: members arrive, padding at the target stays.
#include <stddef.h>
#include "csp_test_rma.h"

struct particle {
    char tag;
    double x[3];
    short kind;
    int id;
};

enum { N = 10 };

static MPI_Datatype particle_type(void)
{
    const int lengths[] = {1, 3, 1, 1};
    const MPI_Aint displs[] = {offsetof(struct particle, tag), offsetof(struct particle, x),
                               offsetof(struct particle, kind), offsetof(struct particle, id)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT};
    MPI_Datatype raw, type;
    MPI_Type_create_struct(4, lengths, displs, types, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&raw);
    return type;
}

static void make(struct particle *p, int rank, int i)
{
    p->tag = (char)('a' + i);
    for (int d = 0; d < 3; d++)
        p->x[d] = rank + i * 0.25 + d;
    p->kind = (short)(rank * 10 + i);
    p->id = rank * 1000 + i;
}

static void check(const struct particle *p, int rank, int i)
{
    struct particle want;
    csp_test_poison(&want, sizeof want);
    make(&want, rank, i);
    CHECK_INT(p->tag, want.tag);
    CHECK_INT(p->kind, want.kind);
    CHECK_INT(p->id, want.id);
    for (int d = 0; d < 3; d++)
        CHECK(p->x[d] == want.x[d]);
    CHECK(csp_test_is_poison((const char *)p + 1, offsetof(struct particle, x) - 1));
}

int main(void)
{
    csp_test_init();
    struct particle src[N], got[N];
    MPI_Win win;
    MPI_Datatype type = particle_type();
    struct particle *base = csp_test_win_new(sizeof src, sizeof *src, MPI_COMM_WORLD, &win);
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    memset(src, 0, sizeof src);
    for (int i = 0; i < N; i++)
        make(&src[i], csp_test_rank, i);
    FOR_EACH_EPOCH(kind)
    {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof src, CSP_TEST_POISON);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        MPI_Put(src, N, type, to, 0, N, type, win);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            check(&base[i], from, i);
        csp_test_poison(got, sizeof got);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        MPI_Get(got, N, type, to, 0, N, type, win);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            check(&got[i], csp_test_rank, i);
    }
    MPI_Type_free(&type);
    MPI_Win_free(&win);
    return csp_test_done();
}
