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

  private PartitionsStruct() {}

  /** Returns copies of all descriptors. */
  static List<byte[]> read(MemorySegment struct) {
    int count = Math.toIntExact(struct.get(JAVA_LONG, COUNT));
    List<byte[]> all = new ArrayList<>(count);
    if (count == 0) return all;
    MemorySegment partitions = struct.get(ADDRESS, PARTITIONS).reinterpret(ADDRESS.byteSize() * count);
    MemorySegment lengths = struct.get(ADDRESS, LENGTHS).reinterpret(JAVA_LONG.byteSize() * count);
    for (int i = 0; i < count; i++) {
      all.add(partitions.getAtIndex(ADDRESS, i).reinterpret(lengths.getAtIndex(JAVA_LONG, i)).toArray(JAVA_BYTE));
    }
    return all;
  }

  /** Calls the driver's release function, if the struct has one. */
  static void release(MemorySegment struct) {
    MemorySegment release = struct.get(ADDRESS, RELEASE);
    if (release.address() == 0) return;
    try {
      Signatures.RELEASE.invokeExact(release, struct);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  private static long offset(String field) {
    return LAYOUT.byteOffset(PathElement.groupElement(field));
  }
}
