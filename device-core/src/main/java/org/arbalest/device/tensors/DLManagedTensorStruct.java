// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.arbalest.device.internal.abi.Memory.byteOffset;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;

/**
 * {@code DLManagedTensor} of DLPack before 1: a tensor and who frees it, without a version and flags. Known by its
 * address, at which it stays.
 */
public final class DLManagedTensorStruct {
  /** The struct as the C compiler lays it out. */
  public static final StructLayout LAYOUT =
      struct(
          "DLManagedTensor",
          DLTensorStruct.LAYOUT.withName("dl_tensor"),
          pointer("manager_ctx"),
          pointer("deleter"));

  private static final long TENSOR = byteOffset(LAYOUT, "dl_tensor");
  private static final long MANAGER_CTX = byteOffset(LAYOUT, "manager_ctx");
  private static final long DELETER = byteOffset(LAYOUT, "deleter");

  private DLManagedTensorStruct() {}

  /** Memory for one, zeroed. It is the arena's, and must outlast the struct. */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** The {@link DLTensorStruct} in it. */
  public static MemorySegment tensor(MemorySegment managed) {
    return managed.asSlice(TENSOR, DLTensorStruct.LAYOUT);
  }

  /** The producer's own pointer; nobody else's business. */
  public static MemorySegment managerCtx(MemorySegment managed) {
    return managed.get(ADDRESS, MANAGER_CTX);
  }

  /** Writes {@code manager_ctx}. */
  public static void setManagerCtx(MemorySegment managed, MemorySegment value) {
    managed.set(ADDRESS, MANAGER_CTX, value);
  }

  /** {@code void (*)(DLManagedTensor*)}, which frees the struct, too; may be NULL. */
  public static MemorySegment deleter(MemorySegment managed) {
    return managed.get(ADDRESS, DELETER);
  }

  /** Writes {@code deleter}. */
  public static void setDeleter(MemorySegment managed, MemorySegment value) {
    managed.set(ADDRESS, DELETER, value);
  }
}
