// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import static org.arbalest.device.internal.abi.Memory.byteOffset;

import org.arbalest.device.tensors.DLManagedTensorVersionedStruct;

/**
 * Access to {@link DLManagedTensorVersionedStruct} by its address, without a check of the address. Pointers are
 * {@code long}s.
 */
public final class RawDLManagedTensorVersioned {
  /** The size of the struct in bytes. */
  public static final long SIZE = DLManagedTensorVersionedStruct.LAYOUT.byteSize();

  private static final long MAJOR = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "version.major");
  private static final long MINOR = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "version.minor");
  private static final long MANAGER_CTX = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "manager_ctx");
  private static final long DELETER = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "deleter");
  private static final long FLAGS = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "flags");
  private static final long TENSOR = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "dl_tensor");

  private RawDLManagedTensorVersioned() {}

  /** Returns the address of the {@code DLTensor} inside this struct. */
  public static long tensor(long managed) {
    return managed + TENSOR;
  }

  /**
   * Returns the major version, which is the version of the layout. In a struct of another major version, only
   * {@code manager_ctx} and {@code deleter} are known to have these offsets.
   */
  public static int major(long managed) {
    return Memory.getInt(managed + MAJOR);
  }

  /** Writes {@code version.major}. */
  public static void setMajor(long managed, int value) {
    Memory.putInt(managed + MAJOR, value);
  }

  /** Returns the minor version, which determines the codes that may occur. */
  public static int minor(long managed) {
    return Memory.getInt(managed + MINOR);
  }

  /** Writes {@code version.minor}. */
  public static void setMinor(long managed, int value) {
    Memory.putInt(managed + MINOR, value);
  }

  /** Returns {@code manager_ctx}, a pointer that only the producer uses. */
  public static long managerCtx(long managed) {
    return Memory.getLong(managed + MANAGER_CTX);
  }

  /** Writes {@code manager_ctx}. */
  public static void setManagerCtx(long managed, long value) {
    Memory.putLong(managed + MANAGER_CTX, value);
  }

  /**
   * Returns the function pointer {@code deleter}, {@code void (*)(DLManagedTensorVersioned*)}. It also frees the
   * struct. May be NULL.
   */
  public static long deleter(long managed) {
    return Memory.getLong(managed + DELETER);
  }

  /** Writes {@code deleter}. */
  public static void setDeleter(long managed, long value) {
    Memory.putLong(managed + DELETER, value);
  }

  /**
   * Returns the flags: {@link DLManagedTensorVersionedStruct#READ_ONLY},
   * {@link DLManagedTensorVersionedStruct#IS_COPIED}, both, or 0 for neither.
   */
  public static long flags(long managed) {
    return Memory.getLong(managed + FLAGS);
  }

  /** Writes {@code flags}. */
  public static void setFlags(long managed, long value) {
    Memory.putLong(managed + FLAGS, value);
  }
}
