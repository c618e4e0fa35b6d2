// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;
import org.arbalest.device.internal.abi.RawArrowAsyncTask;

/**
 * The C struct {@code ArrowAsyncTask}: an announced array, which the consumer extracts exactly once.
 *
 * <p>The struct has no {@code release} member. To discard the array, the consumer extracts it to NULL.
 */
public final class ArrowAsyncTaskStruct {
  /** The memory layout of the C struct. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowAsyncTask",
          pointer("extract_data"),
          pointer("private_data"));

  private static final long EXTRACT_DATA = RawArrowAsyncTask.EXTRACT_DATA;
  private static final long PRIVATE_DATA = RawArrowAsyncTask.PRIVATE_DATA;

  private ArrowAsyncTaskStruct() {}

  /**
   * Allocates memory for one struct, filled with zeros.
   *
   * <p>The arena owns the memory, and must stay open as long as the struct is in use.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /**
   * Returns the function pointer {@code extract_data},
   * {@code int (*)(struct ArrowAsyncTask*, struct ArrowDeviceArray* out)}.
   */
  public static MemorySegment extractDataCallback(MemorySegment task) {
    return task.get(ADDRESS, EXTRACT_DATA);
  }

  /** Writes {@code extract_data}. */
  public static void setExtractDataCallback(MemorySegment task, MemorySegment value) {
    task.set(ADDRESS, EXTRACT_DATA, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static MemorySegment privateData(MemorySegment task) {
    return task.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment task, MemorySegment value) {
    task.set(ADDRESS, PRIVATE_DATA, value);
  }
}
