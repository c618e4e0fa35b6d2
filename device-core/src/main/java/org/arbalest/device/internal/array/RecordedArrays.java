// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.internal.schema.ViewStruct;
import org.jspecify.annotations.Nullable;

/** The description of arrays for recordings. */
public final class RecordedArrays {
  /** The maximum number of characters of a type in a recording. */
  private static final int MOST_OF_TYPE = 200;

  private static final String WHAT = "an event of Flight Recorder";

  private RecordedArrays() {}

  /**
   * Ends an event, and records it with its array if it took long enough. The array is open, and only the caller has it.
   *
   * <p>Throws nothing, because the described operation has already happened.
   */
  public static void describe(Recording.OfArray event, DeviceArray array) {
    describe(event, null, array);
  }

  /** Ends an event and records it with an array that came from another device. */
  public static void describe(Recording.OfArray event, @Nullable Device from, DeviceArray array) {
    try {
      if (!event.isOver()) return;
      Handle handle = DeviceArrayImpl.unwrap(array);
      commit(event, from, handle, bytes(handle));
    } catch (Throwable t) {
      Faults.report(WHAT, t);
    }
  }

  /** Ends an event and records it with an array whose memory the caller holds. */
  public static void describe(Recording.OfArray event, Handle array, Ownership owner) {
    try {
      if (event.isOver()) commit(event, null, array, bytes(array, owner));
    } catch (Throwable t) {
      Faults.report(WHAT, t);
    }
  }

  /** Ends an event and records it with an array that may be consumed already. */
  static void describe(Recording.OfArray event, Handle array, long bytes) {
    try {
      if (event.isOver()) commit(event, null, array, bytes);
    } catch (Throwable t) {
      Faults.report(WHAT, t);
    }
  }

  private static void commit(Recording.OfArray event, @Nullable Device from, Handle array, long bytes) {
    event.describe(array.length(), bytes, from == null ? "" : from, array.device(), type(array));
  }

  static String type(Handle array) {
    String type = array.field().name().isEmpty() ? TypeNames.of(array.field()) : array.field().toString();
    return type.length() <= MOST_OF_TYPE ? type : type.substring(0, MOST_OF_TYPE) + "…";
  }

  /**
   * Returns the bytes of memory that an open array keeps. For a native producer's array, it is the minimum size of its
   * buffers, without the data of texts.
   */
  public static long bytes(Handle array) {
    Ownership owner = array.share();
    try {
      return bytes(array, owner);
    } finally {
      owner.release();
    }
  }

  /** Returns the same for an array whose memory the caller holds. */
  static long bytes(Handle array, Ownership owner) {
    return bytes(array, owner, false);
  }

  /**
   * Returns the bytes of memory that an array keeps. For a native producer's array, it is the minimum size of its
   * buffers.
   *
   * @param readsOffsets whether the CPU may read the last offset of texts, which is the size of their data (ARR-17)
   */
  public static long bytes(Handle array, Ownership owner, boolean readsOffsets) {
    long known = owner.bytes();
    if (known >= 0) return known;
    try {
      return bytes(Layout.of(array.field()), array.struct(owner), readsOffsets);
    } catch (StackOverflowError _) { // the export or the import must continue
      return -1;
    }
  }

  private static long bytes(Layout layout, long struct, boolean readsOffsets) {
    long end = RawArrowArray.offset(struct) + RawArrowArray.length(struct);
    long bytes = 0;
    for (int i = 0; i < layout.shape.buffers; i++) {
      boolean isThere = i > 0 || !layout.shape.hasValidity || RawArrowArray.buffer(struct, 0) != 0;
      if (isThere) bytes += layout.bufferBytes(i, end);
    }
    if (layout.shape == Layout.Shape.VIEW) {
      for (long i = 0; i < ViewStruct.variadic(struct); i++) bytes = sum(bytes, ViewStruct.dataSize(struct, i));
    }
    if (layout.shape == Layout.Shape.VARIABLE && readsOffsets && end > 0)
      bytes = sum(bytes, Integers.get(RawArrowArray.buffer(struct, 1), layout.bits, end));
    for (int i = 0; i < layout.children.length; i++)
      bytes = sum(bytes, bytes(layout.children[i].layout, RawArrowArray.child(struct, i), readsOffsets));
    return layout.dictionary == null ? bytes
        : sum(bytes, bytes(layout.dictionary.layout, RawArrowArray.dictionary(struct), readsOffsets));
  }

  /** Returns a sum of two sizes, which a producer may have made up, up to the greatest long. */
  public static long sum(long bytes, long more) {
    return more <= 0 ? bytes : bytes > Long.MAX_VALUE - more ? Long.MAX_VALUE : bytes + more;
  }
}
