// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

/**
 * A callback that may free memory when an allocation fails for lack of it. The application implements it, and passes it
 * to {@link MemoryManager#withOutOfMemoryHandler}. The library calls it on each allocating thread, also on several at a
 * time.
 */
@FunctionalInterface
public interface OutOfMemoryHandler {
  /**
   * Handles an allocation that is about to fail with {@code ENOMEM}. The caller of the allocation receives each
   * exception that this method throws.
   *
   * @param bytes the number of bytes requested
   * @param failure the exception that the caller receives if this method returns false
   * @return whether to try the allocation again, once
   */
  boolean onOutOfMemory(long bytes, DeviceException failure);
}
