// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Two ways to the same thing: a memfd that others open through /proc, or a name in /dev/shm. One that grows is mapped beyond the
// end of its file.
#include "shm/seg.h"
#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u
#endif

static const char shm_dir[] = "/dev/shm";

static enum csp_status status_of_errno(void)
{
    switch (errno) {
    case ENOMEM:
    case ENOSPC:
        return CSP_ERR_NOMEM;
    case EPERM:
    case EACCES:
    case ENOSYS:
        return CSP_ERR_PERM;
    default:
        return CSP_ERR_SYS;
    }
}

// Logs a failed system call. A refusal is no error yet: the caller has another way.
static enum csp_status failed(const char *what, uint64_t bytes)
{
    enum csp_status status = status_of_errno();
    csp_log_print(status == CSP_ERR_PERM ? CSP_LOG_INFO : CSP_LOG_ERROR,
                  "shared segment of %" PRIu64 " MB: %s: %m", bytes >> 20, what);
    return status;
}

// Distinct for every segment of the node, also when process ids repeat in containers.
static void make_name(char *name, size_t name_bytes)
{
    static _Atomic unsigned count;
    unsigned n = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    snprintf(name, name_bytes, "/casper-%d-%u-%" PRIx64, (int)getpid(), n, csp_clock_ns());
}

static int open_memfd(const char *name)
{
    int fd = memfd_create(name + 1, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL) // before Linux 6.3
        fd = memfd_create(name + 1, MFD_CLOEXEC);
    return fd;
}

// Beyond this limit the kernel ends the process by SIGXFSZ.
static enum csp_status check_limit(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        bytes <= limit.rlim_cur)
        return CSP_OK;
    csp_error("shared segment of %" PRIu64 " MB: files may have %" PRIu64
              " MB only (ulimit -f); raise that or make the windows (CSP_POOL_SIZE) smaller",
              bytes >> 20, (uint64_t)limit.rlim_cur >> 20);
    return CSP_ERR_NOMEM;
}

// Takes memory for bytes `from` to `to`, all or none. Old kernels give up at each signal, and a program may have a timer.
static int take_memory(int fd, uint64_t from, uint64_t to)
{
    sigset_t all, before;
    int rc;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    do
        rc = posix_fallocate(fd, (off_t)from, (off_t)(to - from));
    while (rc == EINTR);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

static enum csp_status reserve(int fd, uint64_t bytes, const char *what)
{
    errno = take_memory(fd, 0, bytes);
    return errno ? failed(what, bytes) : CSP_OK;
}

// /dev/shm has a limit, and going over it is a SIGBUS at the first touch: so all of it is taken
// now.
static enum csp_status reserve_named(int fd, uint64_t bytes)
{
    struct statvfs fs;
    if (fstatvfs(fd, &fs) == 0 && fs.f_blocks > 0) { // 0: no limit
        uint64_t free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
        if (free_bytes < bytes) {
            csp_error("shared segment of %" PRIu64 " MB: %s has only %" PRIu64
                      " MB left; make it larger or the windows (CSP_POOL_SIZE) smaller",
                      bytes >> 20, shm_dir, free_bytes >> 20);
            return CSP_ERR_NOMEM;
        }
    }
    return reserve(fd, bytes, "reserving room in /dev/shm");
}

// Whether the kernel promises no more memory than there is (2): a page beyond that is a SIGBUS at its first touch, in a memfd, too.
static int is_strict(void)
{
    char policy = 0;
    int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, &policy, 1);
    close(fd);
    return n == 1 && policy == '2';
}

static enum csp_status size_fd(int fd, uint64_t bytes, int named)
{
    enum csp_status status = check_limit(bytes);
    if (status)
        return status;
    if (named)
        return reserve_named(fd, bytes);
    if (is_strict())
        return reserve(fd, bytes, "reserving memory (vm.overcommit_memory is 2)");
    return ftruncate(fd, (off_t)bytes) ? failed("ftruncate", bytes) : CSP_OK;
}

static enum csp_status map_fd(int fd, uint64_t bytes, void **base)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return failed("mmap", bytes);
    *base = p;
    return CSP_OK;
}

// Rounded up to pages; 0 if that is nothing that mmap can take.
static uint64_t round_up(uint64_t bytes)
{
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    if (bytes == 0 || bytes > INT64_MAX - page_bytes)
        return 0;
    return (bytes + page_bytes - 1) & ~(page_bytes - 1);
}

static enum csp_status create(uint64_t bytes, uint64_t span, int named, struct csp_seg *seg,
                              struct csp_seg_key *key)
{
    memset(seg, 0, sizeof *seg);
    memset(key, 0, sizeof *key);
    bytes = round_up(bytes);
    span = round_up(span > bytes ? span : bytes);
    if (!bytes || !span)
        return CSP_ERR_ARG;
    char name[sizeof key->name];
    make_name(name, sizeof name);
    int fd = named ? shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : open_memfd(name);
    if (fd < 0)
        return failed(named ? "shm_open" : "memfd_create", bytes);
    void *base = NULL;
    enum csp_status status = size_fd(fd, bytes, named);
    if (!status)
        status = map_fd(fd, span, &base);
    if (status) {
        if (named)
            shm_unlink(name);
        close(fd);
        return status;
    }
    *seg = (struct csp_seg){.base = base, .bytes = bytes, .span = span, .fd = fd};
    *key = (struct csp_seg_key){.pid = getpid(), .fd = fd, .named = named != 0, .bytes = bytes};
    memcpy(key->name, name, sizeof name);
    if (named)
        memcpy(seg->name, name, sizeof name);
    return CSP_OK;
}

enum csp_status csp_seg_create(uint64_t bytes, int named, struct csp_seg *seg,
                               struct csp_seg_key *key)
{
    return create(bytes, bytes, named, seg, key);
}

enum csp_status csp_seg_create_span(uint64_t bytes, uint64_t span, struct csp_seg *seg,
                                    struct csp_seg_key *key)
{
    return create(bytes, span, 0, seg, key);
}

// In another process id namespace the same path may lead to somebody else's file: compare the name.
static enum csp_status check_link(const char *path, const char *name)
{
    char target[128];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n >= 0) {
        target[n] = 0;
        if (strstr(target, name))
            return CSP_OK;
        errno = EACCES;
    }
    csp_info("cannot reach a shared segment through %s: %m", path);
    return CSP_ERR_PERM;
}

static enum csp_status open_key(const struct csp_seg_key *key, int *fd)
{
    if (key->named) {
        *fd = shm_open(key->name, O_RDWR | O_CLOEXEC, 0);
        return *fd < 0 ? failed("shm_open", key->bytes) : CSP_OK;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%" PRId32, key->pid, key->fd);
    if (check_link(path, key->name + 1)) // the link reads "/memfd:NAME (deleted)"
        return CSP_ERR_PERM;
    *fd = open(path, O_RDWR | O_CLOEXEC);
    return *fd < 0 ? failed(path, key->bytes) : CSP_OK;
}

static enum csp_status check_size(int fd, uint64_t bytes)
{
    struct stat st;
    if (fstat(fd, &st))
        return failed("fstat", bytes);
    if ((uint64_t)st.st_size >= bytes)
        return CSP_OK;
    csp_error("shared segment of %" PRIu64 " bytes: the file has %" PRId64 " only", bytes,
              (int64_t)st.st_size);
    return CSP_ERR_SYS;
}

enum csp_status csp_seg_attach_span(const struct csp_seg_key *key, uint64_t span,
                                    struct csp_seg *seg)
{
    memset(seg, 0, sizeof *seg);
    span = round_up(span > key->bytes ? span : key->bytes);
    if (!key->bytes || !span)
        return CSP_ERR_ARG;
    int fd;
    enum csp_status status = open_key(key, &fd);
    if (status)
        return status;
    void *base = NULL;
    status = check_size(fd, key->bytes);
    if (!status)
        status = map_fd(fd, span, &base);
    close(fd);
    if (!status)
        *seg = (struct csp_seg){.base = base, .bytes = key->bytes, .span = span, .fd = -1};
    return status;
}

enum csp_status csp_seg_attach(const struct csp_seg_key *key, struct csp_seg *seg)
{
    return csp_seg_attach_span(key, key->bytes, seg);
}

// Never makes it shorter: several processes may be here, each with memory from where it was.
static int lengthen(int fd, uint64_t bytes)
{
    struct stat now;
    if (fstat(fd, &now))
        return errno;
    uint64_t end = (uint64_t)now.st_size;
    return bytes > end ? take_memory(fd, end, bytes) : 0;
}

enum csp_status csp_seg_grow(const struct csp_seg_key *key, uint64_t bytes)
{
    int fd;
    enum csp_status status = check_limit(bytes);
    if (!status)
        status = open_key(key, &fd);
    if (status)
        return status;
    errno = lengthen(fd, bytes);
    if (errno)
        status = failed("making it larger", bytes);
    close(fd);
    return status;
}

void csp_seg_unlink(struct csp_seg *seg)
{
    if (!seg->base) // zeroed: no descriptor, although fd is 0
        return;
    if (seg->name[0] && shm_unlink(seg->name))
        csp_warn("%s%s could not be removed: %m", shm_dir, seg->name);
    seg->name[0] = 0;
    if (seg->fd >= 0)
        close(seg->fd);
    seg->fd = -1;
}

void csp_seg_detach(struct csp_seg *seg)
{
    if (!seg->base)
        return;
    csp_seg_unlink(seg);
    munmap(seg->base, seg->span);
    memset(seg, 0, sizeof *seg);
}
