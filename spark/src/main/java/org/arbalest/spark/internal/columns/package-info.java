// SPDX-License-Identifier: Apache-2.0
/** Spark's rows and columns as device arrays, and back. */
@NullMarked
package org.arbalest.spark.internal.columns;

import org.jspecify.annotations.NullMarked;
