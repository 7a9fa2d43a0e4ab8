// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Communicators: the world, its copies, all or some of its processes in another order.
#include "pr.h"

static void create(struct pr_comm *c)
{
    MPI_Group world, some;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, c->size, c->members, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &c->handle);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

static void make(struct pr_comm *c)
{
    if (c->kind == PR_WORLD)
        c->handle = MPI_COMM_WORLD;
    else if (c->kind == PR_DUP)
        MPI_Comm_dup(MPI_COMM_WORLD, &c->handle);
    else if (c->kind == PR_CREATE)
        create(c);
    else
        MPI_Comm_split(MPI_COMM_WORLD, c->me >= 0 ? 0 : MPI_UNDEFINED, c->me, &c->handle);
    if (c->handle != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(c->handle, MPI_ERRORS_RETURN);
}

void pr_comms_make(struct pr_program *p)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); // of some libraries' request calls
    for (int i = 0; i < p->ncomms; i++) {
        p->comms[i].passing = MPI_COMM_NULL;
        make(&p->comms[i]);
    }
}

void pr_comms_free(struct pr_program *p)
{
    for (int i = 0; i < p->ncomms; i++)
        if (p->comms[i].kind != PR_WORLD && p->comms[i].handle != MPI_COMM_NULL)
            MPI_Comm_free(&p->comms[i].handle);
}

MPI_Comm pr_comm_of(const struct pr_pool *pool)
{
    const struct pr_comm *c = pool->comm;
    return c->passing != MPI_COMM_NULL ? c->passing : c->handle;
}
