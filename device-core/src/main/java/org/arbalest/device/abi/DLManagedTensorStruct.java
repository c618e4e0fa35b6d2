// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.abi;

import static org.arbalest.device.abi.Memory.byteOffset;
import static org.arbalest.device.abi.Memory.pointer;
import static org.arbalest.device.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/** {@code DLManagedTensor} of DLPack before 1: a tensor and who frees it, without a version and flags. Known by its address, at which it stays. */
public final class DLManagedTensorStruct {
  /** The struct as the C compiler lays it out. */
  public static final StructLayout LAYOUT =
      struct(
          "DLManagedTensor",
          DLTensorStruct.LAYOUT.withName("dl_tensor"),
          pointer("manager_ctx"),
          pointer("deleter"));

  /** Its size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final long TENSOR = byteOffset(LAYOUT, "dl_tensor");
  private static final long MANAGER_CTX = byteOffset(LAYOUT, "manager_ctx");
  private static final long DELETER = byteOffset(LAYOUT, "deleter");

  private DLManagedTensorStruct() {}

  /** Memory for one, zeroed. It is the arena's, and must outlast the struct. */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Where the {@link DLTensorStruct} in it is. */
  public static long tensor(long managed) {
    return managed + TENSOR;
  }

  /** The producer's own pointer; nobody else's business. */
  public static long managerCtx(long managed) {
    return Memory.getLong(managed + MANAGER_CTX);
  }

  /** Writes {@code manager_ctx}. */
  public static void setManagerCtx(long managed, long value) {
    Memory.putLong(managed + MANAGER_CTX, value);
  }

  /** {@code void (*)(DLManagedTensor*)}, which frees the struct, too; may be NULL. */
  public static long deleter(long managed) {
    return Memory.getLong(managed + DELETER);
  }

  /** Writes {@code deleter}. */
  public static void setDeleter(long managed, long value) {
    Memory.putLong(managed + DELETER, value);
  }
}
