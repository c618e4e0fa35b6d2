// SPDX-License-Identifier: Apache-2.0
/* libnot_a_driver: a library without an entry point. */
int not_a_driver(void);
int not_a_driver(void) { return 42; }
