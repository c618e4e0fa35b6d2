// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch

/**
 * Returns the columns of this record batch in a batch whose own bitmap makes some rows null, as the bitmap of any C
 * struct may. Closes this batch.
 *
 * @param isCounted whether the new batch has the number of nulls
 */
fun RecordBatch.withNullRows(vararg rows: Int, isCounted: Boolean = true): RecordBatch = use { batch ->
    val bits = Devices.cpu().allocate((batch.length() + 7) / 8)
    val bitmap = bits.segment().fill(-1)
    for (row in rows) bitmap.asByteBuffer().let {
        it.put(row / 8, (it.get(row / 8).toInt() and (1 shl row % 8).inv()).toByte())
    }
    val nulls = if (isCounted) rows.size.toLong() else -1
    DeviceArray.of(batch.field().withNullable(true),
        ArrayData.of(batch.length(), nulls, listOf(bits), ArrayData.of(batch).children())).asRecordBatch()
}
