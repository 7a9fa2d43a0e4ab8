// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "match/match.h"

#include <stddef.h>

#define NODE_OF(link, member)                                                                      \
    ((struct csp_match_node *)((char *)(link) - offsetof(struct csp_match_node, member)))

static void list_init(struct csp_match_link *list)
{
    list->next = list->prev = list;
}

static void list_append(struct csp_match_link *list, struct csp_match_link *link)
{
    link->next = list;
    link->prev = list->prev;
    list->prev->next = link;
    list->prev = link;
}

static void list_remove(struct csp_match_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
}

static unsigned bin_of(const struct csp_envelope *env)
{
    uint64_t h = env->context * 0x9e3779b97f4a7c15u;
    h ^= ((uint64_t)(uint32_t)env->source << 32 | (uint32_t)env->tag) * 0xc2b2ae3d27d4eb4fu;
    return (unsigned)(h >> 32 ^ h >> 56) % CSP_MATCH_BINS;
}

static int is_wild(const struct csp_envelope *env)
{
    return env->source == CSP_MATCH_ANY || env->tag == CSP_MATCH_ANY;
}

static int takes(const struct csp_envelope *want, const struct csp_envelope *has)
{
    return want->context == has->context &&
           (want->source == CSP_MATCH_ANY || want->source == has->source) &&
           (want->tag == CSP_MATCH_ANY || want->tag == has->tag);
}

void csp_match_init(struct csp_match *m)
{
    m->order = 0;
    for (int i = 0; i < CSP_MATCH_BINS; i++) {
        list_init(&m->receives[i]);
        list_init(&m->messages[i]);
    }
    list_init(&m->wild_receives);
    list_init(&m->all_messages);
}

void csp_match_post(struct csp_match *m, struct csp_match_node *receive)
{
    receive->order = m->order++;
    list_append(is_wild(&receive->env) ? &m->wild_receives : &m->receives[bin_of(&receive->env)],
                &receive->in_bin);
}

// The first receive of a list that takes the message.
static struct csp_match_node *first_taker(const struct csp_match_link *list,
                                          const struct csp_envelope *env)
{
    for (struct csp_match_link *at = list->next; at != list; at = at->next)
        if (takes(&NODE_OF(at, in_bin)->env, env))
            return NODE_OF(at, in_bin);
    return NULL;
}

struct csp_match_node *csp_match_take_receive(struct csp_match *m, const struct csp_envelope *env)
{
    struct csp_match_node *exact = first_taker(&m->receives[bin_of(env)], env);
    struct csp_match_node *wild = first_taker(&m->wild_receives, env);
    struct csp_match_node *first = exact;
    if (!exact || (wild && wild->order < exact->order))
        first = wild;
    if (first)
        csp_match_remove_receive(first);
    return first;
}

void csp_match_keep(struct csp_match *m, struct csp_match_node *message)
{
    message->order = m->order++;
    list_append(&m->messages[bin_of(&message->env)], &message->in_bin);
    list_append(&m->all_messages, &message->in_all);
}

struct csp_match_node *csp_match_find_message(const struct csp_match *m,
                                              const struct csp_envelope *env)
{
    if (is_wild(env)) {
        const struct csp_match_link *list = &m->all_messages;
        for (struct csp_match_link *at = list->next; at != list; at = at->next)
            if (takes(env, &NODE_OF(at, in_all)->env))
                return NODE_OF(at, in_all);
        return NULL;
    }
    const struct csp_match_link *list = &m->messages[bin_of(env)];
    for (struct csp_match_link *at = list->next; at != list; at = at->next)
        if (takes(env, &NODE_OF(at, in_bin)->env))
            return NODE_OF(at, in_bin);
    return NULL;
}

void csp_match_remove_receive(struct csp_match_node *receive)
{
    list_remove(&receive->in_bin);
}

void csp_match_remove_message(struct csp_match_node *message)
{
    list_remove(&message->in_bin);
    list_remove(&message->in_all);
}
