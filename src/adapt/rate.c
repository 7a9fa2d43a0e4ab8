// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/rate.h"

int csp_rate_step(struct csp_rate *r, const struct csp_rate_config *config, uint64_t now_ns,
                  uint64_t mpi_ns)
{
    uint64_t all_ns = now_ns - r->begin_ns, in_ns = mpi_ns > r->mpi_ns ? mpi_ns - r->mpi_ns : 0;
    if (now_ns < r->begin_ns || all_ns < config->interval_ns || all_ns == 0)
        return 0;
    int before = r->off;
    double percent = in_ns >= all_ns ? 100 : (double)in_ns * 100 / (double)all_ns;
    r->percent = (int)percent;
    if (percent > config->high_percent)
        r->off = 1;
    else if (percent < config->low_percent)
        r->off = 0;
    r->begin_ns = now_ns;
    r->mpi_ns = mpi_ns;
    return r->off != before;
}
