// SPDX-License-Identifier: Apache-2.0
/** Access to memory by its address. */
@NullMarked
package org.arbalest.device.ipc.internal.memory;

import org.jspecify.annotations.NullMarked;
