// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.arbalest.device.DeviceArray
import org.arbalest.device.tensors.DLPack
import java.lang.foreign.MemorySegment

/** What `__dlpack__(stream=…)` answers, in a capsule that is called dltensor_versioned. */
fun lend(batch: DeviceArray, column: String, stream: Long): Long =
    batch.device().wrapStream(stream).use { consumer ->
        batch.retainChild(batch.schema().indexOf(column)).use { numbers ->
            DLPack.VERSIONED.exportTensor(numbers, consumer).address()
        }
    }

/** The tensor of a capsule, which its caller has renamed to used_dltensor_versioned. */
fun borrow(tensor: Long): DeviceArray =
    DLPack.VERSIONED.importTensor(MemorySegment.ofAddress(tensor))
