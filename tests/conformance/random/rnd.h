// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the programs with random contents share: random numbers, memory, datatypes, features, and the main
// program. A program is generated alike on each rank from a seed; its parts have ids; what is skipped by its id
// leaves all others as they are.
#ifndef RND_H
#define RND_H

#include "csp_test.h"
#include <stdbool.h>
#include <stddef.h>

enum { RND_MAX_RANKS = 16, RND_MAX_KINDS = 4, RND_MAX_FEATURES = 64 };

// Features that all programs have; those of a program follow.
enum rnd_feature {
    RND_F_DERIVED,
    RND_F_NEGATIVE,
    RND_F_COUNT_C,
    RND_F_THREADS,
    RND_F_OWN, // the first one of the program
};

struct rnd_rng {
    uint64_t state;
};

enum rnd_shape_kind {
    RND_LEAF,
    RND_CONTIGUOUS,
    RND_VECTOR,
    RND_HVECTOR,
    RND_INDEXED,
    RND_HINDEXED,
    RND_INDEXED_BLOCK,
    RND_HINDEXED_BLOCK,
    RND_STRUCT,
    RND_SUBARRAY,
    RND_DARRAY,
    RND_RESIZED,
    RND_DUP,
    RND_SHAPES
};

/** A datatype: blocks of `len[i]` children from byte `at[i]`. Arguments of its constructor beside. */
struct rnd_shape {
    enum rnd_shape_kind kind;
    int n, *len;
    MPI_Aint *at;
    struct rnd_shape **child; // one; a struct has one for each block
    MPI_Aint lb, extent;      // bytes
    int sizes[2], subsizes[2], starts[2], order, processes, coordinate, dist, dist_arg;
};

/** One side of an operation: `count` items of a shape. */
struct rnd_side {
    struct rnd_shape *shape;
    int count, n; // items, elements
    MPI_Aint *at; // byte of each element
    MPI_Aint lo, hi;
    bool shifted; // a type around it moves it by `shift` bytes
    MPI_Aint shift;
};

/** The options of a run. */
struct rnd_options {
    uint64_t seed;
    int count, repeat, phases, limit_s;
    bool list, threads;
    bool feature[RND_MAX_KINDS][RND_MAX_FEATURES];
    unsigned char *skip; // by id
    int nskip;
};
extern struct rnd_options rnd_opts;

/** What a program brings along. */
struct rnd_tester {
    const char *const
        *features; // names from RND_F_OWN on; the first ones are also those of the kinds
    int nfeatures, nkinds;
    int phases; // at most, if nothing else was said
    void (*plan)(uint64_t seed);
    void (*list)(void);              // ids and words
    uint64_t (*run)(void);           // @return a digest, the same on all ranks
    bool (*spoil)(const char *what); // errors on purpose, to test the tester; false: unknown
};
extern const struct rnd_tester rnd_tester; // of the program

// rnd_features.c
extern int rnd_kind; // of what is being planned
void rnd_disable(const char *list);
bool rnd_has(int feature);
bool rnd_skipped(int id);

// rnd_memory.c: random numbers, and memory that lives as long as the program of a seed
uint64_t rnd_next(struct rnd_rng *rng);
int rnd_pick(struct rnd_rng *rng, int n);
int rnd_between(struct rnd_rng *rng, int low, int high);
bool rnd_chance(struct rnd_rng *rng, int percent);
void *rnd_alloc(size_t bytes);
void rnd_free_all(void);

// rnd_shape.c, rnd_shape_mpi.c
struct rnd_shape *rnd_shape_random(struct rnd_rng *rng, int n, MPI_Aint extent, int depth);
void rnd_side_random(struct rnd_rng *rng, struct rnd_side *side, int n, MPI_Aint extent,
                     MPI_Aint span_bytes);
MPI_Datatype rnd_side_type(const struct rnd_side *side, MPI_Datatype leaf, int *count);
void rnd_side_free(MPI_Datatype *type, MPI_Datatype leaf);
void rnd_side_print(const struct rnd_side *side, char *text, size_t bytes);

// rnd_main.c
extern int rnd_rank, rnd_ranks;      // in MPI_COMM_WORLD: those of csp_test.h are of one file alone
extern int rnd_nodes[RND_MAX_RANKS]; // the lowest rank on the node of each rank
/** Where this rank is, for the message when the time is over. */
void rnd_at(const char *what, int id);
/** Keeps the first difference of this rank. */
void rnd_wrong(const char *text);
/** The same, behind where it is. */
void rnd_vwrong(const char *where, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

#endif
