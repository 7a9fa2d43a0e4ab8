// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Matching against a model that looks through everything in order.
#include "match/match.h"
#include "unit.h"

enum { MOST = 64, STEPS = 200000, CONTEXTS = 2, SOURCES = 3, TAGS = 3 };

// What is there, in order; a number names a receive or message for good.
struct model {
    struct csp_envelope env[MOST];
    int number[MOST], n;
};

static struct csp_match match;
static struct csp_match_node nodes[2 * MOST]; // receives, then messages
static int number_of[2 * MOST];               // -1: not in use

static int takes(const struct csp_envelope *want, const struct csp_envelope *has)
{
    return want->context == has->context && (want->source == -1 || want->source == has->source) &&
           (want->tag == -1 || want->tag == has->tag);
}

static void append(struct model *m, const struct csp_envelope *env, int number)
{
    m->env[m->n] = *env;
    m->number[m->n++] = number;
}

static void erase(struct model *m, int at)
{
    for (m->n--; at < m->n; at++) {
        m->env[at] = m->env[at + 1];
        m->number[at] = m->number[at + 1];
    }
}

static int first_taker(const struct model *receives, const struct csp_envelope *has)
{
    for (int i = 0; i < receives->n; i++)
        if (takes(&receives->env[i], has))
            return i;
    return -1;
}

static int first_message(const struct model *messages, const struct csp_envelope *want)
{
    for (int i = 0; i < messages->n; i++)
        if (takes(want, &messages->env[i]))
            return i;
    return -1;
}

static struct csp_match_node *unused(int from, int number)
{
    int i = from;
    while (number_of[i] >= 0)
        i++;
    number_of[i] = number;
    return &nodes[i];
}

static int number(const struct csp_match_node *node)
{
    return node ? number_of[node - nodes] : -1;
}

static void release(const struct csp_match_node *node)
{
    number_of[node - nodes] = -1;
}

static struct csp_envelope any_envelope(uint64_t *seed, int wild)
{
    struct csp_envelope env = {.context = unit_random(seed) % CONTEXTS,
                               .source = (int32_t)(unit_random(seed) % SOURCES),
                               .tag = (int32_t)(unit_random(seed) % TAGS)};
    if (wild && unit_random(seed) % 4 == 0)
        env.source = CSP_MATCH_ANY;
    if (wild && unit_random(seed) % 4 == 0)
        env.tag = CSP_MATCH_ANY;
    return env;
}

// A receive is posted: it takes the first message for it, or waits.
static void receive(struct model *receives, struct model *messages, uint64_t *seed, int step)
{
    struct csp_envelope env = any_envelope(seed, 1);
    int at = first_message(messages, &env);
    struct csp_match_node *got = csp_match_find_message(&match, &env);
    assert_int_equal(number(got), at < 0 ? -1 : messages->number[at]);
    if (got) {
        csp_match_remove_message(got);
        release(got);
        erase(messages, at);
    } else if (receives->n < MOST) {
        struct csp_match_node *node = unused(0, step);
        node->env = env;
        csp_match_post(&match, node);
        append(receives, &env, step);
    }
}

// A message comes: the first receive for it takes it, or it waits.
static void arrive(struct model *receives, struct model *messages, uint64_t *seed, int step)
{
    struct csp_envelope env = any_envelope(seed, 0);
    int at = first_taker(receives, &env);
    if (at < 0 && messages->n == MOST)
        return;
    struct csp_match_node *got = csp_match_take_receive(&match, &env);
    assert_int_equal(number(got), at < 0 ? -1 : receives->number[at]);
    if (got) {
        release(got);
        erase(receives, at);
        return;
    }
    struct csp_match_node *node = unused(MOST, step);
    node->env = env;
    csp_match_keep(&match, node);
    append(messages, &env, step);
}

// A receive is cancelled.
static void cancel(struct model *receives, uint64_t *seed)
{
    if (receives->n == 0)
        return;
    int at = (int)(unit_random(seed) % (uint64_t)receives->n);
    for (int i = 0; i < MOST; i++) {
        if (number_of[i] != receives->number[at])
            continue;
        csp_match_remove_receive(&nodes[i]);
        number_of[i] = -1;
    }
    erase(receives, at);
}

static void test_as_in_order(void **state)
{
    static struct model receives, messages;
    uint64_t seed = 1;
    (void)state;
    csp_match_init(&match);
    for (int i = 0; i < 2 * MOST; i++)
        number_of[i] = -1;
    for (int step = 0; step < STEPS; step++) {
        // Now receives wait, now messages.
        uint64_t many = step / 1000 % 2 ? 7 : 3;
        if (unit_random(&seed) % 20 == 0)
            cancel(&receives, &seed);
        else if (unit_random(&seed) % 10 < many)
            receive(&receives, &messages, &seed, step);
        else
            arrive(&receives, &messages, &seed, step);
    }
}

static void test_a_probe_leaves_the_message(void **state)
{
    struct csp_envelope env = {.context = 1, .source = 2, .tag = 3}, other = env, any = env;
    (void)state;
    other.tag = 4;
    any.source = any.tag = CSP_MATCH_ANY;
    csp_match_init(&match);
    nodes[0].env = env;
    csp_match_keep(&match, &nodes[0]);
    assert_ptr_equal(csp_match_find_message(&match, &any), &nodes[0]);
    assert_ptr_equal(csp_match_find_message(&match, &env), &nodes[0]);
    assert_null(csp_match_find_message(&match, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_in_order),
                                       cmocka_unit_test(test_a_probe_leaves_the_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
