// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Hints of CasperII (III-C, IV-C): kept with the communicator and told, and nothing else; docs/design/twosided.md says why.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "casper/casper.h"
#include "p2p/p2p.h"
#include "p2p/p2p_comm.h"
#include "runtime/detours.h"
#include "runtime/info.h"
#include "runtime/rt.h"

// A value is one of the words, or several with bars or commas between them; without words a number of bytes.
static const struct hint {
    const char *key;
    const char *words[4]; // the last is NULL
} hints[] = {
    {CASPER_INFO_WILDCARD_USED, {"any_src", "any_tag_same_tag", "none"}},
    {CASPER_INFO_SHMBUF_REGIST, {"true", "false"}},
    {CASPER_INFO_OFFLOAD_MIN_MSGSZ, {NULL}},
};

enum { HINTS = sizeof(hints) / sizeof(hints[0]) };

// What a communicator was given; empty: not that one.
struct given {
    char text[HINTS][CSP_INFO_VALUE_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;

static int on_free(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

static int all_words(const struct hint *h, const char *text)
{
    for (size_t n; *text; text += n + (text[n] != 0)) {
        n = strcspn(text, "|,");
        if (csp_info_find(h->words, text, n) < 0)
            return 0;
    }
    return 1;
}

static int known(const struct hint *h, const char *text)
{
    return *text && (h->words[0] ? all_words(h, text) : !text[strspn(text, "0123456789")]);
}

static struct given *given_to(MPI_Comm comm)
{
    struct given *g = NULL;
    int flag = 0;
    if (keyval == MPI_KEYVAL_INVALID ||
        csp_mpi.Comm_get_attr(comm, keyval, (void *)&g, &flag) != MPI_SUCCESS || !flag)
        return NULL;
    return g;
}

// Under the lock.
static struct given *make(MPI_Comm comm)
{
    struct given *g = calloc(1, sizeof(*g));
    CSP_CHECK(g, "out of memory for a communicator");
    if (keyval == MPI_KEYVAL_INVALID)
        csp_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval, NULL);
    int rc = csp_mpi.Comm_set_attr(comm, keyval, g);
    CSP_CHECK(rc == MPI_SUCCESS, "the MPI library could not keep an attribute of a communicator");
    return g;
}

static void keep(MPI_Comm comm, int i, const char *text)
{
    pthread_mutex_lock(&lock);
    struct given *g = given_to(comm);
    if (!g)
        g = make(comm);
    memcpy(g->text[i], text, strlen(text) + 1);
    pthread_mutex_unlock(&lock);
}

void csp_p2p_hints_keep(MPI_Comm comm, MPI_Info info)
{
    char text[CSP_INFO_VALUE_BYTES];
    if (!csp_detour(CSP_BY_P2P) || comm == MPI_COMM_NULL)
        return;
    for (int i = 0; i < HINTS; i++) {
        if (!csp_info_get(info, hints[i].key, text))
            continue;
        if (known(&hints[i], text))
            keep(comm, i, text);
        else
            csp_info_refuse(hints[i].key, text);
    }
}

void csp_p2p_comm_new(MPI_Comm comm, MPI_Info info)
{
    csp_p2p_comm_made(comm, info);
    csp_p2p_hints_keep(comm, info);
}

static int put_hints(MPI_Comm comm, MPI_Info info)
{
    int rc = MPI_SUCCESS;
    pthread_mutex_lock(&lock);
    const struct given *g = given_to(comm);
    for (int i = 0; g && i < HINTS && rc == MPI_SUCCESS; i++)
        if (g->text[i][0])
            rc = csp_mpi.Info_set(info, hints[i].key, g->text[i]);
    pthread_mutex_unlock(&lock);
    return rc;
}

int csp_p2p_comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    int rc = csp_mpi.Comm_get_info(comm, info);
    if (!csp_detour(CSP_BY_P2P) || rc != MPI_SUCCESS)
        return rc;
    const struct csp_p2p_comm *c = csp_p2p_comm_find(comm);
    rc = csp_mpi.Info_set(*info, CASPER_INFO_P2P, !c ? "off" : c->flow ? "auto" : "on");
    return csp_p2p_raise(comm, rc == MPI_SUCCESS ? put_hints(comm, *info) : rc);
}
