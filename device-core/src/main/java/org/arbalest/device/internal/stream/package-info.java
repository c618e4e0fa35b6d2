// SPDX-License-Identifier: Apache-2.0
/** Pull streams, imported from native code and exported to it. */
@NullMarked
package org.arbalest.device.internal.stream;

import org.jspecify.annotations.NullMarked;
