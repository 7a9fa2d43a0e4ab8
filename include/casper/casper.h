// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The public interface of Casper. A program needs none of it: preloading or linking libcasper is
// enough. It is for programs that want to know, or to say more by MPI info. All functions may be
// called by any thread at any time, before MPI_Init and after MPI_Finalize as well; none blocks,
// none communicates.
#ifndef CASPER_CASPER_H
#define CASPER_CASPER_H

#define CASPER_VERSION_MAJOR 0
#define CASPER_VERSION_MINOR 1
#define CASPER_VERSION_PATCH 0
#define CASPER_VERSION_STRING "0.1.0"

#if defined(__GNUC__)
#define CASPER_API __attribute__((visibility("default")))
#else
#define CASPER_API
#endif

/**
 * Info keys of MPI_Win_allocate, MPI_Win_create and MPI_Win_create_dynamic, for nodes with several ghosts.
 * What the window's rank 0 says holds for the window; without a key the variable of the same name
 * does (CSP_ACC_GHOST, CSP_PUTGET_GHOST). An unknown value is ignored with a warning. Source: TPDS 3.1.
 *
 * CASPER_INFO_ACC_GHOST: "rank": one ghost executes all accumulate operations on a target. "segment": the
 * target's memory is cut into as many segments as its node has ghosts, each with its own ghost
 * (windows of MPI_Win_allocate only).
 *
 * CASPER_INFO_PUTGET_GHOST: "bound": PUT and GET go to the ghost that executes the target's accumulate
 * operations. "operations", "bytes": each goes to the ghost of the target's node that this process
 * has given the fewest operations, or bytes, in this window.
 */
#define CASPER_INFO_ACC_GHOST "casper_acc_ghost"
#define CASPER_INFO_PUTGET_GHOST "casper_putget_ghost"

/**
 * Info keys of a window, at its creation and by MPI_Win_set_info: what the calling process promises. Source:
 * TPDS 5.3.
 *
 * CASPER_INFO_EPOCHS_USED: kinds of epochs that it will open, of "fence", "pscw", "lock", "lockall", with
 * commas between them. Any other is then an error of class MPI_ERR_RMA_SYNC.
 *
 * CASPER_INFO_NO_LOCAL: "true": it will not load from or store to its part of the window itself.
 */
#define CASPER_INFO_EPOCHS_USED "epochs_used"
#define CASPER_INFO_NO_LOCAL "no_local_load_store"

/**
 * Info keys for redirection, at the creation of a window and by MPI_Win_set_info. Source: TPDS 5.2.
 *
 * CASPER_INFO_ASYNC_CONFIG: "on": ghosts execute operations; "off": their targets do, as in plain MPI;
 * "auto": whichever is measured to be faster while the program runs. All
 * processes of the window must say the same, or the call that makes it so is an error of class
 * MPI_ERR_INFO_VALUE: the creation, or the next MPI_Win_fence. Without the key at creation
 * CSP_ASYNC_CONFIG holds. A window can change only if the key was there at its creation or
 * CSP_ASYNC_CONFIG is not "on". It is without meaning where no MPI library is between (PUT and GET inside a node,
 * windows of one node; MPI_Win_create, MPI_Win_create_dynamic).
 *
 * CASPER_INFO_SYMMETRIC: "true": no operation of the window is under way and all its processes are in this call
 * of MPI_Win_set_info, such as after MPI_Win_flush_all and MPI_Barrier: the change is made in the call.
 */
#define CASPER_INFO_ASYNC_CONFIG "async_config"
#define CASPER_INFO_SYMMETRIC "symmetric"

/**
 * Info key in the answer of MPI_Win_get_info. "redirected": ghosts map the window's memory and the MPI library,
 * or for accumulates they and the users of its node, execute operations there. "software": ghosts execute them in the memory of the target process. Without
 * the key the window is the MPI library's own.
 */
#define CASPER_INFO_ROUTE "casper_route"

/**
 * Info key for sends and receives, with CSP_P2P=on, auto or info. "on": ghosts carry those of the communicator; "off": they
 * stay with the MPI library; "auto": whichever is measured to be faster. Read where a communicator is made with an info (MPI_Comm_dup_with_info,
 * MPI_Comm_split_type ...), and by MPI_Comm_set_info: then no message may be without its receive in the communicator and it
 * may have no request, or the call fails with MPI_ERR_PENDING (as far as Casper can see it: receives of the MPI library's it cannot); processes that say different things get
 * MPI_ERR_INFO_VALUE. Without the key CSP_P2P holds. It does not go over to a duplicate. Source: CasperII III.
 */
#define CASPER_INFO_P2P "casper_p2p"

/**
 * Info keys of the first CasperII for communicators, with CSP_P2P=on, auto or info: hints that are taken and told by
 * MPI_Comm_get_info, and change nothing: what they shall allow is always done. An unknown value is ignored with a warning.
 * Source: CasperII III-C, IV-C.
 *
 * CASPER_INFO_WILDCARD_USED: "any_src", "any_tag_same_tag", both with a bar between them, or "none".
 * CASPER_INFO_SHMBUF_REGIST: "true", "false". CASPER_INFO_OFFLOAD_MIN_MSGSZ: bytes.
 */
#define CASPER_INFO_WILDCARD_USED "wildcard_used"
#define CASPER_INFO_SHMBUF_REGIST "shmbuf_regist"
#define CASPER_INFO_OFFLOAD_MIN_MSGSZ "offload_min_msgsz"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library that runs, which need not be the header's: "MAJOR.MINOR.PATCH". */
CASPER_API const char *casper_version(void);

/**
 * @return 1 while the program runs over ghosts (MPI is initialised and this job has ghosts), else
 * 0: then every MPI call goes straight to the MPI library.
 */
CASPER_API int casper_active(void);

/** @return ghosts on each node; 0 when casper_active() is 0. */
CASPER_API int casper_ghosts_per_node(void);

/** @return nodes of the job (shared-memory domains); 0 when casper_active() is 0. */
CASPER_API int casper_nodes(void);

/**
 * Counters of the calling process since MPI_Init, and of the ghosts of its node together (casper_ghosts_...,
 * some 10 ms old): operations, bytes, nanoseconds waited. The same as MPI's tool interface gives as performance
 * variables. 0 without ghosts; after MPI_Finalize the last values. Which there are: the user guide.
 * @param i 0, 1 ...
 * @param name of it, such as "casper_put_count", valid for ever; may be NULL
 * @param value may be NULL
 * @return 1, or 0: there is no counter i.
 */
CASPER_API int casper_counter_get(int i, const char **name, unsigned long long *value);

#ifdef __cplusplus
}
#endif

#endif
