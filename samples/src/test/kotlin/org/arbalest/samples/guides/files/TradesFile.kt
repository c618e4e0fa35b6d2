// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.files

import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.ipc.*
import org.arbalest.ipc.coroutines.*
import kotlin.io.path.*

suspend fun main() {
    val path = createTempFile("trades", ".arrow")
    val rows = lendingFlow {
        for (day in 1..3) emit(Devices.cpu().batch {
            float64("price", doubleArrayOf(day + 0.5, day + 0.25))
            utf8("symbol", listOf("A", null))
        })
    }.writeArrowFile(path)
    println(rows) // 6

    var total = 0.0
    arrowFileFlow(path).collect { batch -> total += batch["price"].doubles().sum() }
    println(total) // 14.25

    ArrowFile.open(path).use { file ->
        file.batch(2).use { println(it["price"].toList()) } // [3.5, 3.25]
    }
    path.deleteExisting()
}
