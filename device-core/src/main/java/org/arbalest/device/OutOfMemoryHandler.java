// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

/**
 * Somebody who may be able to free something when there is not enough memory; see
 * {@link MemoryManager#withOutOfMemoryHandler}.
 */
@FunctionalInterface
public interface OutOfMemoryHandler {
  /**
   * Called before an allocation fails with {@code ENOMEM}. What it throws goes to the caller of the allocation.
   *
   * @param bytes what was asked for
   * @param failure what the caller gets if this returns false
   * @return whether to try again, once
   */
  boolean onOutOfMemory(long bytes, DeviceException failure);
}
