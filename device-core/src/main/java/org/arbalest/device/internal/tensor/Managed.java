// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.arbalest.device.tensors.DLPack;
import org.arbalest.device.abi.DLManagedTensorStruct;
import org.arbalest.device.abi.DLManagedTensorVersionedStruct;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.Structs;

/** The two structs that manage a tensor, in what they have in common. */
public final class Managed {
  private Managed() {}

  static StructLayout layout(DLPack form) {
    return form == DLPack.VERSIONED ? DLManagedTensorVersionedStruct.LAYOUT : DLManagedTensorStruct.LAYOUT;
  }

  /** Where a struct is that a caller hands in. */
  static long address(DLPack form, MemorySegment managed) {
    return Structs.address(managed, layout(form));
  }

  /** Where the {@code DLTensor} is. */
  static long tensor(DLPack form, long managed) {
    return form == DLPack.VERSIONED ? DLManagedTensorVersionedStruct.tensor(managed) : DLManagedTensorStruct.tensor(managed);
  }

  /** Calls the deleter, if there is one; ours without going through C. */
  public static void delete(DLPack form, long managed) {
    long deleter = form == DLPack.VERSIONED ? DLManagedTensorVersionedStruct.deleter(managed) : DLManagedTensorStruct.deleter(managed);
    if (deleter == TensorExport.deleter(form)) {
      TensorExport.delete(form, managed);
    } else if (deleter != 0) {
      Calls.release(deleter, managed);
    }
  }
}
