// SPDX-License-Identifier: Apache-2.0
/** Statistics: the statistics schema, read from an array, written to an array, and computed from values. */
@NullMarked
package org.arbalest.device.internal.statistics;

import org.jspecify.annotations.NullMarked;
