// SPDX-License-Identifier: Apache-2.0
/**
 * Arrays that another process uses as well, without a copy: the messages that describe them, the open memory, and the
 * reports of their release.
 */
@NullMarked
package org.arbalest.device.internal.sharing;

import org.jspecify.annotations.NullMarked;
