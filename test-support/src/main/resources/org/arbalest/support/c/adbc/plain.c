// SPDX-License-Identifier: Apache-2.0
/* libplain: the same driver, with no entry point but the recommended one. */
#include "driver.h"

ENTRY(AdbcDriverInit, INIT_NORMAL)
