// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceStream
import org.arbalest.device.RecordBatch
import org.arbalest.device.tensors.DLPack
import java.lang.foreign.MemorySegment

/** Returns the address that `__dlpack__(stream=…)` wraps in a capsule named dltensor_versioned. */
fun lend(batch: RecordBatch, column: String, stream: Long): Long =
    batch.device().wrapStream(stream).use { consumer ->
        batch.retainChild(batch.schema().indexOf(column)).use { numbers ->
            DLPack.VERSIONED.exportTensor(numbers, consumer).address()
        }
    }

/** Imports the tensor of a capsule, which the caller has renamed to used_dltensor_versioned. */
fun borrow(tensor: Long, stream: DeviceStream): DeviceArray =
    DLPack.VERSIONED.importTensor(MemorySegment.ofAddress(tensor), stream)
