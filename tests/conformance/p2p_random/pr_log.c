// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The log for the model of matching. One line for each message sent, and one for each receive:
//     s POOL FROM TO TAG NUMBER
//     r POOL TO POSTED SOURCE TAG FROM NUMBER     (POSTED: in which order; SOURCE, TAG: or -1)
// Receives of one pool take no messages of another, and only those of a pool are ordered: others may be of another thread.
#include "pr.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *text;
static size_t used, room;
static int posted;

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&mutex);
    if (room - used < 256) {
        room = 2 * room + 4096;
        text = realloc(text, room);
        if (!text)
            abort();
    }
    used += (size_t)vsnprintf(text + used, room - used, fmt, ap);
    pthread_mutex_unlock(&mutex);
    va_end(ap);
}

// Spoilt: the messages of a sender seem to come in the reverse order.
static int number_of(const struct pr_message *m)
{
    return pr_spoil_order ? 1000 - m->number : m->number;
}

void pr_log_sent(const struct pr_pair *pair)
{
    const struct pr_message *m = &pair->m;
    say("log s %d %d %d %d %d\n", pair->pool->id, m->from, m->to, m->tag, number_of(m));
}

void pr_log_posted(struct pr_pair *pair)
{
    pthread_mutex_lock(&mutex);
    pair->posted = posted++;
    pthread_mutex_unlock(&mutex);
}

void pr_log_received(const struct pr_pair *wanted, const struct pr_pair *got)
{
    const struct pr_receive *r = &wanted->r;
    say("log r %d %d %d %d %d %d %d\n", wanted->pool->id, wanted->m.to, wanted->posted,
        r->source == MPI_ANY_SOURCE ? -1 : r->source, r->tag == MPI_ANY_TAG ? -1 : r->tag,
        got->m.from, number_of(&got->m));
}

void pr_log_print(void)
{
    int mine = (int)used, sizes[RND_MAX_RANKS], at[RND_MAX_RANKS], all = 0;
    MPI_Gather(&mine, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < rnd_ranks && rnd_rank == 0; r++) {
        at[r] = all;
        all += sizes[r];
    }
    char *whole = csp_test_malloc((size_t)all + 1);
    MPI_Gatherv(text, mine, MPI_CHAR, whole, sizes, at, MPI_CHAR, 0, MPI_COMM_WORLD);
    fwrite(whole, 1, (size_t)all, stdout);
    free(whole);
    free(text);
    text = NULL;
    used = room = 0;
    posted = 0;
}
