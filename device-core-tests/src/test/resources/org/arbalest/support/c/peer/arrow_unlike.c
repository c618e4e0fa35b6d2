// SPDX-License-Identifier: Apache-2.0
/* The same producer in a library of somebody else. */
#include "small_producer.h"
