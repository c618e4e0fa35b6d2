// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Column
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Tests of indices outside their dictionary. Structural validation does not check indices, so every read does. */
class DictionaryValuesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val indexTypes = listOf(8, 16, 32, 64).flatMap { listOf(IntType(it, true), IntType(it, false)) }

    fun number(value: Long, bytes: Int) = ByteArray(bytes) { (value shr 8 * it).toByte() }

    /** Passes an array to [use] that has these indices into a dictionary that [values] lays out. */
    fun imported(
        index: IntType,
        indices: List<Long>,
        valueType: DataType,
        values: (MemorySegment) -> Unit,
        use: (DeviceArray) -> Unit,
    ): Unit =
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            PeerNodes.array(out, length = indices.size.toLong(), buffers = 2)
            PeerNodes.setBuffer(out, 1, indices.map { number(it, index.bits() / 8) }.reduce(ByteArray::plus))
            PeerNodes.setArrayDictionary(out)
            values(MemorySegment.ofAddress(RawArrowArray.dictionary(out.address())).reinterpret(RawArrowArray.SIZE))
            CData.importArray(out, CImport.DATA.schema(Field.of("d", DataType.dictionary(index, valueType)))).use(use)
        }

    fun words(out: MemorySegment) = HandLaid.lay(out, DataType.UTF8, listOf(1, 2, 3), 2) // the last value is null

    /** Returns indices that are invalid in a dictionary of three values. */
    fun wrong(index: IntType): List<Long> {
        val beyond = listOf(3L, 1L shl index.bits() - 2)
        return if (index.signed()) beyond + listOf(-1, -1L shl index.bits() - 1)
        else beyond + listOf(-1L ushr 64 - index.bits())
    }

    test("reading an index outside the dictionary throws with the numbers, and other rows stay readable [ARR-16]") {
        val reads = mapOf<String, (Column) -> Unit>(
            "getString" to { it.getString(1) }, "getBytes" to { it.getBytes(1) }, "get" to { it.get(1) },
            "isNull" to { it.isNull(1) },
            "nullCount" to { it.nullCount() },
        )
        for (index in indexTypes) for (bad in wrong(index)) withClue("$index $bad") {
            imported(index, listOf(0, bad, 1, 2), DataType.UTF8, ::words) { array ->
                val column = array.asColumn()
                for ((name, read) in reads) withClue(name) {
                    val error = shouldThrow<DeviceException> { read(column) }
                    error.errno() shouldBe Errno.EINVAL
                    error.message!! shouldContain
                        "column \"d\", row 1: index $bad is beyond the 3 values of the dictionary"
                }
                column.getString(0) shouldBe "w1 "
                listOf(0L, 2L, 3L).map(column::get) shouldBe listOf("w1 ", "w2 w2 ", null)
                array.slice(2, 2).use { it.asColumn().nullCount() } shouldBe 1
                column.indices().getLong(1) shouldBe bad // the index itself can be read
            }
        }
    }

    test("import, copy and export accept an index outside the dictionary, which only a read rejects [ARR-16]") {
        for (index in indexTypes) for (bad in wrong(index))
            imported(index, listOf(bad), DataType.UTF8, ::words) { array ->
                array.copyTo(Devices.cpu()).use { copy ->
                    shouldThrow<DeviceException> { copy.asColumn().get(0) }.message!! shouldContain "index $bad is"
                }
                Arena.ofConfined().use { arena ->
                    val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
                    array.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
                    CData.importArray(out, CImport.DATA.schema(schema)).use {
                        it.asColumn().indices().getLong(0) shouldBe bad
                    }
                }
            }
    }

    test("unsigned indices are read as unsigned: 200 of 8 bits and 60,000 of 16 bits [ARR-16]") {
        val numbers: (MemorySegment) -> Unit = { out ->
            PeerNodes.array(out, length = 70_000, buffers = 2)
            PeerNodes.setBuffer(out, 1, ByteArray(4 * 70_000) { (it / 4 shr 8 * (it % 4)).toByte() })
        }
        for ((bits, far) in listOf(8 to 200L, 16 to 60_000L, 32 to 69_999L, 64 to 69_999L)) {
            imported(IntType(bits, false), listOf(far, 0), DataType.INT32, numbers) { array ->
                array.asColumn().toLongArray().toList() shouldBe listOf(far, 0)
                array.asColumn().get(0) shouldBe far
                array.asColumn().getDouble(0) shouldBe far.toDouble()
                array.asColumn().getInt(0) shouldBe far.toInt()
            }
        }
        imported(DataType.INT8, listOf(200), DataType.INT32, numbers) { array ->
            shouldThrow<DeviceException> { array.asColumn().getLong(0) }.message!! shouldContain
                "index -56 is beyond the 70000 values"
        }
    }

    test("no index is valid in an empty dictionary, and an array of length 0 needs none [ARR-16]") {
        val nothing: (MemorySegment) -> Unit = { PeerNodes.array(it, length = 0, buffers = 3) }
        for (index in indexTypes) {
            imported(index, listOf(0), DataType.UTF8, nothing) { array ->
                shouldThrow<DeviceException> { array.asColumn().get(0) }.message!! shouldContain
                    "index 0 is beyond the 0 values of the dictionary"
                array.slice(1, 0).use { it.asColumn().nullCount() } shouldBe 0
            }
        }
    }
})
