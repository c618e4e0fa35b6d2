// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of columns into and out of Spark, compared with Spark's own ways. */
@NullMarked
package org.arbalest.benchmarks.spark;

import org.jspecify.annotations.NullMarked;
