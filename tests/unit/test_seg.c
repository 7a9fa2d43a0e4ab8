// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Attaching is between processes, hence forks here; a child tells its verdict by its exit code.
#include "unit.h"
#include "shm/seg.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20, SKIP = 77 };

// Objects of this process in /dev/shm.
static int left_over(void)
{
    char prefix[32];
    int count = 0;
    snprintf(prefix, sizeof prefix, "casper-%d-", (int)getpid());
    DIR *dir = opendir("/dev/shm");
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        count += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
    closedir(dir);
    return count;
}

static int open_fds(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

// In the child: attaches, checks the parent's bytes, writes its own.
static void attach_body(void *arg)
{
    const struct csp_seg_key *key = arg;
    struct csp_seg seg;
    if (csp_seg_attach(key, &seg))
        _exit(1);
    unsigned char *p = seg.base;
    int fine =
        seg.bytes == key->bytes && seg.fd == -1 && p[0] == 7 && p[1] == 0 && p[seg.bytes - 1] == 9;
    p[1] = 8;
    csp_seg_unlink(&seg); // nothing to do for one that attached
    csp_seg_detach(&seg);
    _exit(fine && !seg.base ? 0 : 2);
}

static void two_processes_share(int named)
{
    struct csp_seg seg;
    struct csp_seg_key key;
    int fds = open_fds();
    assert_int_equal(csp_seg_create(BYTES - 100, named, &seg, &key), CSP_OK);
    assert_int_equal(seg.bytes, BYTES);
    assert_int_equal(key.bytes, BYTES);
    assert_int_equal(left_over(), named);
    unsigned char *p = seg.base;
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(p[i], 0);
    p[0] = 7;
    p[BYTES - 1] = 9;
    assert_int_equal(unit_fork(attach_body, &key), 0);
    assert_int_equal(p[1], 8);
    csp_seg_unlink(&seg);
    assert_int_equal(left_over(), 0);
    assert_int_equal(open_fds(), fds);
    assert_int_equal(p[1], 8); // the mapping stays
    csp_seg_detach(&seg);
    assert_null(seg.base);
}

static void memfd_is_shared(void **state)
{
    (void)state;
    two_processes_share(0);
}

static void name_is_shared(void **state)
{
    (void)state;
    two_processes_share(1);
}

// In the child: makes it larger, as several processes may at once, and writes to the new end.
static void grow_body(void *arg)
{
    const struct csp_seg_key *key = arg;
    struct csp_seg seg;
    if (csp_seg_attach_span(key, 8 * BYTES, &seg) || csp_seg_grow(key, 3 * BYTES) ||
        csp_seg_grow(key, 2 * BYTES))
        _exit(1);
    ((unsigned char *)seg.base)[3 * BYTES - 1] = 5;
    csp_seg_detach(&seg);
    _exit(0);
}

static void what_another_process_made_larger_is_seen(void **state)
{
    (void)state;
    struct csp_seg seg;
    struct csp_seg_key key;
    int fds = open_fds();
    assert_int_equal(csp_seg_create_span(BYTES, 8 * BYTES, &seg, &key), CSP_OK);
    const unsigned char *p = seg.base;
    assert_int_equal(unit_fork(grow_body, &key), 0);
    assert_int_equal(p[BYTES], 0);
    assert_int_equal(p[3 * BYTES - 1], 5);
    csp_seg_detach(&seg);
    assert_int_equal(open_fds(), fds);
    unit_capture_begin();
    assert_int_not_equal(csp_seg_grow(&key, 4 * BYTES), CSP_OK); // nobody has it
    unit_capture_end();
}

static uint64_t taken(const struct csp_seg *seg)
{
    struct stat s;
    assert_int_equal(fstat(seg->fd, &s), 0);
    return (uint64_t)s.st_blocks * 512;
}

// In the child: signals come all the time.
static void ignore(int sig)
{
    (void)sig;
}

static void grow_under_signals_body(void *arg)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, ignore);
    setitimer(ITIMER_REAL, &often, NULL);
    enum csp_status status = csp_seg_grow(arg, 3 * BYTES);
    setitimer(ITIMER_REAL, &never, NULL);
    _exit(status == CSP_OK ? 0 : 1);
}

static void memory_is_taken_for_what_is_new_alone(void **state)
{
    (void)state;
    struct csp_seg seg;
    struct csp_seg_key key;
    assert_int_equal(csp_seg_create_span(BYTES, 8 * BYTES, &seg, &key), CSP_OK);
    assert_true(taken(&seg) < BYTES);
    assert_int_equal(unit_fork(grow_under_signals_body, &key), 0);
    assert_in_range(taken(&seg), 2 * BYTES, 3 * BYTES - 1);
    csp_seg_detach(&seg);
}

static void detach_alone_leaves_nothing(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        struct csp_seg seg;
        struct csp_seg_key key;
        int fds = open_fds();
        assert_int_equal(csp_seg_create(BYTES, named, &seg, &key), CSP_OK);
        csp_seg_detach(&seg);
        csp_seg_detach(&seg);
        assert_int_equal(left_over(), 0);
        assert_int_equal(open_fds(), fds);
    }
}

static void zeroed_struct_is_safe(void **state)
{
    (void)state;
    struct csp_seg seg = {0};
    int fds = open_fds();
    csp_seg_unlink(&seg);
    csp_seg_detach(&seg);
    assert_int_equal(open_fds(), fds);
}

static void many_segments_have_distinct_names(void **state)
{
    (void)state;
    struct csp_seg segs[8];
    struct csp_seg_key keys[8];
    for (int i = 0; i < 8; i++) {
        assert_int_equal(csp_seg_create(4096, i % 2, &segs[i], &keys[i]), CSP_OK);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(keys[i].name, keys[j].name);
    }
    for (int i = 0; i < 8; i++)
        csp_seg_detach(&segs[i]);
}

static void bad_sizes_are_refused(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct csp_seg seg;
        struct csp_seg_key key;
        assert_int_equal(csp_seg_create(sizes[i], 0, &seg, &key), CSP_ERR_ARG);
        assert_null(seg.base);
    }
}

// The file behind the descriptor is not the segment: as in another process id namespace.
static void another_file_is_not_mapped(void **state)
{
    (void)state;
    struct csp_seg seg, other;
    struct csp_seg_key key;
    assert_int_equal(csp_seg_create(BYTES, 0, &seg, &key), CSP_OK);
    key.fd = STDIN_FILENO;
    assert_int_equal(csp_seg_attach(&key, &other), CSP_ERR_PERM);
    key.fd = 200; // not open
    assert_int_equal(csp_seg_attach(&key, &other), CSP_ERR_PERM);
    assert_null(other.base);
    csp_seg_detach(&seg);
}

static void a_short_file_is_not_mapped(void **state)
{
    (void)state;
    struct csp_seg seg, other;
    struct csp_seg_key key;
    assert_int_equal(csp_seg_create(BYTES, 1, &seg, &key), CSP_OK);
    key.bytes = 2 * BYTES;
    unit_capture_begin();
    enum csp_status status = csp_seg_attach(&key, &other);
    assert_non_null(strstr(unit_capture_end(), "casper: error: shared segment"));
    assert_int_equal(status, CSP_ERR_SYS);
    csp_seg_detach(&seg);
}

static void a_name_that_is_gone_is_said(void **state)
{
    (void)state;
    struct csp_seg seg, other;
    struct csp_seg_key key;
    assert_int_equal(csp_seg_create(BYTES, 1, &seg, &key), CSP_OK);
    csp_seg_unlink(&seg);
    unit_capture_begin();
    enum csp_status status = csp_seg_attach(&key, &other);
    assert_non_null(strstr(unit_capture_end(), "shm_open"));
    assert_int_equal(status, CSP_ERR_SYS);
    csp_seg_detach(&seg);
}

static void more_than_dev_shm_has_is_no_memory(void **state)
{
    (void)state;
    struct statvfs fs;
    struct csp_seg seg;
    struct csp_seg_key key;
    assert_int_equal(statvfs("/dev/shm", &fs), 0);
    if (fs.f_blocks == 0)
        skip(); // no limit
    unit_capture_begin();
    enum csp_status status =
        csp_seg_create((uint64_t)(fs.f_blocks + 1) * fs.f_frsize, 1, &seg, &key);
    const char *said = unit_capture_end();
    assert_non_null(strstr(said, "casper: error: shared segment of "));
    assert_non_null(strstr(said, "MB left"));
    assert_int_equal(status, CSP_ERR_NOMEM);
    assert_int_equal(left_over(), 0);
}

// With a /dev/shm of 4 MB of its own: what is given can be touched, what cannot is not given.
static void small_dev_shm_body(void *arg)
{
    struct csp_seg a, b;
    struct csp_seg_key key;
    (void)arg;
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=4m"))
        _exit(SKIP);
    if (csp_seg_create(3 << 20, 1, &a, &key) != CSP_OK)
        _exit(1);
    if (csp_seg_create(2 << 20, 1, &b, &key) != CSP_ERR_NOMEM) // although not a byte is touched yet
        _exit(2);
    memset(a.base, 1, a.bytes);
    csp_seg_detach(&a);
    if (csp_seg_create(2 << 20, 1, &b, &key) != CSP_OK)
        _exit(3);
    csp_seg_detach(&b);
    if (csp_seg_create(64 << 20, 0, &a, &key) != CSP_OK) // a memfd does not care
        _exit(4);
    memset(a.base, 1, a.bytes);
    csp_seg_detach(&a);
}

static void a_full_dev_shm_is_never_a_signal(void **state)
{
    (void)state;
    unit_capture_begin();
    int status = unit_fork(small_dev_shm_body, NULL);
    const char *said = unit_capture_end();
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIP)
        skip(); // needs the right to mount
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_non_null(strstr(said, "/dev/shm has only 1 MB left"));
}

static int reserved(const struct csp_seg *seg)
{
    struct stat file;
    return fstat(seg->fd, &file) == 0 && (uint64_t)file.st_blocks * 512 >= seg->bytes;
}

// With a policy file of its own that says 2. The kernel's policy stays: only whether memory is taken is seen.
static void strict_body(void *arg)
{
    struct csp_seg seg;
    struct csp_seg_key key;
    const char *said = "/dev/shm/policy";
    (void)arg;
    if (csp_seg_create(BYTES, 0, &seg, &key) != CSP_OK || reserved(&seg)) // unless it is 2 here
        _exit(SKIP);
    csp_seg_detach(&seg);
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=4m"))
        _exit(SKIP);
    FILE *f = fopen(said, "w");
    if (!f || fputs("2\n", f) < 0 || fclose(f) ||
        mount(said, "/proc/sys/vm/overcommit_memory", NULL, MS_BIND, NULL))
        _exit(SKIP);
    if (csp_seg_create(BYTES, 0, &seg, &key) != CSP_OK || !reserved(&seg))
        _exit(1);
    csp_seg_detach(&seg);
}

static void strict_accounting_takes_memory_at_once(void **state)
{
    (void)state;
    int status = unit_fork(strict_body, NULL);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIP)
        skip(); // needs the right to mount
    assert_int_equal(WEXITSTATUS(status), 0);
}

// In the child: files may be smaller than the segment, or than what it is to grow to.
static void small_files_body(void *arg)
{
    const struct csp_seg_key *key = arg;
    struct csp_seg seg;
    struct csp_seg_key none;
    const struct rlimit limit = {BYTES, BYTES};
    if (setrlimit(RLIMIT_FSIZE, &limit))
        _exit(SKIP);
    int refused = csp_seg_create(2 * BYTES, 0, &seg, &none) == CSP_ERR_NOMEM &&
                  csp_seg_create(2 * BYTES, 1, &seg, &none) == CSP_ERR_NOMEM &&
                  csp_seg_grow(key, 2 * BYTES) == CSP_ERR_NOMEM;
    if (csp_seg_create(BYTES, 0, &seg, &none))
        _exit(1);
    _exit(refused ? 0 : 2);
}

static void a_limit_of_files_is_never_a_signal(void **state)
{
    (void)state;
    struct csp_seg seg;
    struct csp_seg_key key;
    assert_int_equal(csp_seg_create_span(BYTES, 8 * BYTES, &seg, &key), CSP_OK);
    unit_capture_begin();
    int status = unit_fork(small_files_body, &key);
    const char *said = unit_capture_end();
    csp_seg_detach(&seg);
    assert_int_equal(status, 0);
    assert_non_null(strstr(said, "shared segment of 2 MB: files may have 1 MB only (ulimit -f)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memfd_is_shared),
        cmocka_unit_test(name_is_shared),
        cmocka_unit_test(what_another_process_made_larger_is_seen),
        cmocka_unit_test(memory_is_taken_for_what_is_new_alone),
        cmocka_unit_test(detach_alone_leaves_nothing),
        cmocka_unit_test(zeroed_struct_is_safe),
        cmocka_unit_test(many_segments_have_distinct_names),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(another_file_is_not_mapped),
        cmocka_unit_test(a_short_file_is_not_mapped),
        cmocka_unit_test(a_name_that_is_gone_is_said),
        cmocka_unit_test(more_than_dev_shm_has_is_no_memory),
        cmocka_unit_test(a_full_dev_shm_is_never_a_signal),
        cmocka_unit_test(strict_accounting_takes_memory_at_once),
        cmocka_unit_test(a_limit_of_files_is_never_a_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
