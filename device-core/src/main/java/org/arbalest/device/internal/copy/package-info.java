// SPDX-License-Identifier: Apache-2.0
/** Copies of arrays from one memory to another by a queue, and concatenations of arrays. */
@NullMarked
package org.arbalest.device.internal.copy;

import org.jspecify.annotations.NullMarked;
