// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.memory.Stripes;
import org.jspecify.annotations.Nullable;

/**
 * Some structs that C holds by a slot's handle, in one block, and how many of them are not yet released. Slot and block
 * are kept for the next of its kind, so that exporting what is like the one before allocates nothing.
 */
public abstract class RecycledExport implements HeldByC {
  private static final long LARGEST_BLOCK_KEPT = 16 << 10;
  private static final int MOST_KEPT = 256;

  private static final VarHandle LIVE = VarHandles.ofField(MethodHandles.lookup(), "live", int.class);

  private final Slots.Stack home;
  private long capacity;

  /** The number of structs that C has not released; use LIVE. */
  @SuppressWarnings("UnusedVariable") // read and written through LIVE
  private int live;

  /** What C holds it by; another one each time. */
  protected long handle;

  protected long block;

  /** Where it was exported, if somebody wants to know. */
  private Leaks.@Nullable Watch watch;

  /** A new one; it has no slot yet. */
  protected RecycledExport(Slots.Stack home) {
    this.home = home;
  }

  /**
   * Where idle exports of a kind are kept. Threads share a stack with few others: sharing one with all would cost more
   * than the export.
   */
  protected static Slots.Stack[] stacks() {
    Slots.Stack[] stacks = new Slots.Stack[Stripes.COUNT];
    Arrays.setAll(stacks, _ -> new Slots.Stack());
    return stacks;
  }

  /** The one of this thread. */
  protected static Slots.Stack mine(Slots.Stack[] stacks) {
    return stacks[Stripes.mine()];
  }

  /** Takes the export that was recycled last; null if none is idle. */
  protected static @Nullable Object takeIdle(Slots.Stack home) {
    int slot = home.pop();
    if (slot < 0) return null;
    Object export = Slots.owner(slot);
    if (export == null) throw new AssertionError("an idle export lost its slot");
    return export;
  }

  /** Gives a new one its slot. */
  protected final void takeSlot() {
    handle = Slots.take(this);
  }

  /** Makes the block at least so large, its content undefined. */
  protected final void ensure(long bytes) {
    if (capacity >= bytes) return;
    NativeHeap.free(block);
    block = 0;
    capacity = 0;
    block = NativeHeap.allocate(bytes);
    capacity = bytes;
  }

  /** C is to hold so many structs. */
  protected final void holds(int structs) {
    LIVE.setRelease(this, structs);
  }

  /** Somebody wants to know which exports C holds, and where they were made. */
  protected final void follow(String what) {
    watch = Leaks.followed("export of " + what);
    if (watch != null) watch.opened();
  }

  /** C has released some; whether these were the last. */
  protected final boolean isLeftBy(int released) {
    return released != 0 && (int) LIVE.getAndAdd(this, -released) == released;
  }

  /** For the next. No handle leads here any more. */
  protected final void recycle() {
    if (watch != null) {
      watch.closed();
      watch = null;
    }
    if (capacity > LARGEST_BLOCK_KEPT || home.size() >= MOST_KEPT) {
      Slots.leave(handle);
      NativeHeap.free(block);
    } else {
      handle = Slots.renew(handle);
      home.push(Slots.slot(handle));
    }
  }

  @Override
  public final @Nullable Kind heldAs() {
    return (int) LIVE.getVolatile(this) != 0 ? Kind.EXPORT : null;
  }
}
