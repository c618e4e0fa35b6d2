// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.performance

import org.arbalest.coroutines.*
import org.arbalest.device.RecordBatch

fun total(batch: RecordBatch): Double {
    val price = batch["price"].doubles() // one view for the whole loop
    var total = 0.0
    price.forEachValid { _, value -> total += value } // inlined; skips nulls
    return total
}
