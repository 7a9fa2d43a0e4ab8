// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Functions of MPI-1 that headers no longer have and libraries do: attributes and error handlers see the program's
// MPI_COMM_WORLD, also in the program's functions.
#include "csp_test.h"
#include <dlfcn.h>

typedef int copy_fn(MPI_Comm, int, void *, void *, void *, int *);
typedef int delete_fn(MPI_Comm, int, void *, void *);
typedef void error_fn(MPI_Comm *, int *, ...);

static struct {
    int (*keyval_create)(copy_fn *, delete_fn *, int *, void *);
    int (*keyval_free)(int *);
    int (*attr_put)(MPI_Comm, int, void *);
    int (*attr_get)(MPI_Comm, int, void *, int *);
    int (*attr_delete)(MPI_Comm, int);
} attr;

static struct {
    int (*create)(error_fn *, MPI_Errhandler *);
    int (*set)(MPI_Comm, MPI_Errhandler);
    int (*get)(MPI_Comm, MPI_Errhandler *);
} errhandler;

// @return whether the library has it.
static int find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static int copies, deletes, errors;

static void check_world(MPI_Comm comm)
{
    int size = -1;
    CHECK(comm == MPI_COMM_WORLD);
    MPI_Comm_size(comm, &size);
    CHECK_INT(size, csp_test_size);
}

static int on_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)keyval;
    CHECK(extra == &copies);
    check_world(comm);
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval, (void)value, (void)extra;
    if (deletes++)
        check_world(comm); // the first is the duplicate's
    return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    CHECK_INT(class, MPI_ERR_RANK);
    check_world(*comm);
    errors++;
}

static void attributes(void)
{
    int key, flag = -1, value = 3, *got = NULL;
    MPI_Comm dup;
    PHASE("attributes");
    attr.attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &got, &flag);
    CHECK(flag && *got >= 32767);
    attr.keyval_create(on_copy, on_delete, &key, &copies);
    attr.attr_get(MPI_COMM_WORLD, key, &got, &flag);
    CHECK_INT(flag, 0);
    attr.attr_put(MPI_COMM_WORLD, key, &value);
    attr.attr_get(MPI_COMM_WORLD, key, &got, &flag);
    CHECK(flag && got == &value);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK_INT(copies, 1);
    MPI_Comm_free(&dup);
    CHECK_INT(deletes, 1);
    attr.attr_delete(MPI_COMM_WORLD, key);
    CHECK_INT(deletes, 2);
    attr.attr_get(MPI_COMM_WORLD, key, &got, &flag);
    CHECK_INT(flag, 0);
    attr.keyval_free(&key);
}

static void error_handlers(void)
{
    MPI_Errhandler mine, got;
    int value = 0;
    PHASE("error handlers");
    errhandler.create(on_error, &mine);
    errhandler.set(MPI_COMM_WORLD, mine);
    errhandler.get(MPI_COMM_WORLD, &got);
    CHECK(got == mine);
    MPI_Errhandler_free(&got);
    MPI_Errhandler_free(&mine);
    MPI_Send(&value, 1, MPI_INT, csp_test_size, 0, MPI_COMM_WORLD); // a ghost's rank
    CHECK_INT(errors, 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(void)
{
    csp_test_init();
    int attributes_are =
        find(&attr.keyval_create, "MPI_Keyval_create") &&
        find(&attr.keyval_free, "MPI_Keyval_free") && find(&attr.attr_put, "MPI_Attr_put") &&
        find(&attr.attr_get, "MPI_Attr_get") && find(&attr.attr_delete, "MPI_Attr_delete");
    int handlers_are = find(&errhandler.create, "MPI_Errhandler_create") &&
                       find(&errhandler.set, "MPI_Errhandler_set") &&
                       find(&errhandler.get, "MPI_Errhandler_get");
    if (!attributes_are && !handlers_are)
        csp_test_skip("the library has no functions of MPI-1");
    if (attributes_are)
        attributes();
    if (handlers_are)
        error_handlers();
    return csp_test_done();
}
