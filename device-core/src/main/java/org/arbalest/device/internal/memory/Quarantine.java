// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Delays freeing the last blocks to which a peer had a pointer. A peer that uses such a pointer too late finds a handle
 * that is no longer valid, and not the memory of another object.
 */
public final class Quarantine {
  private static final int PLACES = 256;

  private static final AtomicLongArray BLOCKS = new AtomicLongArray(PLACES);
  private static final AtomicInteger NEXT = new AtomicInteger();

  private Quarantine() {}

  /** Frees a block after {@value #PLACES} more blocks. */
  public static void free(long block) {
    NativeHeap.free(BLOCKS.getAndSet(NEXT.getAndIncrement() & (PLACES - 1), block));
  }
}
