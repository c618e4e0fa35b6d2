// SPDX-License-Identifier: Apache-2.0
/** Devices and their memory, buffers, queues, events and waits, and the registry that finds devices. */
@NullMarked
package org.arbalest.device.internal.device;

import org.jspecify.annotations.NullMarked;
