// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

/**
 * A number for the thread, which it shares with few others: what all threads would write at the same time is there once
 * for each number.
 */
public final class Stripes {
  /** How many there are. */
  public static final int COUNT = 16;

  private Stripes() {}

  /** That of this thread. */
  public static int mine() {
    return (int) Thread.currentThread().threadId() & (COUNT - 1);
  }
}
