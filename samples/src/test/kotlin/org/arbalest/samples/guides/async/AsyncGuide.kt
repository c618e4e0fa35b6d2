// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.async

import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.c.*
import org.arbalest.device.types.*
import java.lang.foreign.MemorySegment

fun main(): Unit = runBlocking {
    var total = 0.0
    val stream = CData.importAsyncStream(CImport.DEVICE) { handler ->
        launch(start = CoroutineStart.UNDISPATCHED) { produce(handler) }
    }
    stream.use { it.asFlow(prefetch = 16).collect { batch -> total += batch["price"].doubles().sum() } }
    println("total: $total")
}

/** The producer. In an application this is often native code. */
suspend fun produce(handler: MemorySegment) {
    val batches = lendingFlow {
        for (price in listOf(1.5, 2.0, 4.25)) emit(Devices.cpu().batch { float64("price", doubleArrayOf(price)) })
    }
    batches.produceTo(handler, Schema.of(Field.of("price", DataType.FLOAT64)))
}
