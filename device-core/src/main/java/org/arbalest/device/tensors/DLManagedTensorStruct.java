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
 * The C struct {@code DLManagedTensor} of DLPack before version 1: a tensor and its deleter, without a version and
 * flags.
 *
 * <p>The struct is identified by its address and is never moved.
 */
public final class DLManagedTensorStruct {
  /** The memory layout of the C struct. */
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

  /**
   * Allocates memory for one struct, filled with zeros.
   *
   * <p>The arena owns the memory, and must stay open as long as the struct is in use.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Returns the {@link DLTensorStruct} inside this struct. */
  public static MemorySegment tensor(MemorySegment managed) {
    return managed.asSlice(TENSOR, DLTensorStruct.LAYOUT);
  }

  /** Returns {@code manager_ctx}, a pointer that only the producer uses. */
  public static MemorySegment managerCtx(MemorySegment managed) {
    return managed.get(ADDRESS, MANAGER_CTX);
  }

  /** Writes {@code manager_ctx}. */
  public static void setManagerCtx(MemorySegment managed, MemorySegment value) {
    managed.set(ADDRESS, MANAGER_CTX, value);
  }

  /**
   * Returns the function pointer {@code deleter}, {@code void (*)(DLManagedTensor*)}. It also frees the struct. May be
   * NULL.
   */
  public static MemorySegment deleterCallback(MemorySegment managed) {
    return managed.get(ADDRESS, DELETER);
  }

  /** Writes {@code deleter}. */
  public static void setDeleterCallback(MemorySegment managed, MemorySegment value) {
    managed.set(ADDRESS, DELETER, value);
  }
}
