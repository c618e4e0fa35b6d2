// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.device.types.Field
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension

/** The values that the C peer reads of joined batches. */
class ArrayColumnsPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("C reads columns of every type as they are in a joined batch [ARR-13, SEL-29]") {
        EveryType.batch(0, 40).use { all ->
            val columns = EveryType.fields.indices.map { all.retainChild(it).use { column -> column.slice(3, 20) } }
            val sum = all.slice(3, 20).use { EveryType.checksum(it.retain()) }
            RecordBatch.ofColumns(EveryType.fields.map(Field::name), columns).use {
                EveryType.checksum(it.retain()) shouldBe sum
            }
            columns.forEach { it.close() }
        }
    }
})
