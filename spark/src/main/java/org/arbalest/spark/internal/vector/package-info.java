// SPDX-License-Identifier: Apache-2.0
/** Arrow columns in the form that Spark reads. */
@NullMarked
package org.arbalest.spark.internal.vector;

import org.jspecify.annotations.NullMarked;
