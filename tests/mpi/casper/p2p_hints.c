// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Hints of the first CasperII: taken with each value, told by MPI_Comm_get_info, and without effect on messages: programs that
// do not keep what they promise (no wildcards) get theirs, too.
#include "casper_only.h"

static const struct {
    const char *key, *value;
} hints[] = {
    {"wildcard_used", "any_src"},
    {"wildcard_used", "any_tag_same_tag"},
    {"wildcard_used", "any_src|any_tag_same_tag"},
    {"wildcard_used", "none"},
    {"shmbuf_regist", "true"},
    {"shmbuf_regist", "false"},
    {"offload_min_msgsz", "0"},
    {"offload_min_msgsz", "8192"},
};
enum { HINTS = sizeof(hints) / sizeof(*hints), INTS = 5000 };

// What is in force; "" without the key.
static const char *told(MPI_Comm comm, const char *key)
{
    static char text[100];
    int flag = 0;
    MPI_Info info;
    CHECK_INT(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
    MPI_Info_get(info, key, sizeof(text) - 1, text, &flag);
    MPI_Info_free(&info);
    return flag ? text : "";
}

static void check_told(MPI_Comm comm, const char *key, const char *value)
{
    CHECK(strcmp(told(comm, key), value) == 0);
}

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

// By wildcards and without, small and large, in the order in which they were sent.
static void messages(MPI_Comm comm)
{
    static int in[INTS], out[INTS];
    const int next = (csp_test_rank + 1) % csp_test_size;
    const int last = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    const int sizes[] = {1, INTS, 10, INTS};
    MPI_Request r[4];
    MPI_Status s;
    for (int i = 0; i < 4; i++) {
        out[0] = i;
        MPI_Isend(out, sizes[i], MPI_INT, next, 3, comm, &r[i]);
        MPI_Recv(in, INTS, MPI_INT, i % 2 ? last : MPI_ANY_SOURCE, i < 2 ? MPI_ANY_TAG : 3, comm,
                 &s);
        CHECK_INT(in[0], i);
        CHECK_INT(s.MPI_SOURCE, last);
        CHECK_INT(s.MPI_TAG, 3);
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
    }
}

static void with_hint(const char *key, const char *value)
{
    MPI_Info info = info_of(key, value);
    MPI_Comm made, copy;
    PHASE(key);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
    check_told(made, key, value);
    check_told(made, "casper_p2p", "on");
    messages(made);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    check_told(copy, key, "");
    MPI_Comm_set_info(copy, info);
    check_told(copy, key, value);
    messages(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&made);
    MPI_Info_free(&info);
}

static void what_is_in_force(void)
{
    MPI_Info off = info_of("casper_p2p", "off"), on = info_of("casper_p2p", "on");
    MPI_Info all = info_of("wildcard_used", "none"), unknown = info_of("wildcard_used", "some");
    PHASE("what is in force");
    check_told(MPI_COMM_WORLD, "casper_p2p", "on");
    check_told(MPI_COMM_SELF, "casper_p2p", "off");
    MPI_Comm_set_info(MPI_COMM_WORLD, off);
    check_told(MPI_COMM_WORLD, "casper_p2p", "off");
    MPI_Info_set(all, "shmbuf_regist", "true");
    MPI_Comm_set_info(MPI_COMM_WORLD, all);
    MPI_Comm_set_info(MPI_COMM_WORLD, on);
    MPI_Comm_set_info(MPI_COMM_WORLD, unknown);
    check_told(MPI_COMM_WORLD, "casper_p2p", "on");
    check_told(MPI_COMM_WORLD, "wildcard_used", "none");
    check_told(MPI_COMM_WORLD, "shmbuf_regist", "true");
    MPI_Info_free(&off);
    MPI_Info_free(&on);
    MPI_Info_free(&all);
    MPI_Info_free(&unknown);
}

int main(void)
{
    csp_test_init();
    casper_only();
    for (int i = 0; i < HINTS; i++)
        with_hint(hints[i].key, hints[i].value);
    what_is_in_force();
    return csp_test_done();
}
