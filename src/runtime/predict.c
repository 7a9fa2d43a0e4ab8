// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/predict.h"

#include <stdlib.h>
#include "adapt/adapt.h"
#include "runtime/node.h"

// By default.
static const uint64_t PROFILE_NS = 1000000000, ALTERNATE_NS = 200000;

struct csp_predictions csp_predictions;

uint64_t csp_predict_interval_ns(void)
{
    if (csp_config.predict_int)
        return (uint64_t)csp_config.predict_int * 1000;
    if (csp_config.auto_method == CSP_CONFIG_AUTO_METHOD_ALTERNATE)
        return ALTERNATE_NS;
    return csp_predict_used() ? PROFILE_NS : CSP_ADAPT_INTERVAL_NS;
}

void csp_predict_start(void)
{
    int nnodes = csp_rt.topo->nnodes;
    if (!csp_predict_used())
        return;
    int32_t *first = calloc((size_t)nnodes + 1, sizeof(*first));
    CSP_CHECK(first, "out of memory in MPI_Init");
    for (int i = 0; i < nnodes; i++)
        first[i + 1] = first[i] + csp_topo_users_of_node(csp_rt.topo)[i];
    csp_predictions.first = first;
    csp_predictions.off = (_Atomic uint8_t *)csp_rt.pool.base + csp_rt.page->predictions_off;
}

void csp_predict_stop(void)
{
    free((void *)csp_predictions.first);
    csp_predictions = (struct csp_predictions){NULL, NULL};
}
