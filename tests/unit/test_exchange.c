// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the exchanges of predictions cost as jobs grow, up to 100,000 processes: messages and steps by the logarithm of
// the nodes, none that grow with the nodes themselves.
#include "unit.h"
#include "adapt/news.h"
#include "adapt/rounds.h"
#include "exchange_sim.h"

static const struct exchange_gsync gsync = {100, 1, 2};

static struct exchange_fence fence(int users, int per_node, enum exchange_change change)
{
    return exchange_fence(&(struct exchange_job){users, per_node, change});
}

static void a_fence_takes_log2_steps(void **state)
{
    (void)state;
    for (int per = 16; per <= 64; per *= 4)
        for (int users = 4 * per; users <= 100000; users = users < 50000 ? 4 * users : 2 * users) {
            for (int change = EXCHANGE_NONE; change <= EXCHANGE_ALL; change++) {
                struct exchange_fence r = fence(users, per, (enum exchange_change)change);
                int phases = change == EXCHANGE_NONE ? 1 : 3; // vote; exchange; barrier
                assert_int_equal(r.wrong, 0);
                assert_int_equal(r.steps, phases * csp_rounds(r.nodes));
                assert_true(r.messages <= r.steps + 2 * (int)r.bytes / CSP_PACK_BYTES);
            }
        }
}

static void a_fence_of_100000_is_cheap(void **state)
{
    (void)state;
    struct exchange_fence none = fence(100000, 64, EXCHANGE_NONE);
    struct exchange_fence one = fence(100000, 64, EXCHANGE_ONE);
    struct exchange_fence all = fence(100000, 64, EXCHANGE_ALL);
    struct exchange_fence tenth = fence(10000, 64, EXCHANGE_ONE);
    assert_int_equal(one.wrong + all.wrong, 0);
    assert_true(none.time_us < 25 && one.time_us < 75);
    assert_true(one.time_us < 1.6 * tenth.time_us); // log2 of the nodes
    assert_true(all.time_us < one.time_us + 100000 * exchange_net.user_ns * 1e-3 + 20);
    assert_true(all.bytes < 1563 * (double)csp_pack_record_bytes(64) + 40 * 64);
}

static struct exchange_ghosts ghosts(int users, enum exchange_change change)
{
    struct exchange_ghosts r = exchange_ghosts(&(struct exchange_job){users, 64, change}, &gsync);
    assert_int_equal(r.wrong, 0);
    return r;
}

static void ghosts_have_no_messages_without_news(void **state)
{
    (void)state;
    assert_true(ghosts(16384, EXCHANGE_NONE).messages == 0);
}

// Up the tree, and down to its children.
static void one_change_is_a_few_messages_for_a_ghost(void **state)
{
    (void)state;
    for (int users = 256; users <= 65536; users *= 4) {
        struct exchange_ghosts r = ghosts(users, EXCHANGE_ONE);
        assert_true(r.messages <= CSP_NEWS_CHILDREN + 3);
        assert_true(r.stale_ms <= 2 * r.levels * (gsync.look_ms + 0.1) + gsync.look_ms);
    }
}

static void all_change_and_a_ghost_has_a_bounded_number(void **state)
{
    (void)state;
    double hold_ms = gsync.interval_ms / CSP_NEWS_SHARES;
    for (int users = 256; users <= 16384; users *= 4) {
        struct exchange_ghosts r = ghosts(users, EXCHANGE_ALL);
        assert_true(r.messages <= 2 * (CSP_NEWS_CHILDREN + 1) * CSP_NEWS_SHARES);
        assert_true(r.busy < 0.01);
        // its own interval may just have begun when a prediction changes
        assert_true(r.stale_ms <= gsync.interval_ms + (r.levels + 1) * hold_ms +
                                      (2 * r.levels + 2) * gsync.look_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fence_takes_log2_steps),
        cmocka_unit_test(a_fence_of_100000_is_cheap),
        cmocka_unit_test(ghosts_have_no_messages_without_news),
        cmocka_unit_test(one_change_is_a_few_messages_for_a_ghost),
        cmocka_unit_test(all_change_and_a_ghost_has_a_bounded_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
