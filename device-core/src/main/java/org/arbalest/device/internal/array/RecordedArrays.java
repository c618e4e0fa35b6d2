// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/** What a recording is told of an array. */
public final class RecordedArrays {
  /** So much of a type is told. */
  private static final int MOST_OF_TYPE = 200;

  private static final String WHAT = "an event of Flight Recorder";

  private RecordedArrays() {}

  /**
   * Ends what was begun, and tells of it if it took long enough; the array is open, and nobody else's. Throws nothing:
   * what happened has happened.
   */
  public static void describe(Recording.OfArray event, DeviceArray array) {
    describe(event, null, array);
  }

  /** The same of one that came from another device. */
  public static void describe(Recording.OfArray event, @Nullable Device from, DeviceArray array) {
    try {
      if (!event.isOver()) return;
      Handle handle = DeviceArrayImpl.unwrap(array);
      commit(event, from, handle, bytes(handle));
    } catch (Throwable t) {
      Faults.report(WHAT, t);
    }
  }

  /** The same of one whose memory the caller holds. */
  public static void describe(Recording.OfArray event, Handle array, Ownership owner) {
    try {
      if (event.isOver()) commit(event, null, array, bytes(array, owner));
    } catch (Throwable t) {
      Faults.report(WHAT, t);
    }
  }

  /** The same of one that may be consumed by now. */
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
   * The memory that an open array keeps; of an array of C's, what its buffers have to hold, without the data of texts,
   * since how much that is stands in a buffer (ARR-17).
   */
  static long bytes(Handle array) {
    Ownership owner = array.share();
    try {
      return bytes(array, owner);
    } finally {
      owner.release();
    }
  }

  /** The same of one whose memory the caller holds. */
  static long bytes(Handle array, Ownership owner) {
    long known = owner.bytes();
    if (known >= 0) return known;
    try {
      return bytes(Layout.of(array.field()), array.struct(owner));
    } catch (StackOverflowError _) { // the export or the import has to go on
      return -1;
    }
  }

  private static long bytes(Layout layout, long struct) {
    long end = RawArrowArray.offset(struct) + RawArrowArray.length(struct);
    long bytes = layout.shape.hasValidity && RawArrowArray.buffer(struct, 0) != 0 ? bits(end, 1) : 0;
    bytes += switch (layout.shape) {
      case FIXED -> bits(end, layout.bits);
      case VARIABLE -> bits(end + 1, layout.bits);
      case LIST -> bits(end + 1, layout.bits);
      case LIST_VIEW -> 2 * bits(end, layout.bits);
      case VIEW -> bits(end, 128);
      case SPARSE_UNION -> end;
      case DENSE_UNION -> end + bits(end, 32);
      case NULL, FIXED_LIST, STRUCT, RUN_END -> 0;
    };
    for (int i = 0; i < layout.children.length; i++)
      bytes += bytes(layout.children[i].layout, RawArrowArray.child(struct, i));
    return layout.dictionary == null ? bytes
        : bytes + bytes(layout.dictionary.layout, RawArrowArray.dictionary(struct));
  }

  private static long bits(long count, long each) {
    return (count * each + 7) >>> 3;
  }
}
