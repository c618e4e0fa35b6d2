// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import static org.arbalest.device.internal.abi.Memory.byteOffset;

import org.arbalest.device.tensors.DLManagedTensorStruct;

/**
 * Access to {@link DLManagedTensorStruct} by its address, without a check of the address. Pointers are {@code long}s.
 */
public final class RawDLManagedTensor {
  /** The size of the struct in bytes. */
  public static final long SIZE = DLManagedTensorStruct.LAYOUT.byteSize();

  private static final long TENSOR = byteOffset(DLManagedTensorStruct.LAYOUT, "dl_tensor");
  private static final long MANAGER_CTX = byteOffset(DLManagedTensorStruct.LAYOUT, "manager_ctx");
  private static final long DELETER = byteOffset(DLManagedTensorStruct.LAYOUT, "deleter");

  private RawDLManagedTensor() {}

  /** Returns the address of the {@code DLTensor} inside this struct. */
  public static long tensor(long managed) {
    return managed + TENSOR;
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
   * Returns the function pointer {@code deleter}, {@code void (*)(DLManagedTensor*)}. It also frees the struct. May be
   * NULL.
   */
  public static long deleter(long managed) {
    return Memory.getLong(managed + DELETER);
  }

  /** Writes {@code deleter}. */
  public static void setDeleter(long managed, long value) {
    Memory.putLong(managed + DELETER, value);
  }
}
