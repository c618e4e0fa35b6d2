// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.abi;

import static org.arbalest.device.abi.Memory.byteOffset;
import static org.arbalest.device.abi.Memory.int32;
import static org.arbalest.device.abi.Memory.int64;
import static org.arbalest.device.abi.Memory.pointer;
import static org.arbalest.device.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/** {@code DLManagedTensorVersioned} of DLPack 1: a tensor and who frees it. Known by its address, at which it stays. */
public final class DLManagedTensorVersionedStruct {
  /** The struct as the C compiler lays it out; {@code version} is a struct in it. */
  public static final StructLayout LAYOUT =
      struct(
          "DLManagedTensorVersioned",
          int32("version.major"),
          int32("version.minor"),
          pointer("manager_ctx"),
          pointer("deleter"),
          int64("flags"),
          DLTensorStruct.LAYOUT.withName("dl_tensor"));

  /** Its size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  /** {@code DLPACK_FLAG_BITMASK_READ_ONLY}: the consumer does not write. */
  public static final long READ_ONLY = 1;

  /** {@code DLPACK_FLAG_BITMASK_IS_COPIED}: a copy that the producer made for this consumer, who alone has it. */
  public static final long IS_COPIED = 2;

  private static final long MAJOR = byteOffset(LAYOUT, "version.major");
  private static final long MINOR = byteOffset(LAYOUT, "version.minor");
  private static final long MANAGER_CTX = byteOffset(LAYOUT, "manager_ctx");
  private static final long DELETER = byteOffset(LAYOUT, "deleter");
  private static final long FLAGS = byteOffset(LAYOUT, "flags");
  private static final long TENSOR = byteOffset(LAYOUT, "dl_tensor");

  private DLManagedTensorVersionedStruct() {}

  /** Memory for one, zeroed. It is the arena's, and must outlast the struct. */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Where the {@link DLTensorStruct} in it is. */
  public static long tensor(long managed) {
    return managed + TENSOR;
  }

  /** The version of the layout; where it is another, only {@code manager_ctx} and {@code deleter} are known to be here. */
  public static int major(long managed) {
    return Memory.getInt(managed + MAJOR);
  }

  /** Writes {@code version.major}. */
  public static void setMajor(long managed, int value) {
    Memory.putInt(managed + MAJOR, value);
  }

  /** Which codes may occur. */
  public static int minor(long managed) {
    return Memory.getInt(managed + MINOR);
  }

  /** Writes {@code version.minor}. */
  public static void setMinor(long managed, int value) {
    Memory.putInt(managed + MINOR, value);
  }

  /** The producer's own pointer; nobody else's business. */
  public static long managerCtx(long managed) {
    return Memory.getLong(managed + MANAGER_CTX);
  }

  /** Writes {@code manager_ctx}. */
  public static void setManagerCtx(long managed, long value) {
    Memory.putLong(managed + MANAGER_CTX, value);
  }

  /** {@code void (*)(DLManagedTensorVersioned*)}, which frees the struct, too; may be NULL. */
  public static long deleter(long managed) {
    return Memory.getLong(managed + DELETER);
  }

  /** Writes {@code deleter}. */
  public static void setDeleter(long managed, long value) {
    Memory.putLong(managed + DELETER, value);
  }

  /** {@link #READ_ONLY}, {@link #IS_COPIED}; 0 if neither. */
  public static long flags(long managed) {
    return Memory.getLong(managed + FLAGS);
  }

  /** Writes {@code flags}. */
  public static void setFlags(long managed, long value) {
    Memory.putLong(managed + FLAGS, value);
  }
}
