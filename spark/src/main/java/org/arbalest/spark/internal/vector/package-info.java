// SPDX-License-Identifier: Apache-2.0
/** Arrow columns as Spark's. */
@NullMarked
package org.arbalest.spark.internal.vector;

import org.jspecify.annotations.NullMarked;
