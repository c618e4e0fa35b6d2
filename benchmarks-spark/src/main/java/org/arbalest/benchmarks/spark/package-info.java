// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of columns in and out of Spark, beside Spark's own ways. */
@NullMarked
package org.arbalest.benchmarks.spark;

import org.jspecify.annotations.NullMarked;
