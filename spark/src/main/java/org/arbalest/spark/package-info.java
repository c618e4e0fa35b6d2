// SPDX-License-Identifier: Apache-2.0
/** Device arrays in Spark: streams of native engines in, columns of any query out. */
@NullMarked
package org.arbalest.spark;

import org.jspecify.annotations.NullMarked;
