// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Tests of arrays that are made of the addresses of another library's columns, such as cuDF's. */
internal fun foreignColumnContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }

    fun values(array: DeviceArray): List<Any?> = array.copyTo(Devices.cpu()).use {
        it.synchronize()
        it.asColumn().toList()
    }

    for ((name, case) in CASES) {
        test("foreign: $name by address has its rows and addresses, and is released once, at the end [OWN-23]") {
            val column = ForeignColumn(device, case.laid)
            val array = column.wrap(case.field)
            values(array) shouldBe case.rows
            if (case.rows.isNotEmpty()) addresses(array.asColumn()) shouldBe column.addresses(case.field)
            val other = array.retain()
            array.close()
            values(other) shouldBe case.rows
            column.released shouldBe 0
            other.close()
            eventually("the copies are done, and the column is released") { column.released > 0 }
            column.released shouldBe 1
        }

        test("foreign: $name is released once if any of its buffers is impossible, or its type does not fit [OWN-23]") {
            val all = ForeignColumn(device, case.laid).also { it.wrap(case.field).close() }
            for (part in 0 until all.buffers(case.field)) {
                val column = ForeignColumn(device, case.laid)
                withClue("buffer $part") {
                    shouldThrow<IllegalArgumentException> { column.wrap(case.field, part) }
                    column.released shouldBe 1
                }
            }
            if (case.rows.isEmpty()) return@test
            val short = ForeignColumn(device, case.laid.run { Laid(1_000, nulls, valid, offsets, data, children) })
            shouldThrow<DeviceException> { short.wrap(case.field) }
            short.released shouldBe 1
        }
    }

    test("foreign: a column whose array is closed stays until queued copies of it are done [OWN-23]") {
        val field = Field.of("s", DataType.struct(Field.of("n", DataType.INT32)))
        val laid = Laid(2, 0, null, null, null, listOf(Laid(2, 0, null, null, ints(5, 6))))
        device.createStream().use { stream ->
            val column = ForeignColumn(device, laid)
            backend.held(stream) { gate ->
                column.wrap(field).use { it.copyTo(device, stream) }.use { copy ->
                    if (gate != null) column.released shouldBe 0
                    gate?.open()
                    values(copy) shouldBe listOf(mapOf("n" to 5L), mapOf("n" to 6L))
                }
            }
            eventually("the column is released") { column.released > 0 }
            column.released shouldBe 1
        }
    }
}

private class Case(val field: Field, val laid: Laid, val rows: List<Any?>)

private fun packed(vararg values: Int) = ByteArray(values.size) { values[it].toByte() }

private fun ints(vararg values: Int) = ByteBuffer.allocate(4 * values.size).order(ByteOrder.nativeOrder())
    .also { buffer -> values.forEach { buffer.putInt(it) } }.array()

private val CASES: Map<String, Case> = mapOf(
    "a list of booleans" to Case(
        Field.of("l", DataType.list(Field.bool8("item"))),
        Laid(4, 1, packed(0b1101), ints(0, 2, 2, 2, 5), null,
            listOf(Laid(5, 1, packed(0b10111), null, packed(1, 0, 1, 0, 7)))),
        listOf(listOf(true, false), null, listOf<Any>(), listOf(true, null, true)),
    ),
    "a list of lists of text" to Case(
        Field.of("l", DataType.list(DataType.list(DataType.UTF8))),
        Laid(3, 0, null, ints(0, 2, 2, 3), null, listOf(
            Laid(3, 0, null, ints(0, 1, 3, 3), null, listOf(
                Laid(3, 1, packed(0b101), ints(0, 1, 1, 3), "abc".toByteArray()),
            )),
        )),
        listOf(listOf(listOf("a"), listOf(null, "bc")), listOf<Any>(), listOf(listOf<Any>())),
    ),
    "a struct of lists and text" to Case(
        Field.of("s", DataType.struct(Field.of("n", DataType.list(DataType.INT32)), Field.of("t", DataType.UTF8))),
        Laid(2, 0, null, null, null, listOf(
            Laid(2, 0, null, ints(0, 0, 2), null, listOf(Laid(2, 0, null, null, ints(7, 258)))),
            Laid(2, 1, packed(0b01), ints(0, 3, 3), "xyz".toByteArray()),
        )),
        listOf(mapOf("n" to listOf<Any>(), "t" to "xyz"), mapOf("n" to listOf(7L, 258L), "t" to null)),
    ),
    "a list of structs" to Case(
        Field.of("l", DataType.list(DataType.struct(Field.of("n", DataType.INT32)))),
        Laid(2, 0, null, ints(0, 1, 2), null,
            listOf(Laid(2, 1, packed(0b01), null, null, listOf(Laid(2, 0, null, null, ints(5, 6)))))),
        listOf(listOf(mapOf("n" to 5L)), listOf(null)),
    ),
    "a list without rows" to Case(
        Field.of("l", DataType.list(DataType.INT32)),
        Laid(0, 0, null, null, null, listOf(Laid(0, 0, null, null, null))),
        listOf(),
    ),
)
