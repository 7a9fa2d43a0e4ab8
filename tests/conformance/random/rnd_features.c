// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What a program may contain, by name, and what is skipped.
#include "rnd.h"

struct rnd_options rnd_opts;
int rnd_kind;

static const char *name_of(int feature)
{
    static const char *const common[RND_F_OWN] = {
        [RND_F_DERIVED] = "derived",
        [RND_F_NEGATIVE] = "negative",
        [RND_F_COUNT_C] = "count_c",
        [RND_F_THREADS] = "threads",
    };
    return feature < RND_F_OWN ? common[feature] : rnd_tester.features[feature - RND_F_OWN];
}

bool rnd_has(int feature)
{
    return rnd_opts.feature[rnd_kind][feature];
}

bool rnd_skipped(int id)
{
    return id < rnd_opts.nskip && rnd_opts.skip[id];
}

/** "acc" everywhere, or "acc@create" in one kind of window. @return false if there is no such word */
static bool disable_one(const char *word)
{
    const char *at = strchr(word, '@');
    size_t length = at ? (size_t)(at - word) : strlen(word);
    bool found = false;
    for (int k = 0; k < RND_MAX_KINDS; k++)
        for (int f = 0; f < RND_F_OWN + rnd_tester.nfeatures; f++) {
            bool here =
                !at || (k < rnd_tester.nkinds && strcmp(at + 1, name_of(RND_F_OWN + k)) == 0);
            if (here && strlen(name_of(f)) == length && strncmp(word, name_of(f), length) == 0) {
                rnd_opts.feature[k][f] = false;
                found = true;
            }
        }
    return found;
}

void rnd_disable(const char *list)
{
    char *copy = strdup(list), *save = NULL;
    for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save))
        if (!disable_one(w)) {
            fprintf(stderr, "no such feature: %s\n", w);
            exit(2);
        }
    free(copy);
}
