// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.util.concurrent.atomic.LongAdder;
import org.arbalest.device.internal.lifetime.HeldByC.Kind;
import org.arbalest.device.internal.memory.Slots;

/**
 * What there is, counted by whoever makes and frees it; {@link org.arbalest.device.monitoring.ResourceCounters} says
 * what each is, and sums.
 */
public final class Counts {
  public static final LongAdder BUFFERS = new LongAdder();
  public static final LongAdder BUFFER_BYTES = new LongAdder();
  public static final LongAdder ARRAYS = new LongAdder();
  public static final LongAdder READERS = new LongAdder();
  public static final LongAdder TASKS = new LongAdder();
  public static final LongAdder QUEUES = new LongAdder();
  public static final LongAdder EVENTS = new LongAdder();
  public static final LongAdder WAITS = new LongAdder();

  private Counts() {}

  /** What C holds; exact when all is quiet. */
  public static Held held() {
    Held held = new Held();
    Slots.forEach(
        owner -> {
          Kind kind = owner instanceof HeldByC object ? object.heldAs() : null;
          if (kind != null) held.count(kind);
        });
    return held;
  }

  /** How many of each kind. */
  public static final class Held {
    public long exports;
    public long streams;
    public long handlers;
    public long producers;

    private void count(Kind kind) {
      switch (kind) {
        case EXPORT -> exports++;
        case STREAM -> streams++;
        case HANDLER -> handlers++;
        case PRODUCER -> producers++;
      }
    }
  }
}
