// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Attributes that are still set at the end: delete functions of MPI_COMM_SELF run in MPI_Finalize,
// in reverse order, while MPI still works; a library's clean-up depends on that.
#include "csp_test.h"

static int order;
static char seen[8];

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval;
    (void)extra;
    int finalized = 1, size = -1;
    MPI_Finalized(&finalized);
    CHECK(!finalized);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_INT(size, csp_test_size);
    CHECK(comm == MPI_COMM_SELF);
    seen[order++] = *(char *)value;
    return MPI_SUCCESS;
}

int main(void)
{
    csp_test_init();
    static char values[] = "abc";
    int keys[3];
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keys[i], NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], &values[i]);
    }
    int code = csp_test_done();
    CHECK_INT(order, 3);
    CHECK_STR(seen, "cba");
    return code || atomic_load(&csp_test_errors);
}
