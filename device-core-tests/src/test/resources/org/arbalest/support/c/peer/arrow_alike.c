// SPDX-License-Identifier: Apache-2.0
/* A library that looks like Arrow C++: it has a function with the name of arrow::GetBuildInfo(). */
#include "small_producer.h"

void _ZN5arrow12GetBuildInfoEv(void);
void _ZN5arrow12GetBuildInfoEv(void) {}
