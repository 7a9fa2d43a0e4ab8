// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the unit tests share: cmocka with the headers it needs, stderr in a buffer, deaths expected,
// threads, random numbers that are the same in every run.
#ifndef CSP_TESTS_UNIT_H
#define CSP_TESTS_UNIT_H

#include <setjmp.h> // these four before cmocka.h
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** From here on stderr goes to a buffer ... */
void unit_capture_begin(void);
/** ... and is back; what was written (up to 8 KB), valid until the next capture. */
const char *unit_capture_end(void);

/** Runs body(arg) in a child; its wait status. The child must not use cmocka. */
int unit_fork(void (*body)(void *arg), void *arg);

/** True if body(arg) ends in abort() after a message that contains `message`. */
int unit_dies(void (*body)(void *arg), void *arg, const char *message);

/** Runs body(arg + i * arg_bytes) for i < count, each in a thread of its own, and joins them. */
void unit_threads(unsigned count, void *(*body)(void *arg), void *args, size_t arg_bytes);

/** Next number of the sequence that starts with the seed in *state. */
uint64_t unit_random(uint64_t *state);

#endif
