// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/** The layout of {@code struct AdbcPartitions}, the descriptors of the partitions of a result. */
final class PartitionsStruct {
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          JAVA_LONG.withName("num_partitions"),
          ADDRESS.withName("partitions"),
          ADDRESS.withName("partition_lengths"),
          ADDRESS.withName("private_data"),
          ADDRESS.withName("release"))
          .withName("AdbcPartitions");

  private static final long COUNT = offset("num_partitions");
  private static final long PARTITIONS = offset("partitions");
  private static final long LENGTHS = offset("partition_lengths");
  private static final long RELEASE = offset("release");

  /** A limit above the size of any descriptor, and of an array. */
  private static final long MOST_BYTES = 1L << 30;

  private PartitionsStruct() {}

  /**
   * Returns copies of all descriptors.
   *
   * @throws DeviceException with {@code EINVAL} if a count, a length or a pointer of the driver is invalid
   */
  static List<byte[]> read(MemorySegment struct) {
    long count = struct.get(JAVA_LONG, COUNT);
    if (count < 0 || count > Integer.MAX_VALUE) throw invalid("num_partitions is " + count);
    MemorySegment partitions = pointer(struct, PARTITIONS, "partitions", count).reinterpret(ADDRESS.byteSize() * count);
    MemorySegment lengths =
        pointer(struct, LENGTHS, "partition_lengths", count).reinterpret(JAVA_LONG.byteSize() * count);
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long length = lengths.getAtIndex(JAVA_LONG, i);
      if (length < 0 || length > MOST_BYTES) throw invalid("partition_lengths[" + i + "] is " + length);
      String path = "partitions[" + i + "]";
      all.add(pointer(partitions, i * ADDRESS.byteSize(), path, length).reinterpret(length).toArray(JAVA_BYTE));
    }
    return all;
  }

  private static MemorySegment pointer(MemorySegment in, long offset, String path, long count) {
    if (count == 0) return MemorySegment.NULL;
    MemorySegment pointer = in.get(ADDRESS, offset);
    if (pointer.address() == 0) throw invalid(path + " is NULL, for a length of " + count);
    return pointer;
  }

  private static DeviceException invalid(String why) {
    return new DeviceException(Errno.EINVAL, "the driver returned invalid partitions: " + why);
  }

  /** Returns whether the driver has filled the struct. */
  static boolean isFilled(MemorySegment struct) {
    return struct.get(ADDRESS, RELEASE).address() != 0;
  }

  /** Calls the driver's release function, if the struct has one. */
  static void release(MemorySegment struct) {
    MemorySegment release = struct.get(ADDRESS, RELEASE);
    if (release.address() == 0) return;
    try {
      Signatures.release(release, struct);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  private static long offset(String field) {
    return LAYOUT.byteOffset(PathElement.groupElement(field));
  }
}
