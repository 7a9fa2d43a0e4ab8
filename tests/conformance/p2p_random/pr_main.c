// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Random programs of sends and receives: what rnd_main.c calls.
#include "pr.h"

#define NAME_OF(feature) [PR_F_##feature - RND_F_OWN]

static const char *const features[PR_FEATURES - RND_F_OWN] = {
    NAME_OF(WILD_SOURCE) = "wild_source",
    NAME_OF(WILD_TAG) = "wild_tag",
    NAME_OF(PROBE) = "probe",
    NAME_OF(MPROBE) = "mprobe",
    NAME_OF(SYNC) = "sync",
    NAME_OF(BUFFERED) = "buffered",
    NAME_OF(READY) = "ready",
    NAME_OF(PERSISTENT) = "persistent",
    NAME_OF(SENDRECV) = "sendrecv",
    NAME_OF(ISENDRECV) = "isendrecv",
    NAME_OF(FREE) = "free",
    NAME_OF(CANCEL) = "cancel",
    NAME_OF(TRUNCATE) = "truncate",
    NAME_OF(NOBODY) = "nobody",
    NAME_OF(NATIVE) = "native",
    NAME_OF(RMA) = "rma",
    NAME_OF(LARGE) = "large",
    NAME_OF(COMMS) = "comms",
    NAME_OF(COMM_FREE) = "comm_free",
    NAME_OF(ISENDRECV_LATER) = "isendrecv_later",
    NAME_OF(GET_STATUS) = "get_status",
};
static struct pr_program *program;

static void plan(uint64_t seed)
{
    program = pr_plan(seed);
}

static void list(void)
{
    pr_list(program);
}

static uint64_t run(void)
{
    return pr_run(program);
}

static bool spoil(const char *what)
{
    pr_spoil_data = strcmp(what, "data") == 0;
    pr_spoil_order = strcmp(what, "order") == 0;
    return pr_spoil_data || pr_spoil_order;
}

const struct rnd_tester rnd_tester = {
    .features = features,
    .nfeatures = PR_FEATURES - RND_F_OWN,
    .phases = 5,
    .plan = plan,
    .list = list,
    .run = run,
    .spoil = spoil,
};
