// SPDX-License-Identifier: Apache-2.0
/** The state of a Spark task on its executor. */
@NullMarked
package org.arbalest.spark.internal.task;

import org.jspecify.annotations.NullMarked;
