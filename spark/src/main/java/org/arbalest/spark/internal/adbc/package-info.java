// SPDX-License-Identifier: Apache-2.0
/** Queries that executors send to databases with ADBC drivers. */
@NullMarked
package org.arbalest.spark.internal.adbc;

import org.jspecify.annotations.NullMarked;
