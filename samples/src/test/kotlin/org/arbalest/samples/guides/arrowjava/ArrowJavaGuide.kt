// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.arrowjava

import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.Float8Vector
import org.apache.arrow.vector.VectorSchemaRoot
import org.arbalest.coroutines.*
import org.arbalest.device.arrow.ArrowVectors

fun main() {
    RootAllocator().use { allocator ->
        Float8Vector("price", allocator).use { price ->
            price.allocateNew(2)
            price.set(0, 1.5)
            price.set(1, 4.25)
            price.valueCount = 2
            ArrowVectors.toRecordBatch(VectorSchemaRoot.of(price)).use { batch ->
                ArrowVectors.toVectorSchemaRoot(batch, allocator).use { root -> // the same buffers
                    println(batch["price"].doubles()[1]) // 4.25
                    println(root.getVector("price")) // [1.5, 4.25]
                }
            }
        }
    }
}
