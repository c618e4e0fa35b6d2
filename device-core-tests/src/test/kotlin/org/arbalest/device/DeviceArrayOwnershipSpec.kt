// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import kotlin.random.Random

class DeviceArrayOwnershipSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun Arena.exported(from: Int = 0, rows: Int = 8): MemorySegment =
        struct(StructKind.ARRAY).also { out ->
            EveryType.batch(from, rows).use { CData.exportArray(it, out, CExport.DATA) }
        }

    fun Arena.peerBatch(): Pair<MemorySegment, MemorySegment> =
        (struct(StructKind.ARRAY) to struct(StructKind.SCHEMA)).also { (array, schema) ->
            PeerStreams.batch(array, 0, 10)
            PeerStreams.batchSchema(schema)
        }

    fun released(array: MemorySegment) = RawArrowArray.release(array.address()) == 0L

    val columns = EveryType.fields.size

    test("an import rejects a released struct before it reads any other field [OWN-01]") {
        Arena.ofConfined().use { arena ->
            val garbage = arena.struct(StructKind.ARRAY).fill(0x5a)
            RawArrowArray.setRelease(garbage.address(), 0)
            shouldThrow<DeviceException> {
                CData.importArray(garbage, CImport.DATA.schema(EveryType.fields[3]))
            }.message shouldContain
                "the array was released before it was imported"
            PeerMoves.release(garbage, StructKind.ARRAY) shouldBe false
        }
    }

    test("closing the last handle releases an imported array once, in any order of closes [OWN-02]") {
        Arena.ofConfined().use { arena ->
            val (array, schema) = arena.peerBatch()
            val first = CData.importBatch(array, CImport.DATA.schema(schema))
            val others = listOf(first.retain(), first.slice(2, 3), first.retainChild(1),
                first.column("id").let { first.retainChild(0) })
            val calls = CPeer.counts().releaseCalls
            (others + first).shuffled(Random(3)).dropLast(1).forEach(DeviceArray::close)
            CPeer.counts().let { it.arrays shouldBe 3; it.releaseCalls shouldBe calls }
            (others + first).forEach(DeviceArray::close)
            CPeer.counts().let { it.arrays shouldBe 0; it.doubleReleases shouldBe 0 }
        }
    }

    test("the release callback of an export frees the array, and marks the struct as released [OWN-03]") {
        Arena.ofConfined().use { arena ->
            val out = arena.exported()
            Held.now().exports shouldBe 1
            PeerMoves.release(out, StructKind.ARRAY) shouldBe true
            released(out) shouldBe true
            Held.now().isZero shouldBe true
        }
    }

    test("an exported struct can be moved by memcpy any number of times before its release [OWN-04]") {
        Arena.ofConfined().use { arena ->
            PeerMoves.releaseMoved(arena.exported(), StructKind.ARRAY) shouldBe true
            var at = arena.exported()
            repeat(5) {
                val next = arena.struct(StructKind.ARRAY)
                PeerMoves.move(at, next, StructKind.ARRAY)
                released(at) shouldBe true
                at.fill(0x5a)
                at = next
            }
            PeerMoves.release(at, StructKind.ARRAY) shouldBe true
        }
    }

    test("an import marks the source as released without calling release, and the source may be overwritten [OWN-05]") {
        Arena.ofConfined().use { arena ->
            val (array, schema) = arena.peerBatch()
            val imported = CData.importBatch(array, CImport.DATA.schema(schema))
            released(array) shouldBe true
            CPeer.counts().arrays shouldBe 3
            array.fill(0x5a)
            imported.column("id").getLong(9) shouldBe 9
            imported.close()
        }
    }

    test("a child moved out of its parent outlives it, in any order of releases [OWN-06]") {
        repeat(20) { seed ->
            Arena.ofConfined().use { arena ->
                val random = Random(seed)
                val out = arena.exported()
                val moved = (0L until columns).filter { random.nextBoolean() }.map { i ->
                    arena.struct(StructKind.ARRAY).also { PeerMoves.moveChild(out, i, it) }
                }
                for (struct in (moved + out).shuffled(random)) {
                    Held.now().arrays shouldBe 1
                    PeerMoves.release(struct, StructKind.ARRAY) shouldBe true
                }
                Held.now().isZero shouldBe true
            }
        }
    }

    test(
        "a child, a grandchild and a dictionary that were moved out are readable after their parents' release " +
            "[OWN-06]",
    ) {
        Arena.ofConfined().use { arena ->
            val out = arena.exported()
            val index = EveryType.fields.indexOfFirst { it.name() == "dictionary" }
            val (column, dictionary, list, items) = List(4) { arena.struct(StructKind.ARRAY) }
            PeerMoves.moveChild(out, index.toLong(), column)
            PeerMoves.moveDictionary(column, dictionary)
            PeerMoves.moveChild(out, EveryType.fields.indexOfFirst { it.name() == "list" }.toLong(), list)
            PeerMoves.moveChild(list, 0, items)
            listOf(out, column, list).forEach { PeerMoves.release(it, StructKind.ARRAY) shouldBe true }
            CData.importArray(
                dictionary,
                CImport.DATA.schema(org.arbalest.device.types.Field.of("", org.arbalest.device.types.DataType.UTF8)),
            ).use {
                it.asColumn().getString(2) shouldBe "word 2"
            }
            val item = (EveryType.fields.first { it.name() == "list" }
                .type() as org.arbalest.device.types.NestedType.ListType).item()
            CData.importArray(items, CImport.DATA.schema(item)).use {
                it.length() shouldBe (0 until 8).filter { row -> row % 4 != 3 }.sumOf { row -> row % 3 }
            }
        }
    }

    test("an import rejects a batch with a moved-out child, and releases the rest once [OWN-06]") {
        Arena.ofConfined().use { arena ->
            val (array, schema) = arena.peerBatch()
            val id = arena.struct(StructKind.ARRAY)
            PeerMoves.moveChild(array, 0, id)
            shouldThrow<DeviceException> { CData.importArray(array, CImport.DATA.schema(schema)) }.message shouldBe
                "children[0] is released"
            released(array) shouldBe true
            CData.importArray(id, CImport.DATA.schema(EveryType.fields.first { it.name() == "int64" })).use {
                it.asColumn().getLong(3) shouldBe 3
            }
        }
    }

    test("a second release of an exported struct, or of a bitwise copy of it, does nothing [OWN-07]") {
        Arena.ofConfined().use { arena ->
            PeerMoves.releaseTwice(arena.exported(), StructKind.ARRAY) shouldBe true
            val out = arena.exported()
            val copy = arena.struct(StructKind.ARRAY)
            PeerMoves.copy(out, copy, StructKind.ARRAY)
            PeerMoves.release(out, StructKind.ARRAY) shouldBe true
            val next = arena.exported(100) // uses the same slot
            PeerMoves.release(copy, StructKind.ARRAY)
            Held.now().exports shouldBe 1
            CData.importBatch(next, CImport.DATA.schema(EveryType.batch(0, 1).use { it.field() })).use {
                it.column("int64").getLong(0) shouldBe 100
            }
        }
    }

    test("an export writes only to the consumer's struct, which can be overwritten after its release [OWN-12]") {
        Arena.ofConfined().use { arena ->
            val page = arena.allocate(80 * 3 + 8).fill(0x77)
            val out = page.asSlice(8 + 80, 80)
            EveryType.batch(0, 4).use { CData.exportArray(it, out, CExport.DATA) }
            PeerMoves.release(out, StructKind.ARRAY)
            out.fill(0x77)
            page.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).all { it == 0x77.toByte() } shouldBe true
        }
    }

    test("an exported array does not change while other handles are sliced, exported and closed [OWN-13]") {
        Arena.ofConfined().use { arena ->
            val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
            val array = EveryType.batch(0, 20)
            array.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
            val before = PeerNodes.checksum(out, schema)
            EveryType.checksum(array.slice(3, 9))
            array.retainChild(2).close()
            array.close()
            List(20) { EveryType.batch(50, 20) }.forEach(DeviceArray::close)
            PeerNodes.checksum(out, schema) shouldBe before
            PeerMoves.release(out, StructKind.ARRAY)
            PeerMoves.release(schema, StructKind.SCHEMA)
        }
    }

    test("exporting and importing an array twice releases the peer's array once, at the last release [OWN-02]") {
        Arena.ofConfined().use { arena ->
            val (array, schema) = arena.peerBatch()
            val imported = CData.importArray(array, CImport.DATA.schema(schema))
            val (once, again) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.DEVICE_ARRAY)
            val field = imported.field()
            CData.exportArray(imported, once, CExport.DATA)
            shouldThrow<IllegalStateException> { imported.retain() }.message shouldContain "retain() first"
            CData.exportArray(CData.importArray(once, CImport.DATA.schema(field)), again, CExport.DEVICE)
            CPeer.counts().arrays shouldBe 3
            PeerMoves.releaseOnThread(again, StructKind.DEVICE_ARRAY) shouldBe true
            CPeer.counts().arrays shouldBe 0
        }
    }
})
