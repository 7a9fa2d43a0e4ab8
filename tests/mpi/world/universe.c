// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_UNIVERSE_SIZE and what MPI_INFO_ENV says of the number of processes count the application
// alone, when they are given at all. The runner knows the one for most libraries; where it does not,
// Open MPI's environment tells it, with the ghosts.
#include "csp_test.h"

static void check_number(MPI_Info info, const char *key)
{
    char text[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, &flag);
    if (flag)
        CHECK_INT(atoi(text), csp_test_users());
}

static int number(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

// @return 0 if nobody knows.
static int universe(void)
{
    int slots = number("OMPI_UNIVERSE_SIZE");
    if (number("CASPER_TEST_UNIVERSE"))
        return number("CASPER_TEST_UNIVERSE");
    return slots ? slots - number("CASPER_TEST_GHOSTS") * number("CASPER_TEST_NODES") : 0;
}

int main(void)
{
    csp_test_init();
    int *value, flag = 0;
    char text[MPI_MAX_INFO_VAL + 1] = "";
    static const char *const keys[] = {"maxprocs", "soft", "ompi_np"};
    MPI_Info copy, fresh = MPI_INFO_NULL;
    MPI_Info_dup(MPI_INFO_ENV, &copy);
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
    MPI_Info_create_env(0, NULL, &fresh);
#endif
    for (int i = 0; i < 3 && csp_test_users(); i++) {
        check_number(MPI_INFO_ENV, keys[i]);
        check_number(copy, keys[i]);
        if (fresh != MPI_INFO_NULL)
            check_number(fresh, keys[i]);
    }
    MPI_Info_free(&copy);
    if (fresh != MPI_INFO_NULL)
        MPI_Info_free(&fresh);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
    if (universe()) {
        CHECK(flag);
        CHECK_INT(flag ? *value : -1, universe());
    } else if (flag) {
        CHECK(*value >= csp_test_size);
    }
    int nkeys = -1;
    MPI_Info_get_nkeys(MPI_INFO_ENV, &nkeys);
    CHECK(nkeys >= 0);
    for (int i = 0; i < nkeys; i++) {
        char key[MPI_MAX_INFO_KEY + 1];
        MPI_Info_get_nthkey(MPI_INFO_ENV, i, key);
        MPI_Info_get(MPI_INFO_ENV, key, MPI_MAX_INFO_VAL, text, &flag);
        CHECK(flag);
    }
    return csp_test_done();
}
