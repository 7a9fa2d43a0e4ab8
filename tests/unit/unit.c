// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS_MAX = 16 };

static int saved_fd, capture_fd;
static char captured[8192];

void unit_capture_begin(void)
{
    fflush(stderr);
    saved_fd = dup(STDERR_FILENO);
    capture_fd = memfd_create("stderr", MFD_CLOEXEC);
    assert_true(saved_fd >= 0 && capture_fd >= 0);
    // Else threads that write at once share an offset that nothing protects in a memfd.
    assert_int_equal(fcntl(capture_fd, F_SETFL, O_APPEND), 0);
    assert_int_equal(dup2(capture_fd, STDERR_FILENO), STDERR_FILENO);
}

const char *unit_capture_end(void)
{
    fflush(stderr);
    dup2(saved_fd, STDERR_FILENO);
    ssize_t n = pread(capture_fd, captured, sizeof captured - 1, 0);
    captured[n > 0 ? n : 0] = 0;
    close(saved_fd);
    close(capture_fd);
    return captured;
}

int unit_fork(void (*body)(void *arg), void *arg)
{
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL); // not cmocka's
        body(arg);
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

int unit_dies(void (*body)(void *arg), void *arg, const char *message)
{
    unit_capture_begin();
    int status = unit_fork(body, arg);
    const char *text = unit_capture_end();
    int found = strstr(text, message) != NULL;
    if (!found)
        print_error("no '%s' in: %s", message, text);
    return found && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

void unit_threads(unsigned count, void *(*body)(void *arg), void *args, size_t arg_bytes)
{
    pthread_t threads[THREADS_MAX];
    assert_true(count <= THREADS_MAX);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, (char *)args + i * arg_bytes), 0);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

// splitmix64
uint64_t unit_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
