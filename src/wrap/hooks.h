// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The hand-written halves of wrappers (classes hook, hook-ra and hook-all of policy.toml). They have the
// arguments and the meaning of the MPI function and see only calls of the program, never the
// library's own; but those of class hook-all. User role, any thread.
#ifndef CSP_WRAP_HOOKS_H
#define CSP_WRAP_HOOKS_H

#include "p2p/p2p.h"
#include "runtime/rt.h"

/** The program's MPI_COMM_WORLD is the user world; any other communicator is what it is. */
static inline MPI_Comm csp_hook_comm(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? csp_user_world : comm;
}

/** The way back, for communicators that the library hands to a callback. */
static inline MPI_Comm csp_hook_program_comm(MPI_Comm comm)
{
    return comm == csp_user_world ? MPI_COMM_WORLD : comm;
}

// hooks_abort.c
int csp_rt_abort(MPI_Comm comm, int errorcode);

// hooks_spawn.c
int csp_rt_comm_get_parent(MPI_Comm *parent);
int csp_rt_comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                      MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]);
int csp_rt_comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                               const int array_of_maxprocs[], const MPI_Info array_of_info[],
                               int root, MPI_Comm comm, MPI_Comm *intercomm,
                               int array_of_errcodes[]);

// hooks_attr.c
int csp_rt_comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag);
int csp_rt_comm_set_attr(MPI_Comm comm, int keyval, void *value);
int csp_rt_comm_delete_attr(MPI_Comm comm, int keyval);
int csp_rt_info_create_env(int argc, char *argv[], MPI_Info *info);
/** 1 for the attributes that MPI itself attaches to MPI_COMM_WORLD. */
int csp_attr_is_predefined(int keyval);
/** What the program shall see of a predefined attribute's value. */
int csp_attr_program_value(int keyval, int value);

/** MPI_Comm_set_info, MPI_Comm_get_info: the keys of sends and receives. */
static inline int csp_rt_comm_set_info(MPI_Comm comm, MPI_Info info)
{
    int rc = csp_p2p_comm_set_info(csp_hook_comm(comm), info);
    if (rc == MPI_SUCCESS)
        csp_p2p_hints_keep(csp_hook_comm(comm), info);
    return rc;
}

static inline int csp_rt_comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    return csp_p2p_comm_get_info(csp_hook_comm(comm), info);
}

#if CSP_HAVE_MPI_Comm_attach_buffer
static inline int csp_rt_comm_attach_buffer(MPI_Comm comm, void *buffer, int size)
{
    csp_p2p_buffer_of_comm();
    return csp_mpi.Comm_attach_buffer(csp_hook_comm(comm), buffer, size);
}

static inline int csp_rt_comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size)
{
    csp_p2p_buffer_of_comm();
    return csp_mpi.Comm_attach_buffer_c(csp_hook_comm(comm), buffer, size);
}
#endif

#if CSP_HAVE_MPI_Session_attach_buffer
static inline int csp_rt_session_attach_buffer(MPI_Session session, void *buffer, int size)
{
    csp_p2p_buffer_of_comm(); // of its communicators
    return csp_mpi.Session_attach_buffer(session, buffer, size);
}

static inline int csp_rt_session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size)
{
    csp_p2p_buffer_of_comm();
    return csp_mpi.Session_attach_buffer_c(session, buffer, size);
}
#endif

// hooks_keyval.c; `ra`: where the program called
int csp_rt_comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del,
                              int *keyval, void *extra, const void *ra);

// hooks_errh.c
#if CSP_HAVE_MPIX_Comm_create_errhandler_x
int csp_rt_comm_create_errhandler_x(MPIX_Comm_errhandler_function_x *fn,
                                    MPIX_Destructor_function *destructor, void *extra,
                                    MPI_Errhandler *errh);
#endif
int csp_rt_comm_create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *errh,
                                  const void *ra);
int csp_rt_comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errh);

// hooks_session.c
#if CSP_HAVE_MPI_Session_init
int csp_rt_session_init(MPI_Info info, MPI_Errhandler errh, MPI_Session *session);
int csp_rt_session_finalize(MPI_Session *session);
int csp_rt_session_get_pset_info(MPI_Session session, const char *pset, MPI_Info *info);
int csp_rt_group_from_session_pset(MPI_Session session, const char *pset, MPI_Group *group);
#endif

// hooks_tool.c
int csp_rt_t_category_get_pvars(int category, int len, int indices[]);
int csp_rt_t_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count);
int csp_rt_t_pvar_get_index(const char *name, int var_class, int *index);
int csp_rt_t_pvar_get_info(int index, char *name, int *name_len, int *verbosity, int *var_class,
                           MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                           int *bind, int *readonly, int *continuous, int *atomic);
int csp_rt_t_pvar_get_num(int *num);
int csp_rt_t_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object,
                               MPI_T_pvar_handle *handle, int *count);
int csp_rt_t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle);
int csp_rt_t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);
int csp_rt_t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);
int csp_rt_t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int csp_rt_t_pvar_session_free(MPI_T_pvar_session *session);
int csp_rt_t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int csp_rt_t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int csp_rt_t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf);

// hooks_win.c
int csp_rt_win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                        MPI_Win *win);
int csp_rt_win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                          void *baseptr, MPI_Win *win);
int csp_rt_win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr);
int csp_rt_win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
                              void *baseptr);
int csp_rt_win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                      MPI_Win *win);
int csp_rt_win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                        MPI_Win *win);
int csp_rt_win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);
int csp_rt_win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                               void *baseptr, MPI_Win *win);
int csp_rt_win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                                 void *baseptr, MPI_Win *win);

#endif
