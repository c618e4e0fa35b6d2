// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Errno;
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
import org.arbalest.device.spi.BitCounter;
import org.arbalest.device.types.Field;

/**
 * The null counts of an array that its structs do not state, determined from the bitmaps (ARR-22). Some peers take an
 * unknown count for 0.
 */
public final class NullCounts {
  /**
   * The size in bytes up to which bitmaps are copied to main memory. Their copy takes about as long as a launch of a
   * kernel and the two copies of its table: an estimate, not measured.
   */
  private static final int COPIED = 256 << 10;

  /** The position of the sum in a row of the table. */
  private static final int SUM = BitCounter.ROW - Long.BYTES;

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
    if (total == 0) {
      for (long struct : unknown) RawArrowArray.setNullCount(struct, 0);
      return;
    }
    DeviceQueue queue = stream.hold();
    try {
      boolean isLarge = total > COPIED && stream.device().equals(array.device());
      BitCounter counter = isLarge ? queue.driver.bitCounter() : null;
      if (counter == null || !countThere(array, owner, queue, counter)) countHere(array, owner, queue, total);
    } finally {
      queue.release();
    }
  }

  /** Copies the visible parts of the bitmaps to main memory, with one wait. */
  private void countHere(DeviceArrayImpl array, Ownership owner, DeviceQueue queue, long total) {
    Transfer transfer = queue.transfer();
    try (DeviceBuffer landing = CpuDevice.get().allocate(total)) {
      Place from = queue.place(array.device());
      Place to = queue.place(CpuDevice.get());
      long at = landing.address();
      for (long struct : unknown) {
        long bytes = bytes(struct);
        if (bytes > 0) transfer.add(to, at, from, RawArrowArray.buffer(struct, 0) + firstByte(struct), bytes);
        at += bytes;
      }
      queue.await(transfer, owner, DeviceBufferImpl.unwrap(landing).allocation());
      at = landing.address();
      for (long struct : unknown) {
        set(struct, at);
        at += bytes(struct);
      }
    } finally {
      transfer.release();
    }
  }

  /**
   * Makes the device count, by a table that goes there and comes back. Returns whether the device had the memory for
   * it.
   */
  private boolean countThere(DeviceArrayImpl array, Ownership owner, DeviceQueue queue, BitCounter counter) {
    List<Long> counted = unknown.stream().filter(struct -> RawArrowArray.length(struct) > 0).toList();
    long size = (long) BitCounter.ROW * counted.size();
    DeviceBuffer there;
    try {
      there = array.device().memory().allocate(size);
    } catch (DeviceException e) {
      if (e.errno() == Errno.ENOMEM) return false;
      throw e;
    }
    try (there; DeviceBuffer here = CpuDevice.get().allocate(size)) {
      long longest = 0;
      for (int i = 0; i < counted.size(); i++) {
        long struct = counted.get(i);
        long row = here.address() + (long) BitCounter.ROW * i;
        NativeHeap.putLong(row, RawArrowArray.buffer(struct, 0));
        NativeHeap.putLong(row + 8, RawArrowArray.offset(struct));
        NativeHeap.putLong(row + 16, RawArrowArray.length(struct));
        NativeHeap.putLong(row + SUM, 0);
        longest = Math.max(longest, RawArrowArray.length(struct));
      }
      count(queue, counter, counted.size(), longest, array, owner, there, here);
      for (long struct : unknown) RawArrowArray.setNullCount(struct, 0);
      for (int i = 0; i < counted.size(); i++) {
        long struct = counted.get(i);
        long ones = NativeHeap.getLong(here.address() + (long) BitCounter.ROW * i + SUM);
        RawArrowArray.setNullCount(struct, RawArrowArray.length(struct) - ones);
      }
    }
    return true;
  }

  private static void count(DeviceQueue queue, BitCounter counter, int rows, long longest, DeviceArrayImpl array,
      Ownership owner, DeviceBuffer there, DeviceBuffer here) {
    Shared table = DeviceBufferImpl.unwrap(there).allocation();
    Shared copy = DeviceBufferImpl.unwrap(here).allocation();
    Place device = queue.place(array.device());
    Place host = queue.place(CpuDevice.get());
    long size = (long) BitCounter.ROW * rows;
    Transfer to = queue.transfer();
    Transfer back = queue.transfer();
    try {
      to.add(device, there.address(), host, here.address(), size);
      back.add(host, here.address(), device, there.address(), size); // allocates, so before anything is queued
      queue.queue(to, true, false, table, copy).release();
      queue.queue(() -> counter.countOnes(queue.handle(), there.address(), rows, longest), to, owner, table, copy)
          .release();
      queue.await(back, to, owner, table, copy);
    } finally {
      back.release();
      to.release();
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
