// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Comm_split_type by hardware and by resource: the parts add up to the application's ranks that
// are in one, in the order of the key; shared memory by its name is MPI_COMM_TYPE_SHARED; what nobody
// knows gives MPI_COMM_NULL; unguided splits go down to it by proper subsets. MPI-4.1 7.4.2.
#include "csp_test.h"

#if defined(MPI_COMM_TYPE_HW_GUIDED) || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
static MPI_Comm node;

// Every rank of `parent` calls it, with what it got.
static void check_parts(MPI_Comm parent, MPI_Comm part, const char *what)
{
    int me, size = 0, rank = -1, all[256], mine[2] = {0, 0}, sum[2];
    PHASE(what);
    MPI_Comm_rank(parent, &me);
    if (part != MPI_COMM_NULL) {
        MPI_Comm_size(part, &size);
        MPI_Comm_rank(part, &rank);
        mine[0] = rank == 0 ? size : 0;
        mine[1] = 1;
        CHECK(size >= 1 && size <= csp_test_size);
        MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, part);
        for (int i = 1; i < size; i++)
            CHECK_MSG(all[i] < all[i - 1], "%s: not ordered by the key", what);
    }
    MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, parent);
    CHECK_MSG(sum[0] == sum[1], "%s: parts of %d ranks, but %d are in one", what, sum[0], sum[1]);
}

static MPI_Comm split(MPI_Comm parent, int type, const char *key, const char *value)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm part = MPI_COMM_WORLD;
    int me;
    if (key) {
        MPI_Info_create(&info);
        MPI_Info_set(info, key, value);
    }
    MPI_Comm_rank(parent, &me);
    MPI_Comm_split_type(parent, type, -me, info, &part);
    if (key)
        MPI_Info_free(&info);
    check_parts(parent, part, value ? value : "no info");
    return part;
}

static void release(MPI_Comm *part)
{
    if (*part != MPI_COMM_NULL)
        MPI_Comm_free(part);
}

static void guided(void)
{
    static const char *const names[] = {"Machine", "Package", "NUMANode", "L3Cache", "Core", "PU"};
    const char *key = "mpi_hw_resource_type";
    int same = -1, size, node_size;
    MPI_Comm part = split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, key, "mpi_shared_memory");
    if (part != MPI_COMM_NULL) {
        MPI_Comm_compare(part, node, &same);
        CHECK_INT(same, MPI_CONGRUENT);
    }
    CHECK(part != MPI_COMM_NULL);
    release(&part);
    MPI_Comm_size(node, &node_size);
    for (int i = 0; i < 6; i++) {
        part = split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, key, names[i]);
        if (part != MPI_COMM_NULL) {
            MPI_Comm_size(part, &size);
            CHECK_MSG(size <= node_size, "%s: %d of a node's %d ranks", names[i], size, node_size);
        }
        release(&part);
    }
    part = split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, key, "no such hardware");
    CHECK(part == MPI_COMM_NULL);
    part = split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, NULL, NULL);
    CHECK(part == MPI_COMM_NULL);
}

static void unguided(void)
{
    MPI_Comm parent = MPI_COMM_WORLD, part;
    int level = 0, size, part_size;
    for (; level < 20 && parent != MPI_COMM_NULL; level++) {
        part = split(parent, MPI_COMM_TYPE_HW_UNGUIDED, NULL, NULL);
        MPI_Comm_size(parent, &size);
        if (part != MPI_COMM_NULL) {
            MPI_Comm_size(part, &part_size);
            CHECK_MSG(part_size < size, "unguided: %d of %d ranks", part_size, size);
        }
        if (parent != MPI_COMM_WORLD)
            MPI_Comm_free(&parent);
        parent = part;
    }
    CHECK(parent == MPI_COMM_NULL);
}

int main(void)
{
    csp_test_init();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -csp_test_rank, MPI_INFO_NULL, &node);
    check_parts(MPI_COMM_WORLD, node, "shared memory");
    guided();
    unguided();
#ifdef MPI_COMM_TYPE_RESOURCE_GUIDED
    static const char *const psets[] = {"mpi://WORLD", "mpi://SELF", "no such set"};
    for (int i = 0; i < 3; i++) {
        MPI_Comm part =
            split(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", psets[i]);
        CHECK(i < 2 || part == MPI_COMM_NULL);
        release(&part);
    }
#endif
    MPI_Comm_free(&node);
    return csp_test_done();
}
#else
int main(void)
{
    csp_test_init();
    csp_test_skip("the library has no splits by hardware");
}
#endif
