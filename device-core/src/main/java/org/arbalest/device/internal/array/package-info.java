// SPDX-License-Identifier: Apache-2.0
/**
 * Arrays: the owners of their memory, their import from native code and export to it, and the checks of their
 * structure.
 */
@NullMarked
package org.arbalest.device.internal.array;

import org.jspecify.annotations.NullMarked;
