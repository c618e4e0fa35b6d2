// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.flows

import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.*

fun main(): Unit = runBlocking {
    val batches = listOf(doubleArrayOf(1.5, 2.0), doubleArrayOf(4.25)).map { prices ->
        Devices.cpu().batch { float64("price", prices) }
    }
    val reader = RecordBatchReader.of(batches.first().schema(), batches) // the reader owns the batches now
    reader.asFlow().collect { batch ->
        println(batch["price"].doubles().sum()) // 3.5, then 4.25
    }
}
