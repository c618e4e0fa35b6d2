// SPDX-License-Identifier: Apache-2.0
/** Databases with ADBC drivers, asked by executors. */
@NullMarked
package org.arbalest.spark.internal.adbc;

import org.jspecify.annotations.NullMarked;
