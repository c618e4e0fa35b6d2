// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.RawDLManagedTensor;
import org.arbalest.device.internal.abi.RawDLManagedTensorVersioned;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.tensors.DLManagedTensorStruct;
import org.arbalest.device.tensors.DLManagedTensorVersionedStruct;
import org.arbalest.device.tensors.DLPack;

/** The common parts of the two structs that manage a tensor. */
public final class Managed {
  private Managed() {}

  static StructLayout layout(DLPack form) {
    return form == DLPack.VERSIONED ? DLManagedTensorVersionedStruct.LAYOUT : DLManagedTensorStruct.LAYOUT;
  }

  /** Returns the checked address of a struct that a caller passes. */
  static long address(DLPack form, MemorySegment managed) {
    return Structs.address(managed, layout(form));
  }

  /** Returns the address of the {@code DLTensor}. */
  static long tensor(DLPack form, long managed) {
    return form == DLPack.VERSIONED ? RawDLManagedTensorVersioned.tensor(managed) : RawDLManagedTensor.tensor(managed);
  }

  /** Calls the deleter, if there is one. Calls the library's own deleter directly, without a native call. */
  public static void delete(DLPack form, long managed) {
    long deleter =
        form == DLPack.VERSIONED ? RawDLManagedTensorVersioned.deleter(managed) : RawDLManagedTensor.deleter(managed);
    if (deleter == TensorExport.deleter(form)) {
      TensorExport.delete(form, managed);
    } else if (deleter != 0) {
      Calls.release(deleter, managed);
    }
  }
}
