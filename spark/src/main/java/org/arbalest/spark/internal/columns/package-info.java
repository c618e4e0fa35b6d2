// SPDX-License-Identifier: Apache-2.0
/** Conversion between Spark's rows and columns and device arrays. */
@NullMarked
package org.arbalest.spark.internal.columns;

import org.jspecify.annotations.NullMarked;
