// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.memory.Stripes;
import org.jspecify.annotations.Nullable;

/**
 * Structs that native code holds by a slot's handle, in one block, with the number of structs that are not yet
 * released.
 *
 * <p>The slot and the block are kept for the next export of the same kind. A similar export therefore allocates
 * nothing.
 */
public abstract class RecycledExport implements HeldByC {
  private static final long LARGEST_BLOCK_KEPT = 16 << 10;
  private static final int MOST_KEPT = 256;

  private static final VarHandle LIVE = VarHandles.ofField(MethodHandles.lookup(), "live", int.class);

  private final Slots.Stack home;
  private long capacity;

  /** The number of structs that native code has not released; use LIVE. */
  @SuppressWarnings("UnusedVariable") // read and written through LIVE
  private int live;

  /** The handle that native code holds. It is a new one for each export. */
  protected long handle;

  protected long block;

  /** The place of the export, if there is a follower. */
  private Leaks.@Nullable Watch watch;

  /** Creates an export without a slot. */
  protected RecycledExport(Slots.Stack home) {
    this.home = home;
  }

  /**
   * Creates the stacks for idle exports of one kind. Few threads share a stack: one stack for all threads would cost
   * more than the export.
   */
  protected static Slots.Stack[] stacks() {
    Slots.Stack[] stacks = new Slots.Stack[Stripes.COUNT];
    for (int i = 0; i < stacks.length; i++) stacks[i] = new Slots.Stack();
    return stacks;
  }

  /** Returns the stack of the current thread. */
  protected static Slots.Stack mine(Slots.Stack[] stacks) {
    return stacks[Stripes.mine()];
  }

  /** Takes the export that was recycled last; returns null if none is idle. */
  protected static @Nullable Object takeIdle(Slots.Stack home) {
    int slot = home.pop();
    if (slot < 0) return null;
    Object export = Slots.owner(slot);
    if (export == null) throw new AssertionError("an idle export lost its slot");
    return export;
  }

  /** Assigns a slot to a new export. */
  protected final void takeSlot() {
    handle = Slots.take(this);
  }

  /** Makes the block at least {@code bytes} large. Its content is then undefined. */
  protected final void ensure(long bytes) {
    if (capacity >= bytes) return;
    NativeHeap.free(block);
    block = 0;
    capacity = 0;
    block = NativeHeap.allocate(bytes);
    capacity = bytes;
  }

  /** Sets the number of structs that native code will hold. */
  protected final void holds(int structs) {
    LIVE.setRelease(this, structs);
  }

  /** Records the place of this export, if there is a follower. */
  protected final void follow(String what) {
    watch = Leaks.followed("export of " + what);
    if (watch != null) watch.opened();
  }

  /** Counts released structs; returns whether these were the last. */
  protected final boolean isLeftBy(int released) {
    return released != 0 && (int) LIVE.getAndAdd(this, -released) == released;
  }

  /** Makes this export available for reuse. All its handles are invalid from now on. */
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
