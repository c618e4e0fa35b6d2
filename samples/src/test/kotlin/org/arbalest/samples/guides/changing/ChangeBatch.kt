// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.changing

import org.arbalest.coroutines.*
import org.arbalest.device.*

fun main() {
    val trades = Devices.cpu().batch {
        float64("price", doubleArrayOf(1.5, 2.0, 4.25))
        int64("size", longArrayOf(10, 20, 30))
        utf8("symbol", listOf("A", "B", null))
    }
    trades.use { batch ->
        val rows = batch["price"].doubles().where { it > 1.75 } and batch["size"].longs().where { it < 30 }
        batch.filter(rows).use { println(it["symbol"].toList()) } // [B]
        batch.take(2, 0).use { println(it["price"].toList()) } // [4.25, 1.5]
        batch.select("symbol", "price").use { chosen ->
            chosen.rename("price", "usd").use { println(it.schema().names) } // [symbol, usd]
        }
    }
}
