// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.tensors.DLPack;

/** The snippets of docs/guides/tensors.md. */
final class TensorsJava {
  private TensorsJava() {}

  /** Returns the address that {@code __dlpack__(stream=…)} wraps in a capsule named dltensor_versioned. */
  static long lend(RecordBatch batch, String column, long stream) {
    try (DeviceStream consumer = batch.device().wrapStream(stream);
        DeviceArray numbers = batch.retainChild(batch.schema().indexOf(column))) {
      return DLPack.VERSIONED.exportTensor(numbers, consumer).address();
    }
  }

  /** Imports the tensor of a capsule, which the caller has renamed to used_dltensor_versioned. */
  static DeviceArray borrow(long tensor, DeviceStream stream) {
    return DLPack.VERSIONED.importTensor(MemorySegment.ofAddress(tensor), stream);
  }
}
