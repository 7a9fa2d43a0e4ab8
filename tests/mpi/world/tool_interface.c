// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The MPI tool information interface before, during and after MPI; variables that belong to a
// communicator take MPI_COMM_WORLD, and Open MPI's queues have a value for each process of it.
#include "csp_test.h"

static void read_comm_pvars(void)
{
    int n = 0, queues = 0;
    MPI_T_pvar_session session;
    MPI_T_pvar_get_num(&n);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < n; i++) {
        char name[256], desc[256];
        int name_len = sizeof name, desc_len = sizeof desc, verbosity, class, bind, read_only;
        int continuous, atomic, count;
        MPI_Datatype type;
        MPI_T_enum values;
        MPI_T_pvar_handle handle;
        MPI_Comm comm = MPI_COMM_WORLD;
        if (MPI_T_pvar_get_info(i, name, &name_len, &verbosity, &class, &type, &values, desc,
                                &desc_len, &bind, &read_only, &continuous,
                                &atomic) != MPI_SUCCESS ||
            bind != MPI_T_BIND_MPI_COMM)
            continue;
        if (MPI_T_pvar_handle_alloc(session, i, &comm, &handle, &count) == MPI_SUCCESS) {
            CHECK(count >= 0);
            if (strncmp(name, "pml_ob1_", 8) == 0) {
                CHECK_INT(count, csp_test_size);
                queues++;
            }
            MPI_T_pvar_handle_free(session, &handle);
        }
    }
    MPI_T_pvar_session_free(&session);
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int version_len;
    MPI_Get_library_version(version, &version_len);
    CHECK(queues > 0 || strncmp(version, "Open MPI", 8) != 0);
}

int main(void)
{
    int provided, cvars = -1, categories = -1;
    CHECK_INT(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    MPI_T_cvar_get_num(&cvars);
    CHECK(cvars >= 0);
    csp_test_init();
    MPI_T_category_get_num(&categories);
    CHECK(categories >= 0);
    read_comm_pvars();
    int code = csp_test_done();
    MPI_T_cvar_get_num(&cvars);
    CHECK(cvars >= 0);
    CHECK_INT(MPI_T_finalize(), MPI_SUCCESS);
    return code || atomic_load(&csp_test_errors);
}
