// SPDX-License-Identifier: Apache-2.0
/** What a task of Spark's is on its executor. */
@NullMarked
package org.arbalest.spark.internal.task;

import org.jspecify.annotations.NullMarked;
