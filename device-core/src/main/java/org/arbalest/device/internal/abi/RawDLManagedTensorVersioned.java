// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import static org.arbalest.device.internal.abi.Memory.byteOffset;

import org.arbalest.device.tensors.DLManagedTensorVersionedStruct;

/** {@link DLManagedTensorVersionedStruct} by its address, which is not checked. Pointers are {@code long}s. */
public final class RawDLManagedTensorVersioned {
  /** Its size in bytes. */
  public static final long SIZE = DLManagedTensorVersionedStruct.LAYOUT.byteSize();

  private static final long MAJOR = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "version.major");
  private static final long MINOR = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "version.minor");
  private static final long MANAGER_CTX = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "manager_ctx");
  private static final long DELETER = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "deleter");
  private static final long FLAGS = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "flags");
  private static final long TENSOR = byteOffset(DLManagedTensorVersionedStruct.LAYOUT, "dl_tensor");

  private RawDLManagedTensorVersioned() {}

  /** Where the tensor in it is. */
  public static long tensor(long managed) {
    return managed + TENSOR;
  }

  /**
   * The version of the layout; where it is another, only {@code manager_ctx} and {@code deleter} are known to be here.
   */
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

  /**
   * {@link DLManagedTensorVersionedStruct#READ_ONLY}, {@link DLManagedTensorVersionedStruct#IS_COPIED}; 0 if neither.
   */
  public static long flags(long managed) {
    return Memory.getLong(managed + FLAGS);
  }

  /** Writes {@code flags}. */
  public static void setFlags(long managed, long value) {
    Memory.putLong(managed + FLAGS, value);
  }
}
