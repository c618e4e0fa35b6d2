// SPDX-License-Identifier: Apache-2.0
/**
 * Copies that go into a queue together. Copies from and to memory that the device does not reach go through slots of
 * pinned memory.
 */
@NullMarked
package org.arbalest.device.internal.staging;

import org.jspecify.annotations.NullMarked;
