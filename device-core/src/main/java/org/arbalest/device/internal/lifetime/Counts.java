// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.util.concurrent.atomic.LongAdder;
import org.arbalest.device.internal.lifetime.HeldByC.Kind;
import org.arbalest.device.internal.memory.Slots;

/**
 * The numbers of existing objects. The code that makes and frees an object counts it.
 * {@link org.arbalest.device.monitoring.ResourceCounters} documents each number and sums them up.
 */
public final class Counts {
  public static final LongAdder BUFFERS = new LongAdder();
  public static final LongAdder BUFFER_BYTES = new LongAdder();
  public static final LongAdder ARRAYS = new LongAdder();
  public static final LongAdder READERS = new LongAdder();
  public static final LongAdder FILES = new LongAdder();
  public static final LongAdder TASKS = new LongAdder();
  public static final LongAdder QUEUES = new LongAdder();
  public static final LongAdder EVENTS = new LongAdder();
  public static final LongAdder WAITS = new LongAdder();

  private Counts() {}

  /** Returns the numbers of objects that native code holds. They are exact only while no thread exports or releases. */
  public static Held held() {
    Held held = new Held();
    Slots.forEach(
        owner -> {
          Kind kind = owner instanceof HeldByC object ? object.heldAs() : null;
          if (kind != null) held.count(kind);
        });
    return held;
  }

  /** The number of objects of each kind. */
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
