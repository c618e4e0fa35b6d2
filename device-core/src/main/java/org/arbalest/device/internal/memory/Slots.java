// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * Finds the Java object for a {@code private_data}: a table of slots. Native code holds the handle, which is a slot's
 * index and generation.
 *
 * <p>Each reuse of a slot has a new generation. An old handle therefore finds nothing, and not the object that uses the
 * slot now. A handle is never 0. It has 24 bits for the slot, 20 bits that the slot's owner may use (for the node of a
 * tree), and 20 bits for the generation. Taking, finding and leaving a slot are lock-free and allocate nothing.
 */
public final class Slots {
  /** The number of nodes that the handles of one slot can distinguish. */
  public static final int MOST_NODES = 1 << 20;

  private static final int SLOT_BITS = 24;
  private static final int MOST_SLOTS = 1 << SLOT_BITS;
  private static final int CHUNK_BITS = 10;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int GENERATIONS = 1 << 20;
  private static final int GENERATION_SHIFT = 44;

  private static final VarHandle CHUNK_AT = MethodHandles.arrayElementVarHandle(Chunk[].class);
  private static final VarHandle OWNER_AT = MethodHandles.arrayElementVarHandle(Object[].class);
  private static final VarHandle GENERATION_AT = MethodHandles.arrayElementVarHandle(int[].class);

  private static final @Nullable Chunk[] CHUNKS = new Chunk[MOST_SLOTS >>> CHUNK_BITS];

  private static final Stack FREE = new Stack();

  private static final AtomicLong CREATED = new AtomicLong();

  private static final class Chunk {
    final @Nullable Object[] owners = new Object[CHUNK];
    final int[] generations = new int[CHUNK];
    final int[] next = new int[CHUNK];
    final int[] sizes = new int[CHUNK];
  }

  private Slots() {}

  /** A lock-free stack of slots. A slot is on at most one stack. */
  public static final class Stack {
    private static final int HEAD = 16;

    /** The first slot + 1 in the low half, and a stamp against ABA in the high half. It has its own cache lines. */
    private final AtomicLongArray heads = new AtomicLongArray(2 * HEAD);

    public void push(int slot) {
      Chunk chunk = chunk(slot);
      int at = at(slot);
      while (true) {
        long first = heads.get(HEAD);
        chunk.next[at] = (int) first;
        chunk.sizes[at] = size(first) + 1;
        if (heads.compareAndSet(HEAD, first, ((first >>> 32) + 1) << 32 | (slot + 1))) return;
      }
    }

    /** Takes the slot that was pushed last; returns −1 if the stack is empty. */
    public int pop() {
      while (true) {
        long first = heads.get(HEAD);
        int slot = (int) first - 1;
        if (slot < 0) return -1;
        long rest = Integer.toUnsignedLong(chunk(slot).next[at(slot)]);
        if (heads.compareAndSet(HEAD, first, ((first >>> 32) + 1) << 32 | rest)) return slot;
      }
    }

    /** Returns the number of slots on the stack. It is exact while no thread pushes or pops. */
    public int size() {
      return size(heads.get(HEAD));
    }

    private static int size(long first) {
      int slot = (int) first - 1;
      return slot < 0 ? 0 : chunk(slot).sizes[at(slot)];
    }
  }

  /** Assigns a slot to an object and returns the handle. */
  public static long take(Object owner) {
    int slot = FREE.pop();
    if (slot < 0) slot = create();
    Chunk chunk = chunk(slot);
    int generation = nextGeneration(chunk, slot);
    OWNER_AT.setRelease(chunk.owners, at(slot), owner);
    return handle(slot, generation);
  }

  /** Returns the object of a handle; null if the object has left its slot. */
  public static @Nullable Object find(long handle) {
    int slot = slot(handle);
    Chunk chunk = (Chunk) CHUNK_AT.getAcquire(CHUNKS, slot >>> CHUNK_BITS);
    if (chunk == null) return null;
    int at = at(slot);
    if ((int) GENERATION_AT.getAcquire(chunk.generations, at) != (int) (handle >>> GENERATION_SHIFT)) return null;
    Object owner = OWNER_AT.getAcquire(chunk.owners, at);
    return (int) GENERATION_AT.getAcquire(chunk.generations, at) == (int) (handle >>> GENERATION_SHIFT) ? owner : null;
  }

  /** Makes all handles of a slot invalid, and returns a new handle for the same object. */
  public static long renew(long handle) {
    int slot = slot(handle);
    return handle(slot, nextGeneration(chunk(slot), slot));
  }

  /** Releases a slot. Its handles find nothing from now on. */
  public static void leave(long handle) {
    int slot = slot(handle);
    Chunk chunk = chunk(slot);
    OWNER_AT.setRelease(chunk.owners, at(slot), null);
    nextGeneration(chunk, slot);
    FREE.push(slot);
  }

  /** Returns the handle of one node of a slot's tree. The handle of node 0 is the slot's handle itself. */
  public static long node(long handle, int node) {
    return handle | (long) node << SLOT_BITS;
  }

  /** Returns the node of a handle in its slot's tree. */
  public static int nodeOf(long handle) {
    return (int) (handle >>> SLOT_BITS) & (MOST_NODES - 1);
  }

  /** Returns whether two handles belong to the same tree. */
  public static boolean sameSlot(long a, long b) {
    long mask = ~((long) (MOST_NODES - 1) << SLOT_BITS);
    return (a & mask) == (b & mask);
  }

  /**
   * Calls {@code action} with each object that has a slot. For counts, which are exact only while no thread takes or
   * leaves a slot.
   */
  public static void forEach(Consumer<Object> action) {
    long created = CREATED.get();
    for (int slot = 0; slot < created; slot++) {
      Chunk chunk = (Chunk) CHUNK_AT.getAcquire(CHUNKS, slot >>> CHUNK_BITS);
      Object owner = chunk == null ? null : OWNER_AT.getAcquire(chunk.owners, at(slot));
      if (owner != null) action.accept(owner);
    }
  }

  /** Returns the object in a slot, of any generation. */
  public static @Nullable Object owner(int slot) {
    return OWNER_AT.getAcquire(chunk(slot).owners, at(slot));
  }

  /** Returns the slot of a handle. */
  public static int slot(long handle) {
    return (int) handle & (MOST_SLOTS - 1);
  }

  private static long handle(int slot, int generation) {
    return (long) generation << GENERATION_SHIFT | slot;
  }

  /** Returns the slot's next generation. Generations start at 1, so that no handle is 0. */
  private static int nextGeneration(Chunk chunk, int slot) {
    int at = at(slot);
    int next = (int) GENERATION_AT.get(chunk.generations, at) + 1;
    if (next == GENERATIONS) next = 1;
    GENERATION_AT.setRelease(chunk.generations, at, next);
    return next;
  }

  /**
   * Returns a slot's place in its chunk. Neighbouring slots, which other threads may use, are not in the same cache
   * line.
   */
  private static int at(int slot) {
    return (slot & 31) << 5 | (slot >>> 5 & 31);
  }

  private static Chunk chunk(int slot) {
    Chunk chunk = (Chunk) CHUNK_AT.getAcquire(CHUNKS, slot >>> CHUNK_BITS);
    if (chunk == null) throw new IllegalStateException("slot " + slot + " was never created");
    return chunk;
  }

  private static int create() {
    while (true) {
      long slot = CREATED.get();
      if (slot == MOST_SLOTS) {
        throw new DeviceException(Errno.ENOMEM,
            MOST_SLOTS + " arrays and streams are exported and not released; no slot is left");
      }
      ensureChunk((int) slot >>> CHUNK_BITS);
      if (CREATED.compareAndSet(slot, slot + 1)) return (int) slot;
    }
  }

  private static void ensureChunk(int index) {
    if (CHUNK_AT.getAcquire(CHUNKS, index) == null) CHUNK_AT.compareAndSet(CHUNKS, index, null, new Chunk());
  }
}
