// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.flatbuf.Decimal
import org.apache.arrow.flatbuf.Time
import org.apache.arrow.flatbuf.Type
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.ipc.Crafted.BatchOf
import org.arbalest.device.ipc.Crafted.FieldOf
import org.arbalest.device.ipc.Crafted.TypeOf
import org.arbalest.support.ResourceCountersExtension

/** The levels of validation of files and streams. */
class ArrowFileValidationSpec : FunSpec({
    extension(ResourceCountersExtension)

    val none = 0L to 0L
    val full = IpcReadOptions.defaults().withValidation(Validation.FULL)
    val wayOut = "; withValidation(Validation.BOUNDS) reads it, and checks no values"

    /** A column of two values, of 16 bytes. */
    fun two(nulls: Long, vararg buffers: Pair<Long, Long>) = BatchOf(2, listOf(2L to nulls), buffers.asList())

    fun file(field: FieldOf, batch: BatchOf, body: ByteArray) =
        Crafted.file(listOf(field), batches = listOf(Crafted.batchMessage(batch, body.size.toLong()) to body))

    fun stream(field: FieldOf, batch: BatchOf, body: ByteArray) = Crafted.join(
        Crafted.framed(Crafted.schemaMessage(field)),
        Crafted.framed(Crafted.batchMessage(batch, body.size.toLong()), body),
    )

    class Case(val fault: String, val field: FieldOf, val batch: BatchOf, val body: ByteArray)

    val fixed = two(0, none, 0L to 16L)
    val values = mapOf(
        "dates that are not whole days" to Case(
            "5 milliseconds are not a whole number of days", FieldOf("d", Crafted.type(Type.Date, 1, 2)), fixed,
            Crafted.longs(0, 5),
        ),
        "decimals beyond their precision" to Case(
            "has more digits", FieldOf("d", TypeOf(Type.Decimal) { Decimal.createDecimal(it, 2, 0, 64) }), fixed,
            Crafted.longs(99, 100),
        ),
        "times out of range" to Case(
            "of a day", FieldOf("t", TypeOf(Type.Time) { Time.createTime(it, 2, 64) }), fixed,
            Crafted.longs(0, -1),
        ),
        "nulls in a field that has none" to Case(
            "null, but the field is not nullable", FieldOf("n", Crafted.int32, isNullable = false),
            two(1, 0L to 8L, 8L to 8L), Crafted.longs(1, 1),
        ),
        "text that is not UTF-8" to Case(
            "not UTF-8", FieldOf("t", Crafted.type(Type.Utf8)), two(0, none, 0L to 12L, 12L to 2L),
            Crafted.numbers(0, 1, 2, 0xff41),
        ),
    )

    for ((name, case) in values) {
        test("$name are read by default; full validation rejects them, and names the level that reads them [FIL-17]") {
            for (input in Inputs.entries) withClue(input) {
                val bytes = (if (input.isFile) ::file else ::stream)(case.field, case.batch, case.body)
                input.read(bytes) {} shouldBe 2
                shouldThrow<IpcException> { input.read(bytes, full) {} }.message!!.let {
                    it shouldContain case.fault
                    it shouldContain wayOut
                }
            }
        }
    }

    test("a dictionary with such values is read by default, too [FIL-17]") {
        val text = FieldOf("w", Crafted.type(Type.Utf8), dictionary = 7)
        val words = Crafted.dictionaryMessage(7, two(0, none, 0L to 12L, 12L to 2L), 16)
        val indices = Crafted.batchMessage(two(0, none, 0L to 8L), 8)
        val bytes = Crafted.join(
            Crafted.framed(Crafted.schemaMessage(text)),
            Crafted.framed(words, Crafted.numbers(0, 1, 2, 0xff41)),
            Crafted.framed(indices, Crafted.numbers(0, 1)),
        )
        for (input in Inputs.streams) withClue(input) {
            input.read(bytes) {} shouldBe 2
            shouldThrow<IpcException> { input.read(bytes, full) {} }.message!! shouldContain wayOut
        }
    }

    val offsets = Case(
        "offsets[2] = 0 is before offsets[1] = 1", FieldOf("t", Crafted.type(Type.Utf8)),
        two(0, none, 0L to 12L, 12L to 2L), Crafted.numbers(0, 1, 0, 0x4141),
    )

    test("numbers that lead out of the buffers are rejected at both levels, without a way out [FIL-17]") {
        for (level in listOf(Validation.BOUNDS, Validation.FULL)) for (input in Inputs.entries) withClue(input) {
            val bytes = (if (input.isFile) ::file else ::stream)(offsets.field, offsets.batch, offsets.body)
            val options = IpcReadOptions.defaults().withValidation(level)
            val message = shouldThrow<IpcException> { input.read(bytes, options) {} }.message!!
            message shouldContain offsets.fault
            (wayOut in message) shouldBe false
        }
    }

    /** Reads all values, copies and rewrites them: each call ends, or has the error of malformed data. */
    fun useAll(batch: RecordBatch) {
        val uses = listOf<(RecordBatch) -> Unit>(
            Inputs::readEveryValue,
            { it.compact().close() },
            { DeviceArray.concat(listOf(it, it)).close() },
            { Format.STREAM.write(IpcWriteOptions.defaults(), it) },
        )
        for (use in uses) try {
            use(batch)
        } catch (_: DeviceException) {
            // values that only full validation rejects
        }
    }

    test("what the default level accepts of changed files stays within its buffers [FIL-05, FIL-17]") {
        val mutation = Mutation(2, Validation.BOUNDS, ::useAll)
        val subjects = Mutation.subjects()
        repeat(4) { for (subject in subjects) mutation.round(subject, subject.inputs.intersect(Inputs.quick).toList()) }
        mutation.accepted shouldBeGreaterThan 10
        mutation.rejected shouldBeGreaterThan 100
    }
})
