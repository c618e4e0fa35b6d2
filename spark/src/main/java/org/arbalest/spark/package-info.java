// SPDX-License-Identifier: Apache-2.0
/** Device arrays in Spark: sources that read native streams, and functions on the columns of any query. */
@NullMarked
package org.arbalest.spark;

import org.jspecify.annotations.NullMarked;
