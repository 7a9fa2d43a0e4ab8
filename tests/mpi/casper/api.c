// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The public interface, by a program that is linked to libcasper: version, activity, ghosts, nodes;
// before, during and after MPI.
#include "casper/casper.h"
#include "casper_only.h"

int main(void)
{
    CHECK_STR(casper_version(), CASPER_VERSION_STRING);
    CHECK_INT(casper_active(), 0);
    CHECK_INT(casper_ghosts_per_node(), 0);
    CHECK_INT(casper_nodes(), 0);
    csp_test_init();
    int ghosts = casper_only_ghosts();
    const char *nodes = getenv("CASPER_TEST_NODES");
    CHECK_INT(casper_active(), ghosts > 0);
    CHECK_INT(casper_ghosts_per_node(), ghosts);
    if (ghosts && nodes)
        CHECK_INT(casper_nodes(), atoi(nodes));
    int code = csp_test_done();
    CHECK_INT(casper_active(), 0);
    CHECK_STR(casper_version(), CASPER_VERSION_STRING);
    return code || atomic_load(&csp_test_errors);
}
