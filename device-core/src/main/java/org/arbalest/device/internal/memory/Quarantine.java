// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Keeps the last blocks that a peer had a pointer to, before it frees them: a peer that comes once more, too late,
 * finds a handle that is no longer valid, and not memory of somebody else.
 */
public final class Quarantine {
  private static final int PLACES = 256;

  private static final AtomicLongArray BLOCKS = new AtomicLongArray(PLACES);
  private static final AtomicInteger NEXT = new AtomicInteger();

  private Quarantine() {}

  /** Frees a block some {@value #PLACES} blocks later. */
  public static void free(long block) {
    NativeHeap.free(BLOCKS.getAndSet(NEXT.getAndIncrement() & (PLACES - 1), block));
  }
}
