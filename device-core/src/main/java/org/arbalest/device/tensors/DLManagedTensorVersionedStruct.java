// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.arbalest.device.internal.abi.Memory.byteOffset;
import static org.arbalest.device.internal.abi.Memory.int32;
import static org.arbalest.device.internal.abi.Memory.int64;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;

/**
 * The C struct {@code DLManagedTensorVersioned} of DLPack 1: a tensor and its deleter.
 *
 * <p>The struct is identified by its address and is never moved.
 */
public final class DLManagedTensorVersionedStruct {
  /** The memory layout of the C struct. In C, {@code version} is a nested struct. */
  public static final StructLayout LAYOUT =
      struct(
          "DLManagedTensorVersioned",
          int32("version.major"),
          int32("version.minor"),
          pointer("manager_ctx"),
          pointer("deleter"),
          int64("flags"),
          DLTensorStruct.LAYOUT.withName("dl_tensor"));

  /** {@code DLPACK_FLAG_BITMASK_READ_ONLY}: the consumer does not write to the memory. */
  public static final long READ_ONLY = 1;

  /** {@code DLPACK_FLAG_BITMASK_IS_COPIED}: the memory is a copy that the producer made for this consumer only. */
  public static final long IS_COPIED = 2;

  private static final long MAJOR = byteOffset(LAYOUT, "version.major");
  private static final long MINOR = byteOffset(LAYOUT, "version.minor");
  private static final long MANAGER_CTX = byteOffset(LAYOUT, "manager_ctx");
  private static final long DELETER = byteOffset(LAYOUT, "deleter");
  private static final long FLAGS = byteOffset(LAYOUT, "flags");
  private static final long TENSOR = byteOffset(LAYOUT, "dl_tensor");

  private DLManagedTensorVersionedStruct() {}

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

  /**
   * Returns the major version, which is the version of the layout. In a struct of another major version, only
   * {@code manager_ctx} and {@code deleter} are known to have these offsets.
   */
  public static int major(MemorySegment managed) {
    return managed.get(JAVA_INT, MAJOR);
  }

  /** Writes {@code version.major}. */
  public static void setMajor(MemorySegment managed, int value) {
    managed.set(JAVA_INT, MAJOR, value);
  }

  /** Returns the minor version, which determines the codes that may occur. */
  public static int minor(MemorySegment managed) {
    return managed.get(JAVA_INT, MINOR);
  }

  /** Writes {@code version.minor}. */
  public static void setMinor(MemorySegment managed, int value) {
    managed.set(JAVA_INT, MINOR, value);
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
   * Returns the function pointer {@code deleter}, {@code void (*)(DLManagedTensorVersioned*)}. It also frees the
   * struct. May be NULL.
   */
  public static MemorySegment deleterCallback(MemorySegment managed) {
    return managed.get(ADDRESS, DELETER);
  }

  /** Writes {@code deleter}. */
  public static void setDeleterCallback(MemorySegment managed, MemorySegment value) {
    managed.set(ADDRESS, DELETER, value);
  }

  /** Returns the flags: {@link #READ_ONLY}, {@link #IS_COPIED}, both, or 0 for neither. */
  public static long flags(MemorySegment managed) {
    return managed.get(JAVA_LONG, FLAGS);
  }

  /** Writes {@code flags}. */
  public static void setFlags(MemorySegment managed, long value) {
    managed.set(JAVA_LONG, FLAGS, value);
  }
}
