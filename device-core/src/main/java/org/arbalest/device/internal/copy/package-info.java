// SPDX-License-Identifier: Apache-2.0
/** Copies of arrays from one memory to another, by a queue; and arrays that are joined to one. */
@NullMarked
package org.arbalest.device.internal.copy;

import org.jspecify.annotations.NullMarked;
