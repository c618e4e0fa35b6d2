// SPDX-License-Identifier: Apache-2.0
/** Streams that are pulled, from C and to C. */
@NullMarked
package org.arbalest.device.internal.stream;

import org.jspecify.annotations.NullMarked;
