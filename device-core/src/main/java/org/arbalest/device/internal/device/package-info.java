// SPDX-License-Identifier: Apache-2.0
/** Devices and what they offer: memory, buffers, queues, events, waits; the registry that finds them. */
@NullMarked
package org.arbalest.device.internal.device;

import org.jspecify.annotations.NullMarked;
