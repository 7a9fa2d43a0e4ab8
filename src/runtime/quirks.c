// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/quirks.h"

#include <stdlib.h>
#include <string.h>
#include "runtime/rt.h"

enum { WEAK_PUT_BYTES = 4096 }; // well above what a provider injects

struct csp_quirks csp_quirks;

// MPICH and its kin over libfabric. A build for several networks says "ch4:ucx ofi"; the first is
// the default, MPIR_CVAR_CH4_NETMOD chooses.
static int over_libfabric(const char *version)
{
    if (strstr(version, "Intel(R) MPI"))
        return 1;
    const char *device = strstr(version, "ch4:"), *netmod = getenv("MPIR_CVAR_CH4_NETMOD");
    if (!device)
        return 0;
    if (netmod && *netmod)
        return strcmp(netmod, "ofi") == 0;
    return strncmp(device, "ch4:ofi", 7) == 0;
}

void csp_quirks_detect(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int len = 0;
    csp_mpi.Get_library_version(version, &len);
    int weak = csp_config.confirm_put == CSP_CONFIG_CONFIRM_PUT_ON ||
               (csp_config.confirm_put == CSP_CONFIG_CONFIRM_PUT_AUTO && over_libfabric(version));
    csp_quirks.weak_put_bytes = weak ? WEAK_PUT_BYTES : 0;
}
