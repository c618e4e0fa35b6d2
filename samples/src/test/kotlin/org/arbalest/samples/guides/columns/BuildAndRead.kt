// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.columns

import org.arbalest.coroutines.*
import org.arbalest.device.*

fun main() {
    val symbols = listOf("A", null, "C")
    val trades = Devices.cpu().batch {
        float64("price", doubleArrayOf(1.5, 2.0, 4.25)) // an array: one copy
        utf8("symbol", symbols) // a list: null makes a null row
        bool("known") { row -> symbols[row] != null } // a lambda: runs once for each row
    }
    trades.use { batch ->
        println(batch["price"].doubles().sum()) // 7.75
        println(batch["symbol"].strings().toList()) // [A, null, C]
        println(batch["known"].booleans()[1]) // false
    }
}
