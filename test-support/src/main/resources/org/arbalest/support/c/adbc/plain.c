// SPDX-License-Identifier: Apache-2.0
/* libplain: the same driver, with only the recommended entry point. */
#include "driver.h"

ENTRY(AdbcDriverInit, INIT_NORMAL)
