csp_add_mpi_test(rma/acc_borders.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/acc_epochs.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/acc_history.c NP 4 GHOSTS 1 NODES 2 TIMEOUT 120)
csp_add_mpi_test(rma/acc_history.c NP 4 GHOSTS 1 NODES 2 TIMEOUT 120 NAME rma/acc_history_created ARGS created)
csp_add_mpi_test(rma/acc_mixed_calls.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/acc_near_far.c NP 4 GHOSTS 1 NODES 2 CORE TIMEOUT 120)
csp_add_mpi_test(rma/acc_ops.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/acc_ops.c NP 4 GHOSTS 1 NODES 2 NAME rma/acc_logical ARGS logical)
csp_add_mpi_test(rma/acc_order.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/acc_predefined.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/acc_predefined.c NP 4 GHOSTS 1 NODES 2 NAME rma/library_acc_predefined
                 MPI m50 abi m40 o41 i21 ENV CSP_ACC_ROUTE=library)
csp_add_mpi_test(rma/acc_predefined.c NP 4 GHOSTS 1 NODES 2 NAME rma/created_acc_predefined TOOL_ABOVE rma/as_created.c)
csp_add_mpi_test(rma/acc_predefined.c NP 4 GHOSTS 1 NODES 2 NAME rma/acc_padded ARGS padded)
csp_add_mpi_test(rma/acc_predefined.c NP 4 GHOSTS 1 NODES 2 NAME rma/library_acc_padded ARGS padded
                 MPI m50 abi m40 ENV CSP_ACC_ROUTE=library)
csp_add_mpi_test(rma/acc_predefined.c NP 4 GHOSTS 1 NODES 2 NAME rma/created_acc_padded ARGS padded
                 TOOL_ABOVE rma/as_created.c)
csp_add_mpi_test(rma/acc_replace.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/acc_wrap.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/acc_wrap.c NP 4 GHOSTS 1 NODES 1 FIXED NAME rma/acc_wrap_here)
csp_add_mpi_test(rma/acc_gaps.c NP 4 GHOSTS 1 NODES 1 FIXED CORE TIMEOUT 120)
csp_add_mpi_test(rma/acc_gaps.c NP 4 GHOSTS 1 NODES 2 FIXED NAME rma/acc_gaps_apart TIMEOUT 120)
csp_add_mpi_test(rma/acc_gaps.c NP 4 GHOSTS 1 NODES 1 FIXED NAME rma/created_acc_gaps TOOL_ABOVE rma/as_created.c TIMEOUT 120)
csp_add_mpi_test(rma/compare_and_swap.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/count_c.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/counter_cas.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/counter_fop.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/fetch_and_op.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/get_acc.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/get_acc_history.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/local_progress.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/put_get.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/request_mixed.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/request_ops.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/request_types.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/alignment.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/alloc_free.c NP 4 GHOSTS 1 NODES 2 CORE TIMEOUT 180)
csp_add_mpi_test(rma/disp_unit.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/large.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/beyond_2g.c NP 2 GHOSTS 1 NODES 2 MPI m50 m40 o50 TIMEOUT 150)
csp_add_mpi_test(rma/acc_beyond_2g.c NP 2 GHOSTS 1 NODES 2 FIXED MPI m50 o50 ENV CSP_ACC_ROUTE=software TIMEOUT 150)
csp_add_mpi_test(rma/large_window.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/many_windows.c NP 4 GHOSTS 1 NODES 2 TIMEOUT 120)
csp_add_mpi_test(rma/proc_null.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_bottom.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_combiners.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_complex.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_empty.c NP 4 GHOSTS 1 NODES 2 FIXED) # plain libraries end by an assertion, or an error
csp_add_mpi_test(rma/types_empty.c NP 4 GHOSTS 1 NODES 1 FIXED NAME rma/types_empty_here)
csp_add_mpi_test(rma/types_empty.c NP 4 GHOSTS 1 NODES 2 FIXED NAME rma/soft_types_empty ENV CSP_ACC_ROUTE=software)
csp_add_mpi_test(rma/types_empty.c NP 4 GHOSTS 2 NODES 2 FIXED NAME rma/segment_types_empty
                 ENV CSP_ACC_GHOST=segment CSP_ACC_ROUTE=library)
csp_add_mpi_test(rma/types_indexed.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_irregular.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_lifetime.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_pair.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_resized.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_struct.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/types_subarray.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_unnamed.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/types_vector.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/unaligned.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/zero_count.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/zero_size.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/epochs_mix.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/fence_asserts.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/fence_disjoint.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/flush.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/local_reuse.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/lock_exclusive.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/lock_fair.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/lock_held.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/lock_mix.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/lock_readers.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/lock_self.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/lock_several.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/lock_shared.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/many_ops.c NP 4 GHOSTS 1 NODES 2 TIMEOUT 120)
csp_add_mpi_test(rma/mutex_mcs.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/flush_progress.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/pscw.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/pscw_nocheck.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/pscw_test.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/pscw_wildcard.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/remote_completion.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/sync_load_store.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/pscw_empty.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/attr.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/attr_user.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/busy_target.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/comm_disjoint.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/comm_kinds.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/comm_freed.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/comm_overlap.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/errhandler.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/errors.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/acc_errors.c NP 4 GHOSTS 1 NODES 1 FIXED CORE) # plain libraries say nothing, or end by an assertion
csp_add_mpi_test(rma/acc_errors.c NP 4 GHOSTS 1 NODES 2 FIXED NAME rma/acc_errors_far)
csp_add_mpi_test(rma/errors_sync.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/fetch_contention.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/free_waits.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/group.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/handles.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/info.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/info_hints.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/name.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/origin_in_window.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/other_windows.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/random_ops.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/self_target.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/shared_query.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/shared_windows.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/signals.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/stencil.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/threads_create.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/threads_plain.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_POOL_MAX=4096 CSP_SPARE_MAX=0)
csp_add_mpi_test(rma/threads_lock.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(rma/threads_ops.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(rma/threads_first.c NP 4 GHOSTS 1 NODES 2 ENV CSP_ACC_ROUTE=library)
csp_add_mpi_test(rma/threads_first.c NP 4 GHOSTS 1 NODES 2 NAME rma/threads_first_own
                 ENV CSP_ACC_ROUTE=library CSP_POOL_MAX=4096 CSP_SPARE_MAX=0)
csp_add_mpi_test(rma/threads_requests.c NP 4 GHOSTS 1 NODES 2 CORE ENV MALLOC_PERTURB_=165)
csp_add_mpi_test(rma/threads_requests.c NP 4 GHOSTS 1 NODES 2 NAME rma/threads_requests_redirected ARGS redirect
                 ENV CSP_ASYNC_CONFIG=off)
csp_add_mpi_test(rma/threads_overlap.c NP 4 GHOSTS 1 NODES 2 CORE TIMEOUT 120)
csp_add_mpi_test(rma/win_self.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/abort.c NP 4 GHOSTS 1 NODES 2 CORE EXIT 42)
csp_add_mpi_test(world/abort.c NP 4 GHOSTS 1 NODES 2 EXIT -1 NAME world/abort_self ARGS self)
csp_add_mpi_test(world/abort.c NP 4 GHOSTS 1 NODES 2 EXIT 42 NAME world/abort_half ARGS half)
csp_add_mpi_test(world/abort_epoch.c NP 4 GHOSTS 1 NODES 2 CORE EXIT 42
    EXPECT "\\A(?![\\s\\S]*casper: error)")
csp_add_mpi_test(world/args.c NP 4 GHOSTS 1 NODES 2 ARGS one two-words --three=3)
csp_add_mpi_test(world/atexit.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/attributes.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/cart.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/collectives.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/collectives_nb.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/comm_info.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/comm_self.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/compare.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/create.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/dup.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/errhandler.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/hello_mpicxx.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/extensions_mpich.c NP 4 GHOSTS 1 NODES 2 MPI m50 ENV CSP_P2P=on)
csp_add_mpi_test(world/read_stdin.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/exit_code.c NP 4 GHOSTS 1 NODES 2 CORE ARGS 3 3 EXIT 3)
csp_add_mpi_test(world/exit_code.c NP 4 GHOSTS 1 NODES 2 NAME world/exit_code_one ARGS 0 5 EXIT 5)
csp_add_mpi_test(world/graph.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/grequest.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/group.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/init_state.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/intercomm.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/io.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/io_shared.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/join.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/keyvals.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/keyvals_finalize.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/mpi1.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/name.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/p2p.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/p2p_large.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/pack.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/partitioned.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/ports.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/port_names.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/processor.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/session_errhandler.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/session_intercomm.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/session_only.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/session_self.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/session_win.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/session_world.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/size_rank.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/spawn.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/spawn_multiple.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/split.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/split_hw.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/split_type.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/thread_level.c NP 4 GHOSTS 1 NODES 2 NAME world/thread_level_0 ARGS 0)
csp_add_mpi_test(world/thread_level.c NP 4 GHOSTS 1 NODES 2 NAME world/thread_level_1 ARGS 1)
csp_add_mpi_test(world/thread_level.c NP 4 GHOSTS 1 NODES 2 NAME world/thread_level_2 ARGS 2)
csp_add_mpi_test(world/thread_level.c NP 4 GHOSTS 1 NODES 2 ARGS 3)
csp_add_mpi_test(world/thread_level.c NP 4 GHOSTS 1 NODES 2 CORE NAME world/thread_level_init ARGS init
                 ENV MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE OMPI_MPI_THREAD_LEVEL=3 MPI m50 abi m40 o41 o50)
csp_add_mpi_test(world/tool_interface.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/universe.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(world/user_op.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(world/fortran_alltoallw.c NP 4 GHOSTS 1 NODES 2 CORE MPI o41)
csp_add_mpi_test(fortran/f77_world.f NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f77_win.f NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f90_world.f90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f90_win.f90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f90_win.f90 NP 4 GHOSTS 1 NODES 2 FIXED CORE NAME fortran/f90_win_threads ARGS threads MPI o41 m40)
csp_add_mpi_test(fortran/f08_world.f90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f08_win.f90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f08_cptr.f90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f77_comms.F90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f90_comms.F90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f08_comms.F90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f77_io.F90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f90_io.F90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f08_io.F90 NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(fortran/f77_abort.f90 NP 4 GHOSTS 1 NODES 2 CORE EXIT 42)
csp_add_mpi_test(fortran/f90_abort.f90 NP 4 GHOSTS 1 NODES 2 CORE EXIT 42)
csp_add_mpi_test(fortran/f08_abort.f90 NP 4 GHOSTS 1 NODES 2 CORE EXIT 42)
foreach(kind f77 f90 f08)
    csp_add_mpi_test(fortran/${kind}_exit.f90 NP 4 GHOSTS 1 NODES 2 EXIT 3)
    csp_add_mpi_test(fortran/${kind}_jobs.F90 NP 4 GHOSTS 1 NODES 2 MPI o41) # MPICH 4.0 over UCX has no dynamic processes
endforeach()
csp_add_mpi_test(fortran/f08_session.f90 NP 4 GHOSTS 1 NODES 2 MPI m40)

# These know of Casper.
csp_add_mpi_test(casper/past.c NP 2 GHOSTS 1 NODES 1 FIXED EXPECT "took MPI_Init from a handle")
csp_add_mpi_test(casper/rget_beside.c NP 2 GHOSTS 1 NODES 2 FIXED MPI m50 abi m40 i21 ENV CSP_ASYNC_CONFIG=off)
csp_add_mpi_test(casper/progress.c NP 2 GHOSTS 1 NODES 2 FIXED CORE TIMEOUT 90)
csp_add_mpi_test(casper/progress.c NP 4 GHOSTS 2 NODES 2 FIXED NAME casper/progress_two_ghosts TIMEOUT 90)
csp_add_mpi_test(casper/progress.c NP 4 GHOSTS 1 NODES 2 FIXED CORE NAME casper/progress_created
                 TOOL_ABOVE rma/as_created.c TIMEOUT 90)
csp_add_mpi_test(casper/poll_flag.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(casper/many_changes.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(casper/async_config.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/async_config.c NP 4 GHOSTS 1 NODES 2 NAME casper/async_config_own
                 ENV CSP_POOL_MAX=0 CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/async_config.c NP 4 GHOSTS 1 NODES 2 NAME casper/async_config_soft ENV CSP_ACC_ROUTE=software)
csp_add_mpi_test(casper/async_config.c NP 4 GHOSTS 1 NODES 2 NAME casper/errors_async_config ARGS errors CORE
                 ENV CSP_ACC_ROUTE=library)
# Accumulates by the software route while redirection is on.
csp_add_mpi_test(casper/async_config.c NP 4 GHOSTS 1 NODES 2 NAME casper/errors_async_config_redirected ARGS errors
                 MPI m50 abi m40)
csp_add_mpi_test(casper/async_config.c NP 4 GHOSTS 1 NODES 2 NAME casper/async_config_redirected MPI m50 abi m40 i21 CORE)
csp_add_mpi_test(casper/auto_switch.c NP 4 GHOSTS 1 NODES 2 NAME casper/auto_switch_redirected MPI m50 abi m40 i21 CORE
                 ENV CSP_ASYNC_CONFIG=auto CSP_PREDICT_INT=1)
csp_add_mpi_test(casper/auto_gate.c NP 4 GHOSTS 1 NODES 2 NAME casper/auto_gate_redirected MPI m50 abi m40 i21 CORE
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=alternate CSP_PREDICT_INT=100000 TIMEOUT 120 LINKED)
csp_add_mpi_test(casper/auto_profile.c NP 4 GHOSTS 1 NODES 2 NAME casper/auto_profile_redirected MPI m50 abi m40 i21
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=profile CSP_PREDICT_INT=100000)
csp_add_mpi_test(casper/auto_switch.c NP 4 GHOSTS 1 NODES 2 CORE
                 ENV CSP_ASYNC_CONFIG=auto CSP_PREDICT_INT=1 CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/auto_switch.c NP 4 GHOSTS 2 NODES 2 NAME casper/auto_switch_own
                 ENV CSP_ASYNC_CONFIG=auto CSP_PREDICT_INT=2000 CSP_POOL_MAX=0 CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/auto_switch.c NP 4 GHOSTS 1 NODES 2 NAME casper/auto_switch_profile
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=profile_ghosts CSP_PREDICT_INT=1 CSP_GSYNC_INT=0
                 CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/auto_waits.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_ASYNC_CONFIG=auto CSP_PREDICT_INT=2000
                 TIMEOUT 200 LINKED)
csp_add_mpi_test(casper/auto_gate.c NP 4 GHOSTS 1 NODES 2 FIXED CORE MPI m50 abi m40 i21
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=alternate CSP_PREDICT_INT=100000 CSP_ACC_ROUTE=library
                 TIMEOUT 120 LINKED)
csp_add_mpi_test(casper/auto_gate.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/auto_gate_threads MPI m50 abi m40 ARGS threads
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=alternate CSP_PREDICT_INT=100000 CSP_ACC_ROUTE=library
                 TIMEOUT 120 LINKED)
csp_add_mpi_test(casper/auto_weak_threads.c NP 2 GHOSTS 1 NODES 2 FIXED MPI m50 abi
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=alternate CSP_PREDICT_INT=100000 CSP_CONFIRM_PUT=on LINKED)
# Open MPI 5.0 takes 2 ms for each accumulate of the flood.
csp_add_mpi_test(casper/auto_gate.c NP 4 GHOSTS 1 NODES 2 FIXED MPI o50 NAME casper/auto_gate_slowly
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=alternate CSP_PREDICT_INT=100000 CSP_ACC_ROUTE=library
                 TIMEOUT 120 LINKED)
csp_add_mpi_test(casper/auto_profile.c NP 4 GHOSTS 1 NODES 2
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=profile CSP_PREDICT_INT=100000 CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/auto_profile.c NP 4 GHOSTS 1 NODES 2 NAME casper/auto_profile_ghosts
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=profile_ghosts CSP_PREDICT_INT=100000 CSP_GSYNC_INT=10000
                 CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/left_calls.c NP 4 GHOSTS 1 NODES 2 MPI m50 abi m40
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=profile_ghosts CSP_PREDICT_INT=50000 CSP_GSYNC_INT=10000)
# Several rounds of an exchange, and a tree of ghosts with a second level.
csp_add_mpi_test(casper/auto_profile.c NP 10 GHOSTS 1 NODES 10 FIXED NAME casper/auto_profile_nodes
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=profile CSP_PREDICT_INT=100000 CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/auto_profile.c NP 10 GHOSTS 1 NODES 10 FIXED NAME casper/auto_profile_ghosts_nodes
                 ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=profile_ghosts CSP_PREDICT_INT=100000 CSP_GSYNC_INT=10000
                 CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/watchdog_target.c NP 2 GHOSTS 1 NODES 2 FIXED MPI m50
                 ENV CSP_ASYNC_CONFIG=off CSP_CONFIRM_PUT=on CSP_WATCHDOG_S=1
                 EXPECT "waiting for 1[.][0-9] s: flush of window [0-9]+: a small PUT at its rank 1")
csp_add_mpi_test(casper/quiet_ghosts.c NP 2 GHOSTS 1 NODES 2 FIXED CORE ENV CSP_REPORT=1
                 EXPECT "(?s)(asleep ([2-9][0-9]|100)[.][0-9] %, on a core 1?[0-9][.].*){2}")
csp_add_mpi_test(casper/unused_ghosts.c NP 2 GHOSTS 1 NODES 2 FIXED CORE)
csp_add_mpi_test(casper/needed_core.c NP 2 GHOSTS 1 NODES 2 FIXED CORE ENV CSP_ASYNC_CONFIG=on)
csp_add_mpi_test(casper/direct_flush.c NP 2 GHOSTS 1 NODES 2 FIXED CORE TOOL_BELOW casper/rma_tool.c ENV CSP_ASYNC_CONFIG=off)
csp_add_mpi_test(casper/short_runs.c NP 4 GHOSTS 1 NODES 2 CORE MPI o50 o41 TOOL_BELOW casper/rma_tool.c)
csp_add_mpi_test(casper/info_unknown.c NP 4 GHOSTS 1 NODES 2 FIXED CORE
                 EXPECT "(?s)(?-m:^)(?!(.*nearest){3})(?!(.*sometimes){3})(?=(.*nearest){2})(?=(.*sometimes){2})")
csp_add_mpi_test(casper/yield.c NP 4 GHOSTS 1 NODES 2 MPI o50 o41 ENV CSP_YIELD=start CSP_POOL_MAX=0 CSP_SPARE_MAX=0)
csp_add_mpi_test(casper/yield.c NP 4 GHOSTS 1 NODES 2 NAME casper/yield_never ARGS 0 MPI o50 o41
                 ENV CSP_YIELD=start CSP_POOL_MAX=0 CSP_SPARE_MAX=0)
csp_add_mpi_test(casper/yield.c NP 4 GHOSTS 1 NODES 2 MPI o50 o41 NAME casper/yield_library ENV CSP_POOL_MAX=0 CSP_SPARE_MAX=0)
csp_add_mpi_test(casper/pvars.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(casper/pvars.c NP 4 GHOSTS 0 NODES 1 FIXED NAME casper/pvars_no_ghosts)
csp_add_mpi_test(casper/flush_many.c NP 8 GHOSTS 4 NODES 2 FIXED)
csp_add_mpi_test(casper/busy_end.c NP 4 GHOSTS 1 NODES 2 FIXED ENV CSP_REPORT_FILE=report.json)
csp_add_mpi_test(casper/redirected.c NP 4 GHOSTS 1 NODES 2 FIXED CORE ENV CSP_REPORT_FILE=report.json)
csp_add_mpi_test(casper/redirected.c NP 4 GHOSTS 2 NODES 1 FIXED NAME casper/redirected_one_node ENV CSP_REPORT_FILE=report.json)
csp_add_mpi_test(casper/not_redirected.c NP 4 GHOSTS 1 NODES 2 FIXED ENV CSP_REPORT_FILE=report.json CSP_CREATED_WINDOWS=plain)
csp_add_mpi_test(casper/not_redirected.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/created_redirected ENV CSP_REPORT_FILE=report.json)
csp_add_mpi_test(casper/lent.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(casper/lent.c NP 4 GHOSTS 1 NODES 2 NAME casper/lent_small_pool ENV CSP_POOL_SIZE=2M)
csp_add_mpi_test(casper/lent.c NP 4 GHOSTS 1 NODES 2 NAME casper/lent_unreachable ARGS unreachable TOOL_ABOVE casper/no_vm_tool.c)
# MPICH 4.0.2 over UCX takes the start of an earlier registration for the base of a window.
csp_add_mpi_test(casper/lent.c NP 4 GHOSTS 1 NODES 2 NAME casper/lent_plain ENV CSP_CREATED_WINDOWS=plain MPI m50 abi i21 o41 o50)
csp_add_mpi_test(casper/created_unmapped.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(casper/errors_windows.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(casper/burst.c NP 4 GHOSTS 1 NODES 2 CORE LINKED)
csp_add_mpi_test(casper/burst.c NP 4 GHOSTS 1 NODES 2 CORE LINKED NAME casper/errors_burst ARGS errors)
csp_add_mpi_test(casper/errors_ops.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(casper/errors_ops.c NP 4 GHOSTS 1 NODES 2 NAME casper/errors_ops_own ENV CSP_POOL_MAX=0)
csp_add_mpi_test(casper/errors_ops.c NP 4 GHOSTS 1 NODES 2 NAME casper/errors_ops_off ARGS off ENV CSP_CHECKS=off)
csp_add_mpi_test(casper/errors_epochs.c NP 4 GHOSTS 1 NODES 2 CORE)
csp_add_mpi_test(casper/errors_epochs.c NP 4 GHOSTS 1 NODES 2 NAME casper/errors_epochs_off ARGS off ENV CSP_CHECKS=off)
csp_add_mpi_test(casper/hints.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/hints.c NP 4 GHOSTS 2 NODES 2 FIXED NAME casper/hints_two ENV CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/hints.c NP 4 GHOSTS 2 NODES 2 FIXED NAME casper/hints_two_soft ENV CSP_ACC_ROUTE=software)
csp_add_mpi_test(casper/lock_overtake.c NP 4 GHOSTS 1 NODES 2 FIXED)
csp_add_mpi_test(casper/lock_overtake.c NP 4 GHOSTS 2 NODES 2 FIXED NAME casper/lock_overtake_two)
csp_add_mpi_test(casper/long_wait.c NP 4 GHOSTS 1 NODES 2 FIXED)
csp_add_mpi_test(casper/lock_starve.c NP 4 GHOSTS 1 NODES 2 FIXED)
csp_add_mpi_test(casper/lock_starve.c NP 4 GHOSTS 2 NODES 2 FIXED NAME casper/lock_starve_eager
                 ENV CSP_LOCK_DEFER=0)
csp_add_mpi_test(casper/flood.c NP 4 GHOSTS 1 NODES 2 FIXED TIMEOUT 120)
csp_add_mpi_test(casper/flood.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/flood_far ARGS 3 TIMEOUT 120)
csp_add_mpi_test(casper/flood.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/flood_created
                 TOOL_ABOVE rma/as_created.c TIMEOUT 120)
csp_add_mpi_test(casper/flood.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/flood_own ENV CSP_POOL_MAX=0 TIMEOUT 120)
csp_add_mpi_test(casper/flood_origin.c NP 10 GHOSTS 2 NODES 10 FIXED TIMEOUT 150 ENV CSP_PUTGET_GHOST=operations)
csp_add_mpi_test(casper/origin_stops.c NP 4 GHOSTS 1 NODES 2 FIXED)
csp_add_mpi_test(casper/flood.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/flood_created_far ARGS 3
                 TOOL_ABOVE rma/as_created.c TIMEOUT 120)
csp_add_mpi_test(casper/request_async.c NP 4 GHOSTS 1 NODES 2 FIXED CORE)
csp_add_mpi_test(casper/request_async.c NP 4 GHOSTS 2 NODES 2 FIXED NAME casper/request_async_two)
csp_add_mpi_test(casper/api.c NP 3 GHOSTS 1 NODES 2 CORE LINKED)
csp_add_mpi_test(casper/linked.c NP 4 GHOSTS 1 NODES 2 LINKED)
csp_add_mpi_test(casper/decimal_comma.c NP 4 GHOSTS 1 NODES 2)
# Elsewhere MPI_Comm_spawn fails in the plain library.
csp_add_mpi_test(casper/spawn_ghosts.c NP 4 GHOSTS 1 NODES 2 MPI m50 abi o50 o41 ENV CSP_SPAWN_NG=1)
csp_add_mpi_test(casper/spawn_ghosts.c NP 4 GHOSTS 1 NODES 2 NAME casper/spawn_plain ARGS plain MPI m50 abi o50 o41
                 ENV CSP_SPAWN_NG=1 EXPECT "CSP_SPAWN_NG=1 has no effect: the spawned processes do not run with Casper")
csp_add_mpi_test(casper/spawn_ghosts.c NP 4 GHOSTS 1 NODES 2 NAME casper/spawn_one ARGS one MPI m50 abi o50 o41
                 ENV CSP_STRICT=1)
csp_add_mpi_test(casper/named_memory.c NP 4 GHOSTS 1 NODES 2 CORE TOOL_BELOW casper/no_memfd.c)
csp_add_mpi_test(world/size_rank.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/check_fails TOOL_BELOW casper/check_tool.c EXIT 42
                 MPI m50 abi o41)
csp_add_mpi_test(casper/many_attached.c NP 2 GHOSTS 1 NODES 2 FIXED)
csp_add_mpi_test(casper/early_threads.c NP 4 GHOSTS 1 NODES 2 CORE)
foreach(us 0 1000 5000 20000)
    csp_add_mpi_test(casper/early_threads.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/early_session_${us} ARGS ${us} MPI m50 abi o50)
endforeach()
foreach(kind past_tool past_pmpi_tool)
    csp_add_mpi_test(world/size_rank.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/${kind}_below TOOL_BELOW casper/${kind}.c EXIT 1
                     MPI m50 abi o41 EXPECT "before libcasper in LD_PRELOAD")
    csp_add_mpi_test(world/size_rank.c NP 4 GHOSTS 1 NODES 2 FIXED NAME casper/${kind}_above TOOL_ABOVE casper/${kind}.c MPI m50 o41)
endforeach()
csp_add_mpi_test(casper/tool_stack.c NP 4 GHOSTS 1 NODES 2 CORE NAME casper/tool_above TOOL_ABOVE casper/counting_tool.c)
csp_add_mpi_test(casper/tool_stack.c NP 4 GHOSTS 1 NODES 2 CORE NAME casper/tool_below TOOL_BELOW casper/counting_tool.c)

# Windows that do not fit the pool get a segment and an internal window of their own. (Collective calls that several
# threads make at once, on communicators of their own, hang in plain Intel MPI 2021.18 as well, unless they use messages
# inside nodes.)
foreach(test put_get acc_epochs epochs_mix comm_disjoint comm_overlap comm_kinds threads_create threads_ops threads_overlap
        many_windows unaligned zero_size random_ops lock_mix pscw stencil attr_user origin_in_window)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/own_${test} TIMEOUT 120
                     ENV CSP_POOL_MAX=0 I_MPI_COLL_INTRANODE=pt2pt)
endforeach()
csp_add_mpi_test(rma/alloc_free.c NP 4 GHOSTS 1 NODES 2 NAME rma/own_alloc_free TIMEOUT 180 ENV CSP_POOL_MAX=0)
csp_add_mpi_test(rma/spare.c NP 4 GHOSTS 1 NODES 2 FIXED CORE ARGS kept ENV CSP_POOL_MAX=0)
csp_add_mpi_test(rma/spare.c NP 4 GHOSTS 1 NODES 2 FIXED NAME rma/spare_off ARGS fresh ENV CSP_POOL_MAX=0 CSP_SPARE_MAX=0)
csp_add_mpi_test(rma/many_windows.c NP 4 GHOSTS 1 NODES 2 NAME rma/small_pool TIMEOUT 120 ENV CSP_POOL_SIZE=1M)
csp_add_mpi_test(rma/comm_disjoint.c NP 4 GHOSTS 1 NODES 2 NAME rma/small_pool_disjoint TIMEOUT 120 ENV CSP_POOL_SIZE=1M)
# The other settings of locks and ghosts.
foreach(test lock_exclusive lock_readers lock_mix lock_shared lock_held busy_target counter_fop)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/eager_${test} ENV CSP_LOCK_DEFER=0)
endforeach()
csp_add_mpi_test(rma/put_get.c NP 4 GHOSTS 1 NODES 2 NAME rma/spinning_ghosts ENV CSP_GHOST_POLL=spin)
csp_add_mpi_test(rma/put_get.c NP 4 GHOSTS 1 NODES 2 NAME rma/sleeping_ghosts ENV CSP_GHOST_POLL=sleep)
csp_add_mpi_test(rma/put_get.c NP 4 GHOSTS 1 NODES 2 NAME rma/unbound_ghosts ENV CSP_BIND=none)

# Run with other arguments by tests/tools/test_bad_input.py.
csp_add_mpi_test(bad/leave.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(bad/leave_session.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(bad/signals.c NP 4 GHOSTS 1 NODES 2 FIXED MPI m50 o41)
csp_add_mpi_test(bad/unmapped.c NP 4 GHOSTS 1 NODES 2)
csp_add_mpi_test(bad/wait_to_be_killed.c NP 4 GHOSTS 1 NODES 2)

# The same on windows of MPI_Win_create.
foreach(test acc_epochs acc_mixed_calls acc_ops acc_order acc_replace acc_wrap compare_and_swap count_c counter_cas counter_fop
        fetch_and_op fetch_contention get_acc get_acc_history put_get request_mixed request_ops request_types disp_unit
        large many_windows proc_null types_bottom types_complex types_indexed types_lifetime types_pair
        types_resized types_struct types_subarray types_unnamed types_vector unaligned zero_count zero_size epochs_mix
        fence_asserts fence_disjoint flush local_reuse lock_exclusive lock_mix lock_self many_ops mutex_mcs pscw
        remote_completion sync_load_store busy_target comm_disjoint comm_kinds errors errors_sync
        free_waits origin_in_window random_ops self_target signals stencil threads_create threads_lock threads_ops
        comm_overlap threads_overlap)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/created_${test}
                     TOOL_ABOVE rma/as_created.c TIMEOUT 120)
endforeach()

# On memory of MPI_Alloc_mem, which ghosts map.
foreach(test acc_epochs acc_ops counter_cas disp_unit epochs_mix errors errors_sync fence_asserts get_acc many_windows many_ops
        origin_in_window pscw put_get random_ops request_ops self_target shared_query threads_ops types_struct unaligned zero_size)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/lent_${test}
                     TOOL_ABOVE rma/as_created.c ENV CASPER_TEST_LENT=1 TIMEOUT 120)
endforeach()
csp_add_mpi_test(rma/random_ops.c NP 4 GHOSTS 2 NODES 2 FIXED NAME rma/lent_segments TOOL_ABOVE rma/as_created.c
                 ENV CASPER_TEST_LENT=1 CSP_ACC_GHOST=segment CSP_PUTGET_GHOST=operations TIMEOUT 120)
csp_add_mpi_test(rma/random_ops.c NP 4 GHOSTS 1 NODES 2 NAME rma/lent_alternating TOOL_ABOVE rma/as_created.c
                 ENV CASPER_TEST_LENT=1 CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=alternate CSP_PREDICT_INT=100000 TIMEOUT 120)

# Accumulates executed by ghosts and, inside the node, by their origins, also with MPI libraries whose own are good;
# and by the library where `auto` does not take it.
foreach(test acc_epochs acc_history acc_mixed_calls acc_near_far acc_ops acc_order acc_replace acc_wrap compare_and_swap
        count_c counter_cas disp_unit fence_asserts fetch_and_op fetch_contention flush get_acc get_acc_history
        large local_reuse lock_mix many_ops many_windows mutex_mcs origin_in_window pscw random_ops remote_completion request_mixed
        request_ops request_types signals threads_ops types_bottom types_indexed types_lifetime types_pair
        types_resized types_struct types_subarray types_unnamed unaligned)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/soft_${test} ENV CSP_ACC_ROUTE=software TIMEOUT 120)
endforeach()
csp_add_mpi_test(rma/types_irregular.c NP 4 GHOSTS 1 NODES 2 NAME rma/created_types_irregular ARGS pairs
                 TOOL_ABOVE rma/as_created.c)
csp_add_mpi_test(rma/types_irregular.c NP 4 GHOSTS 1 NODES 2 NAME rma/soft_types_irregular ARGS pairs ENV CSP_ACC_ROUTE=software)
foreach(test acc_near_far acc_epochs threads_ops comm_overlap)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 2 NODES 2 FIXED NAME rma/soft_own_${test}
                     ENV CSP_ACC_ROUTE=software CSP_POOL_MAX=0 TIMEOUT 120)
endforeach()
foreach(test acc_epochs compare_and_swap counter_fop fetch_and_op)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/library_${test} ENV CSP_ACC_ROUTE=library TIMEOUT 120)
endforeach()

# The same on memory of Casper's own that ghosts do not map.
foreach(test acc_epochs attr comm_disjoint epochs_mix get_acc many_windows random_ops
        shared_query threads_ops zero_size)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/aligned_${test}
                     TOOL_ABOVE rma/as_aligned.c TIMEOUT 120)
endforeach()

# Redirection switched off: the targets execute. And switched on and off all the time.
foreach(test acc_epochs acc_ops acc_order counter_cas fence_asserts fetch_contention get_acc large lock_mix pscw
        put_get random_ops request_ops request_types threads_ops types_struct types_subarray)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/off_${test}
                     ENV CSP_ASYNC_CONFIG=off TIMEOUT 120)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/auto_${test}
                     ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=alternate CSP_ACC_ROUTE=library TIMEOUT 120)
endforeach()

foreach(test acc_epochs acc_mixed_calls acc_near_far acc_ops acc_order counter_cas fetch_contention get_acc lock_mix
        random_ops request_mixed request_ops threads_ops types_pair)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/auto_redirected_${test} MPI m50 abi m40 i21
                     ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=alternate TIMEOUT 120)
endforeach()

# By profile, another prediction at each fence.
foreach(test acc_epochs acc_order epochs_mix fence_asserts random_ops request_types threads_ops)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 1 NODES 2 NAME rma/profile_${test}
                     ENV CSP_ASYNC_CONFIG=auto CSP_AUTO_METHOD=profile_ghosts CSP_PREDICT_INT=1 CSP_GSYNC_INT=0
                     CSP_ACC_ROUTE=library TIMEOUT 120)
endforeach()

# Several ghosts: accumulates by segment of the target's memory, PUT and GET by any ghost.
foreach(test acc_borders acc_epochs acc_history acc_mixed_calls acc_ops acc_order compare_and_swap fetch_and_op
        fetch_contention get_acc large origin_in_window random_ops request_ops request_types threads_ops types_bottom
        types_indexed types_pair types_struct types_subarray unaligned)
    csp_add_mpi_test(rma/${test}.c NP 4 GHOSTS 2 NODES 2 FIXED NAME rma/segment_${test}
                     ENV CSP_ACC_GHOST=segment CSP_PUTGET_GHOST=bytes TIMEOUT 120)
endforeach()
# Many processes; Open MPI 4.1 sends the rest of a message when its sender is in MPI.
csp_add_mpi_test(casper/idle_origins.c NP 68 GHOSTS 1 NODES 2 FIXED CORE ALONE TIMEOUT 120 MPI o41)
csp_add_mpi_test(casper/acc_in_pieces.c NP 4 GHOSTS 2 NODES 2 FIXED CORE TOOL_BELOW casper/types_tool.c
                 ENV CSP_ACC_GHOST=segment CSP_ACC_ROUTE=library)
csp_add_mpi_test(casper/kept_memory.c NP 2 GHOSTS 1 NODES 1 FIXED CORE)
csp_add_mpi_test(casper/types_reused.c NP 2 GHOSTS 1 NODES 2 FIXED CORE TOOL_BELOW casper/types_tool.c)
csp_add_mpi_test(rma/flush.c NP 4 GHOSTS 2 NODES 2 FIXED NAME rma/spread_flush ENV CSP_PUTGET_GHOST=operations)
csp_add_mpi_test(rma/put_get.c NP 4 GHOSTS 2 NODES 2 FIXED NAME rma/spread_put_get ENV CSP_PUTGET_GHOST=operations)
csp_add_mpi_test(rma/info_hints.c NP 4 GHOSTS 2 NODES 2 FIXED NAME rma/info_hints_two)

# Sends and receives by ghosts.
foreach(test blocking_mixed buffers_differ callback_waits complete counts_differ disconnect errors freed_at_end freed_comm freed_pair get_count half_pair order probes short_runs sizes threads)
    csp_add_mpi_test(p2p/${test}.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=on TIMEOUT 120)
endforeach()
csp_add_mpi_test(p2p/errors.c NP 4 GHOSTS 1 NODES 2 NAME p2p/auto_errors MPI m40 CORE ENV CSP_P2P=auto TIMEOUT 30)
csp_add_mpi_test(p2p/buffered_room.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=on TIMEOUT 30)
csp_add_mpi_test(p2p/buffered_session.c NP 4 GHOSTS 1 NODES 2 ENV CSP_P2P=on TIMEOUT 30)
# Elsewhere it hangs plain.
csp_add_mpi_test(p2p/thread_levels.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=auto CSP_P2P_METHOD=alternate MPI m40 o41 o50 TIMEOUT 30)
csp_add_mpi_test(p2p/memory_kept.c NP 2 GHOSTS 1 NODES 1 ENV CSP_P2P=on)
csp_add_mpi_test(p2p/mixed_io.c NP 4 GHOSTS 1 NODES 2 ENV CSP_P2P=on)
csp_add_mpi_test(p2p/mixed_io_all.c NP 4 GHOSTS 1 NODES 2 ENV CSP_P2P=on)
csp_add_mpi_test(rma/request_mixed.c NP 4 GHOSTS 1 NODES 2 NAME p2p/request_mixed ENV CSP_P2P=on)
csp_add_mpi_test(world/partitioned.c NP 4 GHOSTS 1 NODES 2 NAME p2p/partitioned ENV CSP_P2P=on)
csp_add_mpi_test(p2p/beyond_2g.c NP 2 GHOSTS 1 NODES 2 ENV CSP_P2P=on MPI m50 m40 o50 TIMEOUT 120)
csp_add_mpi_test(p2p/many_posts.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=on CSP_POOL_SIZE=8M TIMEOUT 120)
foreach(test blocking_mixed buffers_differ complete counts_differ order probes sizes threads)
    csp_add_mpi_test(p2p/${test}.c NP 4 GHOSTS 1 NODES 2 NAME p2p/auto_${test} ENV CSP_P2P=auto CSP_P2P_METHOD=alternate
                     TIMEOUT 120)
endforeach()
csp_add_mpi_test(casper/p2p_auto.c NP 4 GHOSTS 1 NODES 2 ALONE ENV CSP_P2P=auto TIMEOUT 300 LINKED)
csp_add_mpi_test(casper/p2p_changes.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=auto CSP_P2P_METHOD=alternate LINKED)
csp_add_mpi_test(casper/p2p_changes.c NP 4 GHOSTS 1 NODES 2 CORE NAME casper/errors_p2p_changes ARGS errors
                 ENV CSP_P2P=auto CSP_P2P_METHOD=alternate LINKED)
csp_add_mpi_test(casper/p2p_info.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=info)
csp_add_mpi_test(casper/p2p_hints.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=on EXPECT "wildcard_used: unknown value .some., ignored")
csp_add_mpi_test(casper/errors_p2p_info.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=info)
csp_add_mpi_test(casper/errors_bsend_start.c NP 4 GHOSTS 1 NODES 2 ENV CSP_P2P=on)
csp_add_mpi_test(casper/errors_p2p_count.c NP 4 GHOSTS 1 NODES 2 ENV CSP_P2P=on)
csp_add_mpi_test(casper/p2p_progress.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=on)
csp_add_mpi_test(casper/rma_shared_core.c NP 2 GHOSTS 1 NODES 2 FIXED CORE ENV CSP_ASYNC_CONFIG=on)
csp_add_mpi_test(casper/p2p_shared_core.c NP 2 GHOSTS 1 NODES 2 FIXED CORE ENV CSP_P2P=on)
csp_add_mpi_test(casper/p2p_unheard.c NP 2 GHOSTS 1 NODES 1 FIXED ALONE MPI m50 ENV CSP_P2P=on)
csp_add_mpi_test(casper/p2p_post_returns.c NP 2 GHOSTS 1 NODES 1 FIXED ENV CSP_P2P=on)
foreach(who receiver sender receiver_waited)
    csp_add_mpi_test(casper/p2p_direct.c NP 4 GHOSTS 1 NODES 2 FIXED CORE NAME casper/p2p_direct_${who} ARGS ${who}
                     ENV CSP_P2P=on CSP_REPORT=1
                     EXPECT "(?s)(carried: ([0-9]+ inside the node [^,]*, )?([1-9]|1[0-2]) there copied by who waited for them.*){2}")
endforeach()
csp_add_mpi_test(casper/p2p_direct.c NP 4 GHOSTS 1 NODES 2 FIXED CORE NAME casper/p2p_direct_nobody ARGS nobody
                 ENV CSP_P2P=on CSP_REPORT=1 EXPECT "(?s)\\A(?!.*there copied).*(carried: 12 inside the node.*){2}")
csp_add_mpi_test(casper/p2p_mapped.c NP 4 GHOSTS 1 NODES 2 CORE TOOL_ABOVE casper/copies_tool.c ENV CSP_P2P=on
                 EXPECT "\\A(?![\\s\\S]*copied by the system)")
csp_add_mpi_test(casper/p2p_mapped.c NP 4 GHOSTS 1 NODES 2 NAME casper/p2p_unmapped ARGS own TOOL_ABOVE casper/copies_tool.c
                 ENV CSP_P2P=on EXPECT "copied by the system")
csp_add_mpi_test(casper/p2p_eager.c NP 4 GHOSTS 1 NODES 2 CORE ENV CSP_P2P=on)
foreach(test complete order probes short_runs sizes) # two ghosts of a node match for each other
    csp_add_mpi_test(p2p/${test}.c NP 4 GHOSTS 2 NODES 1 FIXED NAME p2p/two_${test} ENV CSP_P2P=on TIMEOUT 120)
endforeach()
csp_add_mpi_test(casper/p2p_eager.c NP 4 GHOSTS 2 NODES 1 FIXED NAME casper/p2p_eager_two ENV CSP_P2P=on)
csp_add_mpi_test(rma/pscw_wildcard.c NP 4 GHOSTS 1 NODES 2 NAME p2p/pscw_wildcard ENV CSP_P2P=on)
foreach(test cart collectives create dup errhandler graph grequest intercomm p2p p2p_large partitioned session_world split)
    csp_add_mpi_test(world/${test}.c NP 4 GHOSTS 1 NODES 2 NAME p2p/world_${test} ENV CSP_P2P=on)
endforeach()
