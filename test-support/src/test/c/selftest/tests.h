/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The groups of tests: main.c runs the first two, async_tests.c the third.
 *
 * Included by: main.c peer_tests.c async_tests.c async_sins.c
 */
void peer_tests(void);
void async_tests(void);
void async_other_sins(void);
