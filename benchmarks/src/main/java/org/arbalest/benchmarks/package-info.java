// SPDX-License-Identifier: Apache-2.0
/** Benchmarks against arrow-java. */
@NullMarked
package org.arbalest.benchmarks;

import org.jspecify.annotations.NullMarked;
