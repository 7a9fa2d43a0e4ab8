// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A message is put together on the stack and leaves in one write(2), so that lines of many
// processes do not mix. Any role, any thread.
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 2048, WHO_BYTES = 64, ROOM_MS = 1000 };

enum csp_log_level csp_log_level = CSP_LOG_WARN;
void (*csp_log_die_hook)(void);

// Two buffers: the one that a concurrent message may be reading is not written.
static char who_text[2][WHO_BYTES];
static _Atomic(const char *) who = who_text[0];

void csp_log_set_who(const char *text)
{
    const char *now = atomic_load_explicit(&who, memory_order_relaxed);
    char *next = who_text[now == who_text[0]];
    snprintf(next, WHO_BYTES, "%s", text);
    atomic_store_explicit(&who, next, memory_order_release); // pairs with the load in put_prefix
}

struct line {
    char text[LINE_BYTES];
    size_t used_bytes; // without the terminating 0; room for the newline is always left
};

static void put_va(struct line *line, const char *fmt, va_list ap)
{
    size_t room_bytes = sizeof line->text - 1 - line->used_bytes;
    int n = vsnprintf(line->text + line->used_bytes, room_bytes, fmt, ap);
    if (n > 0)
        line->used_bytes += (size_t)n < room_bytes ? (size_t)n : room_bytes - 1;
}

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_va(line, fmt, ap);
    va_end(ap);
}

static void put_prefix(struct line *line, enum csp_log_level level)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    line->used_bytes = 0;
    put(line, "casper: %s: ", names[level]);
    const char *text = atomic_load_explicit(&who, memory_order_acquire); // pairs with set_who
    if (text[0])
        put(line, "[%s] ", text);
}

// Standard error may be somebody's pipe that does not block; one that nobody reads is given up.
static int has_room(void)
{
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    return poll(&out, 1, ROOM_MS) == 1 && (out.revents & POLLOUT);
}

// One line a message, whatever stands in a variable or a file name.
static void send_line(struct line *line)
{
    for (size_t i = 0; i < line->used_bytes; i++)
        if ((unsigned char)line->text[i] < ' ' || line->text[i] == 0x7f)
            line->text[i] = ' ';
    line->text[line->used_bytes++] = '\n';
    for (size_t done = 0; done < line->used_bytes;) {
        ssize_t n = write(STDERR_FILENO, line->text + done, line->used_bytes - done);
        if (n < 0 && (errno == EINTR || (errno == EAGAIN && has_room())))
            continue;
        if (n <= 0)
            return; // nowhere to complain
        done += (size_t)n;
    }
}

void csp_log_print(enum csp_log_level level, const char *fmt, ...)
{
    if (level > csp_log_level)
        return;
    int saved_errno = errno;
    struct line line;
    put_prefix(&line, level);
    va_list ap;
    va_start(ap, fmt);
    errno = saved_errno; // for %m
    put_va(&line, fmt, ap);
    va_end(ap);
    send_line(&line);
    errno = saved_errno;
}

void csp_log_die(const char *file, int line_number, const char *fmt, ...)
{
    int saved_errno = errno;
    const char *slash = strrchr(file, '/');
    struct line line;
    put_prefix(&line, CSP_LOG_ERROR);
    va_list ap;
    va_start(ap, fmt);
    errno = saved_errno; // for %m
    put_va(&line, fmt, ap);
    va_end(ap);
    put(&line, " (%s:%d)", slash ? slash + 1 : file, line_number);
    send_line(&line);
    static _Atomic int dying;
    static _Thread_local int mine;
    if (!mine && atomic_exchange(&dying, 1))
        for (;;) // another thread ends the job
            pause();
    if (!mine++ && csp_log_die_hook) // a hook that fails ends here, too
        csp_log_die_hook();
    abort();
}
