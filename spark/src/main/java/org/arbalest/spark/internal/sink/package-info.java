// SPDX-License-Identifier: Apache-2.0
/** Writes of DataFrames into tables of databases with ADBC drivers. */
@NullMarked
package org.arbalest.spark.internal.sink;

import org.jspecify.annotations.NullMarked;
