// SPDX-License-Identifier: Apache-2.0
/**
 * Arrays that another process has as well, without a copy: what is told of them, what is open, and who is done with it.
 */
@NullMarked
package org.arbalest.device.internal.sharing;

import org.jspecify.annotations.NullMarked;
