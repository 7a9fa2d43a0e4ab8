// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Launchers give standard input to their rank 0 alone, and that is a ghost.
#include "runtime/stdin.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "runtime/init.h"
#include "runtime/node.h"
#include "runtime/peers.h"
#include "runtime/rt.h"

enum { TAG = 31806, NULL_MAJOR = 1, NULL_MINOR = 3 }; // /dev/null

// Which file it is; pids may mean other processes in other namespaces.
struct file {
    uint64_t dev, ino; // 0, 0: closed
};

static struct file file_of(int fd)
{
    struct stat is;
    if (fd < 0 || fstat(fd, &is) != 0)
        return (struct file){0, 0};
    return (struct file){is.st_dev, is.st_ino};
}

// Closed, /dev/null, or a pipe or socket without data by now: MPICH's launcher gives a pipe to each rank and writes to that of
// rank 0 alone; one that writes to all of them wrote the same.
static int gives_nothing(int fd)
{
    struct stat is;
    if (fstat(fd, &is) != 0)
        return 1;
    if (S_ISCHR(is.st_mode))
        return is.st_rdev == makedev(NULL_MAJOR, NULL_MINOR);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return (S_ISFIFO(is.st_mode) || S_ISSOCK(is.st_mode)) &&
           !(poll(&p, 1, 0) > 0 && (p.revents & POLLIN));
}

// The same open file, or on older kernels the same pipe or file opened anew; of a socket there is no such thing.
static int open_input_of(int pid)
{
    char path[64];
    int fd = -1;
#ifdef SYS_pidfd_getfd
    int process = csp_peers_open(pid);
    if (process >= 0) {
        fd = (int)syscall(SYS_pidfd_getfd, process, STDIN_FILENO, 0);
        close(process);
    }
#endif
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, STDIN_FILENO);
    return open(path, O_RDONLY);
}

static void take(const struct csp_node_proc *from, struct file wanted)
{
    int fd = open_input_of(from->pid);
    struct file is = file_of(fd);
    int taken = fd >= 0 && is.dev == wanted.dev && is.ino == wanted.ino;
    if (!taken)
        csp_info("standard input stays with rank 0 of the real world, a ghost: %m");
    else if (fd != STDIN_FILENO) // which was not closed
        dup2(fd, STDIN_FILENO);
    if (fd >= 0 && !(taken && fd == STDIN_FILENO))
        close(fd);
}

void csp_stdin_pass(void)
{
    const int32_t *node = csp_topo_node_of_wrank(csp_rt.topo);
    const int32_t *lrank = csp_topo_lrank_of_wrank(csp_rt.topo);
    int taker = csp_topo_wrank_of_urank(csp_rt.topo)[0];
    struct file mine = {0, 0};
    if (taker == 0 || node[taker] != node[0])
        return; // nobody else could open it
    if (csp_rt.wrank == 0) {
        mine = file_of(STDIN_FILENO);
        csp_init_must(csp_mpi.Send(&mine, sizeof(mine), MPI_BYTE, taker, TAG, csp_rt.world),
                      "MPI_Send");
    } else if (csp_rt.wrank == taker) {
        csp_init_must(
            csp_mpi.Recv(&mine, sizeof(mine), MPI_BYTE, 0, TAG, csp_rt.world, MPI_STATUS_IGNORE),
            "MPI_Recv");
        if (mine.ino != 0 && gives_nothing(STDIN_FILENO))
            take(&csp_node_procs(csp_rt.page)[lrank[0]], mine);
    }
}
