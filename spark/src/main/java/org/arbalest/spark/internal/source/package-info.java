// SPDX-License-Identifier: Apache-2.0
/** The data source. */
@NullMarked
package org.arbalest.spark.internal.source;

import org.jspecify.annotations.NullMarked;
