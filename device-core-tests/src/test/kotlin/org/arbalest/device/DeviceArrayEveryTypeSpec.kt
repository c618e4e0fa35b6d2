// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.ext.PHANTOM
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.HandLaid.expected
import org.arbalest.device.support.HandLaid.exported
import org.arbalest.device.support.HandLaid.imported
import org.arbalest.device.support.HandLaid.laid
import org.arbalest.device.support.HandLaid.read
import org.arbalest.device.support.LaidValues
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.AbstractMap.SimpleEntry

/**
 * Imported arrays of every type, laid out by the test and not by the library: sliced, nested, read, copied, exported.
 */
class DeviceArrayEveryTypeSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val rows = List(13) { it }
    val batch = StructType(HandLaid.types.mapIndexed { i, type -> Field.of("$i ${type.format()}", type) })

    fun values(array: DeviceArray): List<Any?> = LaidValues.read(array.asColumn())

    val cuts = listOf(0 to 13, 1 to 12, 3 to 7, 8 to 5, 12 to 1, 5 to 3)

    for (skipped in listOf(1, 3, 8)) {
        test("imported arrays of every type, with offset $skipped, are exported correctly, whole and sliced [ARR-12]") {
            for (type in HandLaid.types) withClue(type) {
                imported(type, rows, skipped) { array ->
                    for ((from, count) in cuts) {
                        exported(array.slice(from.toLong(), count.toLong())) shouldBe
                            expected(type, rows.subList(from, from + count))
                    }
                }
            }
        }

        test("imported arrays of every type, with offset $skipped, are copied correctly, whole and sliced [ARR-12]") {
            for (type in HandLaid.types) withClue(type) {
                imported(type, rows, skipped) { array ->
                    for ((from, count) in cuts) {
                        val copy = array.slice(from.toLong(), count.toLong()).use { it.copyTo(Devices.cpu()) }
                        exported(copy) shouldBe expected(type, rows.subList(from, from + count))
                    }
                }
            }
        }

        test("imported arrays of every type read the same values with offset $skipped as without an offset [ARR-12]") {
            for (type in HandLaid.types) withClue(type) {
                var whole: List<Any?> = emptyList()
                imported(type, rows, 0) { whole = values(it) }
                imported(type, rows, skipped) { array ->
                    for ((from, count) in cuts) array.slice(from.toLong(), count.toLong()).use {
                        values(it) shouldBe whole.subList(from, from + count)
                    }
                }
            }
        }

        test(
            "slicing an array slices the children of structs and sparse unions only, with offset $skipped " +
                "[ARR-11, ARR-12]",
        ) {
            for (type in HandLaid.types.filter { it.children().isNotEmpty() }) withClue(type) {
                Arena.ofConfined().use { arena ->
                    val out = laid(arena, type, rows, skipped)
                    val whole = type.children().mapIndexed { i, field ->
                        read(struct(RawArrowArray.child(out.address(), i.toLong())), field)
                    }
                    CData.importArray(out, CImport.DATA.schema(Field.of("", type))).use { it.slice(2, 9) }.use { cut ->
                        type.children().forEachIndexed { i, field ->
                            val own = rows.subList(2, 11).map { if (type is StructType) it + i else it }
                            val isCut = type is StructType ||
                                type is UnionType && type.mode() == NestedType.UnionMode.SPARSE
                            exported(cut.retainChild(i)) shouldBe if (isCut) expected(field.type(), own) else whole[i]
                        }
                    }
                }
            }
        }

        test("slices of a batch with every type, with offset $skipped, are exported and copied correctly [ARR-12]") {
            imported(batch, rows, skipped) { array ->
                for ((from, count) in cuts) {
                    val right = expected(batch, rows.subList(from, from + count))
                    exported(array.slice(from.toLong(), count.toLong())) shouldBe right
                    exported(array.slice(from.toLong(), count.toLong()).use { it.copyTo(Devices.cpu()) }) shouldBe right
                }
            }
        }
    }

    test("maps and fixed-size lists that are laid out by hand have the expected values [ARR-12]") {
        val map = HandLaid.types.first { it is MapType }
        imported(map, listOf(1, 2, 3, 4), 2) { array ->
            values(array) shouldBe listOf(
                listOf(SimpleEntry("w3 w3 w3 ", 4L)),
                listOf(SimpleEntry("w6 ", null), SimpleEntry("w7 w7 ", 8L)),
                null,
                listOf(SimpleEntry("w12 w12 ", 13L)),
            )
        }
        imported(FixedSizeListType(Field.of("item", DataType.INT32), 2), listOf(2, 3, 5), 3) { array ->
            values(array) shouldBe listOf(listOf(4L, 5L), null, listOf(10L, null))
        }
    }

    test("arrays of every type are imported, sliced, exported and released without reading any buffer [ARR-17]") {
        fun hide(array: MemorySegment, type: DataType) {
            val isView = type is FlatType.Utf8ViewType || type is FlatType.BinaryViewType
            // the last buffer has the sizes of the data buffers, and the CPU can always read it (DEV-01)
            val buffers = RawArrowArray.nBuffers(array.address()) - if (isView) 1 else 0
            for (i in 0 until buffers) PeerNodes.setForeignBuffer(array, i, MemorySegment.ofAddress(PHANTOM + 4096 * i))
            type.children().forEachIndexed { i, field ->
                hide(struct(RawArrowArray.child(array.address(), i.toLong())), field.type())
            }
            if (type is NestedType.DictionaryType)
                hide(struct(RawArrowArray.dictionary(array.address())), type.values().type())
        }
        for (type in HandLaid.types + batch) for (skipped in listOf(0, 3)) for (deviceType in listOf(1, 17))
            withClue(type) {
                Arena.ofConfined().use { arena ->
                    val field = Field.of("", type)
                    val (out, device) = laid(arena, type, rows, skipped)
                        .also { hide(it, type) } to arena.struct(StructKind.DEVICE_ARRAY)
                    PeerNodes.deviceArray(device, out, 0, deviceType)
                    CData.importArray(device, CImport.DEVICE.schema(field)).use { array ->
                        array.slice(2, 7).use { CData.exportArray(it, device, CExport.DEVICE) }
                        CData.importArray(device, CImport.DEVICE.schema(field)).use { again ->
                            if (type.children().isNotEmpty()) again.retainChild(0).close()
                        }
                        if (deviceType == 1) {
                            array.retain().use { CData.exportArray(it, out, CExport.DATA) }
                            CData.exportArray(CData.importArray(out, CImport.DATA.schema(field)).move(),
                                out, CExport.DATA)
                            PeerMoves.releaseOnThread(out, StructKind.ARRAY)
                        }
                    }
                }
            }
        CPeer.counts().arrays shouldBe 0
    }
})

private fun struct(address: Long): MemorySegment = MemorySegment.ofAddress(address).reinterpret(RawArrowArray.SIZE)
