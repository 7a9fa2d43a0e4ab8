// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/self_attrs.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include "base/log.h"
#include "runtime/mpi_table.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *keyvals, count, room; // in the order in which they were set

// Under the lock.
static void forget(int keyval)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (keyvals[i] != keyval)
            keyvals[kept++] = keyvals[i];
    count = kept;
}

void csp_self_attr_set(int keyval)
{
    pthread_mutex_lock(&lock);
    forget(keyval);
    if (count == room) {
        room = 2 * room + 8;
        int *larger = realloc(keyvals, (size_t)room * sizeof(*keyvals));
        CSP_CHECK(larger, "out of memory for an attribute");
        keyvals = larger;
    }
    keyvals[count++] = keyval;
    pthread_mutex_unlock(&lock);
}

void csp_self_attr_gone(int keyval)
{
    pthread_mutex_lock(&lock);
    forget(keyval);
    pthread_mutex_unlock(&lock);
}

// @return 0: there is none.
static int take_last(int *keyval)
{
    pthread_mutex_lock(&lock);
    int found = count > 0;
    if (found)
        *keyval = keyvals[--count];
    pthread_mutex_unlock(&lock);
    return found;
}

int csp_self_attrs_delete(void)
{
    int keyval, rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS && take_last(&keyval))
        rc = csp_mpi.Comm_delete_attr(MPI_COMM_SELF, keyval);
    return rc;
}
