// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

/**
 * A number for the current thread, which few other threads share. Data that all threads would write at the same time
 * exists once for each number.
 */
public final class Stripes {
  /** The number of stripes. */
  public static final int COUNT = 16;

  private Stripes() {}

  /** Returns the stripe of the current thread. */
  public static int mine() {
    return (int) Thread.currentThread().threadId() & (COUNT - 1);
  }
}
