// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.abi.RawArrowDeviceArray;
import org.arbalest.device.internal.array.ArrayImport;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.HandleExport;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceQueue;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.staging.Place;
import org.arbalest.device.internal.staging.Transfer;
import org.arbalest.device.types.Field;

/**
 * The null counts of an array that its structs do not state, determined from the bitmaps (ARR-22). Some peers take an
 * unknown count for 0.
 */
public final class NullCounts {
  /** The structs with a bitmap and an unknown count. */
  private final List<Long> unknown = new ArrayList<>();

  private NullCounts() {}

  /** See {@link DeviceArray#countNulls(DeviceStream)}. */
  public static DeviceArray count(DeviceArrayImpl array, DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    long block = NativeHeap.allocate(RawArrowDeviceArray.SIZE);
    // An export has a struct for each window, and so has the count of exactly the visible elements
    try (DeviceArray again = array.retain()) {
      HandleExport.export(DeviceArrayImpl.unwrap(again), block, true);
    } catch (Throwable t) {
      NativeHeap.free(block);
      throw t;
    }
    DeviceArray counted = ArrayImport.adopt(block, array.field(), Validation.NONE);
    try {
      DeviceArrayImpl handle = DeviceArrayImpl.unwrap(counted);
      Ownership owner = handle.share();
      try {
        NullCounts counts = new NullCounts();
        counts.find(Layout.of(array.field()), block);
        counts.determine(handle, owner, DeviceStreamImpl.unwrap(stream));
      } finally {
        owner.release();
      }
      return counted;
    } catch (Throwable t) {
      counted.close();
      throw t;
    }
  }

  private void find(Layout layout, long struct) {
    boolean isUnknown =
        layout.shape.hasValidity && RawArrowArray.nullCount(struct) < 0 && RawArrowArray.buffer(struct, 0) != 0;
    if (isUnknown) unknown.add(struct);
    for (int i = 0; i < layout.children.length; i++) find(layout.children[i].layout, RawArrowArray.child(struct, i));
    Field dictionary = layout.dictionary;
    if (dictionary != null) find(Layout.of(dictionary), RawArrowArray.dictionary(struct));
  }

  /** Writes the counts to the structs, which no other code has yet. */
  private void determine(DeviceArrayImpl array, Ownership owner, DeviceStreamImpl stream) {
    if (unknown.isEmpty()) return;
    DeviceImpl.unwrap(array.device()).driver(); // throws for an opaque device
    if (owner.isCpuAccessible()) {
      array.synchronize();
      for (long struct : unknown) set(struct, RawArrowArray.buffer(struct, 0) + firstByte(struct));
      return;
    }
    if (!stream.reaches(array.device())) throw ArrayCopy.noPart(stream, "a count of nulls on " + array.device());
    EventPoint event = owner.event();
    if (event != null) stream.waitFor(event, owner);
    long total = 0;
    for (long struct : unknown) total += bytes(struct);
    try (DeviceBuffer landing = CpuDevice.get().allocate(total)) {
      fetch(array, owner, stream, landing);
      long at = landing.address();
      for (long struct : unknown) {
        set(struct, at);
        at += bytes(struct);
      }
    }
  }

  /** Copies the visible parts of the bitmaps to main memory, with one wait. */
  private void fetch(DeviceArrayImpl array, Ownership owner, DeviceStreamImpl stream, DeviceBuffer landing) {
    DeviceQueue queue = stream.hold();
    Transfer transfer = queue.transfer();
    try {
      Place from = queue.place(array.device());
      Place to = queue.place(CpuDevice.get());
      long at = landing.address();
      for (long struct : unknown) {
        long bytes = bytes(struct);
        if (bytes > 0) transfer.add(to, at, from, RawArrowArray.buffer(struct, 0) + firstByte(struct), bytes);
        at += bytes;
      }
      Shared memory = DeviceBufferImpl.unwrap(landing).allocation();
      queue.await(transfer, owner, memory);
    } finally {
      transfer.release();
      queue.release();
    }
  }

  private static void set(long struct, long bitmap) {
    RawArrowArray.setNullCount(struct, zeroes(bitmap, RawArrowArray.offset(struct) & 7, RawArrowArray.length(struct)));
  }

  /** Returns the number of unset bits, which are nulls. */
  static long zeroes(long bitmap, long first, long count) {
    return count - Bitmaps.countOnes(bitmap, first, count);
  }

  private static long firstByte(long struct) {
    return RawArrowArray.offset(struct) >>> 3;
  }

  private static long bytes(long struct) {
    long length = RawArrowArray.length(struct);
    return length == 0 ? 0 : ((RawArrowArray.offset(struct) & 7) + length + 7) >>> 3;
  }
}
