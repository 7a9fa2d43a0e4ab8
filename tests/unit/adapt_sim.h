// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Runs the controller of src/adapt in an invented world: phases in which an operation costs so much with
// redirection and so much without, with noise. Time is virtual.
#ifndef CSP_TESTS_ADAPT_SIM_H
#define CSP_TESTS_ADAPT_SIM_H

#include "adapt/adapt.h"

enum { SIM_PHASES = 16 };

struct sim_phase {
    double ns[CSP_ADAPT_ROUTES]; // wall time of the program for each operation
    double best_s;               // how long the phase takes at the better route
    double per_call;   // operations between two calls of the controller; 0: as the world says
    double compute_ns; // before each call, and no cost of the operations
    double tail;       // where not 0: one call in ten takes so many times as long as the others
};

struct sim_world {
    struct sim_phase phase[SIM_PHASES];
    int nphases;
    double noise;    // of one call, as a share: 0.5 is between half and one and a half
    double per_call; // operations between two calls of the controller
    // How much more than usual an operation costs after a change of the route, as a share, and for how long.
    double stir, stir_s;
    uint64_t seed;
};

struct sim_result {
    double slower[SIM_PHASES]; // time over that of the better route, minus 1
    double slower_all;
    uint64_t switches, probes;
    double follow_s[SIM_PHASES]; // until the better route was chosen for good
};

void sim_run(const struct sim_world *world, const struct csp_adapt_config *config,
             struct sim_result *result);

#endif
