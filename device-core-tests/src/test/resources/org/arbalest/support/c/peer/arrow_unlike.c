// SPDX-License-Identifier: Apache-2.0
/* The same producer in a library that does not look like Arrow C++. */
#include "small_producer.h"
