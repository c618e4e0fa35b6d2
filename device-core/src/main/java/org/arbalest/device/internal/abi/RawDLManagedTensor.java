// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import static org.arbalest.device.internal.abi.Memory.byteOffset;

import org.arbalest.device.tensors.DLManagedTensorStruct;

/** {@link DLManagedTensorStruct} by its address, which is not checked. Pointers are {@code long}s. */
public final class RawDLManagedTensor {
  /** Its size in bytes. */
  public static final long SIZE = DLManagedTensorStruct.LAYOUT.byteSize();

  private static final long TENSOR = byteOffset(DLManagedTensorStruct.LAYOUT, "dl_tensor");
  private static final long MANAGER_CTX = byteOffset(DLManagedTensorStruct.LAYOUT, "manager_ctx");
  private static final long DELETER = byteOffset(DLManagedTensorStruct.LAYOUT, "deleter");

  private RawDLManagedTensor() {}

  /** Where the tensor in it is. */
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
