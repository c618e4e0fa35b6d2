// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.arbalest.device.internal.abi.Memory.byteOffset;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;

/**
 * {@code struct ArrowAsyncTask}: an announced array, to be extracted exactly once. It has no release: extracting to
 * NULL discards it.
 */
public final class ArrowAsyncTaskStruct {
  /** The struct as the C compiler lays it out. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowAsyncTask",
          pointer("extract_data"),
          pointer("private_data"));

  private static final long EXTRACT_DATA = byteOffset(LAYOUT, "extract_data");
  private static final long PRIVATE_DATA = byteOffset(LAYOUT, "private_data");

  private ArrowAsyncTaskStruct() {}

  /** Memory for one, zeroed. It is the arena's, and must outlast the struct. */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** {@code int (*)(struct ArrowAsyncTask*, struct ArrowDeviceArray* out)}. */
  public static MemorySegment extractData(MemorySegment task) {
    return task.get(ADDRESS, EXTRACT_DATA);
  }

  /** Writes {@code extract_data}. */
  public static void setExtractData(MemorySegment task, MemorySegment value) {
    task.set(ADDRESS, EXTRACT_DATA, value);
  }

  /** The producer's own pointer; nobody else's business. */
  public static MemorySegment privateData(MemorySegment task) {
    return task.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment task, MemorySegment value) {
    task.set(ADDRESS, PRIVATE_DATA, value);
  }
}
