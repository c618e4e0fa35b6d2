// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.support.CSchema
import org.arbalest.device.support.block
import org.arbalest.device.support.checksum
import org.arbalest.device.support.childOf
import org.arbalest.device.support.imported
import org.arbalest.device.support.isReleased
import org.arbalest.device.support.refused
import org.arbalest.device.support.roundTrip
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind.SCHEMA
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder

private val names = CSchema("+l", CSchema("u").named("item")).named("names")
private val place =
    CSchema("i", "place", dictionary = CSchema("+s", CSchema("u").named("city"), CSchema("U").named("land")))
private val batch =
    CSchema("+s", flags = 0, metadata = block("k" to "v"), children = listOf(names, place, CSchema("g").named("x")))

/** A schema for each problem that an import can meet. */
private val malformed: Map<String, CSchema> = mapOf(
    "a NULL format" to CSchema(null as String?),
    "an unknown format" to CSchema("+s", CSchema("q")),
    "NULL children" to CSchema("+s", children = listOf(CSchema("i")), tamper = PeerNodes::nullSchemaChildren),
    "a negative n_children" to
        CSchema("+s", children = listOf(CSchema("i")), tamper = { RawArrowSchema.setNChildren(it.address(), -1) }),
    "bad metadata" to CSchema(
        "+s", CSchema("i", metadata = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(-1).array()),
    ),
    "a bad index" to CSchema("u", dictionary = CSchema("u")),
    "a bad union" to CSchema("+us:1,1", CSchema("i"), CSchema("i")),
    "a bad map" to CSchema("+m", CSchema("i")),
    "bad run ends" to CSchema("+r", CSchema("u"), CSchema("i")),
    "too many levels" to (1..70).fold(CSchema("i")) { inner, _ -> CSchema("+l", inner) },
)

class SchemaExchangeSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    lateinit var arena: Arena
    beforeTest { arena = Arena.ofConfined() }
    afterTest { arena.close() }

    fun struct(): MemorySegment = arena.allocate(ArrowSchemaStruct.LAYOUT)
    fun exportOf(schema: CSchema): MemorySegment = struct().also { CData.exportSchema(imported(schema), it) }

    test("an imported schema is released exactly once, with everything below it [SCH-19]") {
        imported(batch)
        CPeer.counts().releaseCalls shouldBe batch.nodes
        CPeer.counts().schemas shouldBe 0
    }

    for ((what, schema) in malformed) {
        test("a schema with $what is released exactly once [SCH-19]") {
            refused(schema)
            CPeer.counts().releaseCalls shouldBe schema.nodes
            CPeer.counts().doubleReleases shouldBe 0
        }
    }

    test("a schema that is not a struct is released, and rejected as a batch's schema [SCH-19]") {
        val out = struct()
        names.write(out)
        shouldThrow<IllegalArgumentException> { Schema.ofStruct(CData.importSchema(out)) }.message!! shouldContain
            "a record batch's schema is a struct, not "
        isReleased(out) shouldBe true
        CPeer.counts().releaseCalls shouldBe 2
    }

    test("the schema of an array that cannot be imported is released exactly once, and so is the array [SCH-19]") {
        val schema = struct().also { CSchema("u").write(it) }
        val array = arena.allocate(80).also { PeerNodes.array(it, length = 3, buffers = 2) }
        shouldThrow<DeviceException> { CData.importArray(array, CImport.DATA.schema(schema)) }.message!! shouldContain
            "n_buffers = 2"
        CPeer.counts().releaseCalls shouldBe 2
    }

    test("a schema that was released before is an error, and no callback is called [SCH-19]") {
        val out = struct()
        CSchema("i").write(out)
        PeerMoves.release(out, SCHEMA)
        val error = shouldThrow<DeviceException> { CData.importSchema(out) }
        error.errno() shouldBe Errno.EINVAL
        error.message!! shouldContain "released before"
        CPeer.counts().releaseCalls shouldBe 1
    }

    test("memory that cannot be a schema is rejected, and the caller still owns a schema there [SCH-19]") {
        val out = arena.allocate(RawArrowSchema.SIZE + 8, 8)
        CSchema("i").write(out)
        shouldThrow<IllegalArgumentException> { CData.importSchema(out.asSlice(0, 71)) }
            .message!! shouldContain "72 bytes"
        shouldThrow<IllegalArgumentException> { CData.importSchema(out.asSlice(1)) }.message!! shouldContain "aligned"
        shouldThrow<IllegalArgumentException> { CData.importSchema(MemorySegment.NULL) }.message!! shouldContain "NULL"
        shouldThrow<IllegalArgumentException> { CData.importSchema(MemorySegment.ofArray(LongArray(9))) }
            .message!! shouldContain "native"
        CPeer.counts().releaseCalls shouldBe 0
        PeerMoves.release(out, SCHEMA) shouldBe true
    }

    test("an exported schema has the content of the imported one, and imports as an equal one [SCH-20]") {
        roundTrip(batch)
    }

    test("releasing an exported schema on any thread frees all of it, and marks it as released [OWN-03]") {
        val out = exportOf(batch)
        PeerMoves.releaseOnThread(out, SCHEMA) shouldBe true
        isReleased(out) shouldBe true
        Held.now().exports() shouldBe 0
    }

    test("an exported schema that was moved is released at its new address [OWN-04]") {
        PeerMoves.releaseMoved(exportOf(batch), SCHEMA) shouldBe true
        Held.now().exports() shouldBe 0
    }

    test("releasing an exported schema twice does nothing the second time [OWN-07]") {
        PeerMoves.releaseTwice(exportOf(batch), SCHEMA) shouldBe true
        Held.now().exports() shouldBe 0
    }

    test("releasing a copy of a released schema does nothing, even if another schema reuses its slot [OWN-07]") {
        val out = exportOf(batch)
        val copy = struct().also { PeerMoves.copy(out, it, SCHEMA) }
        val late = struct().also { PeerMoves.copy(out, it, SCHEMA) }
        val child = struct().also { PeerMoves.moveSchemaChild(out, 2, it) }
        PeerMoves.release(out, SCHEMA)
        PeerMoves.release(copy, SCHEMA)
        Held.now().exports() shouldBe 1
        PeerNodes.schemaChecksum(child) shouldBe checksum(CSchema("g").named("x"))
        PeerMoves.release(child, SCHEMA)
        Held.now().exports() shouldBe 0
        val next = exportOf(batch)
        PeerMoves.release(late, SCHEMA)
        Held.now().exports() shouldBe 1
        PeerNodes.schemaChecksum(next) shouldBe checksum(batch)
        PeerMoves.release(next, SCHEMA)
    }

    test("children moved out of an exported schema outlive it, and each other, in any order [OWN-06]") {
        val parts = listOf(names, place, CSchema("g").named("x"))
        for (order in listOf(listOf(0, 1, 2, 3), listOf(3, 2, 1, 0), listOf(2, 0, 3, 1), listOf(1, 3, 0, 2))) {
            val out = exportOf(batch)
            val moved = parts.indices.map { i ->
                struct().also { PeerMoves.moveSchemaChild(out, i.toLong(), it) }
            } + out
            for ((position, i) in order.withIndex()) {
                PeerMoves.release(moved[i], SCHEMA) shouldBe true
                for (rest in order.drop(position + 1).filter { it < 3 }) {
                    withClue("$order, $rest after $i") {
                        PeerNodes.schemaChecksum(moved[rest]) shouldBe checksum(parts[rest])
                    }
                }
                Held.now().exports() shouldBe if (position < 3) 1 else 0
            }
        }
    }

    test("a dictionary moved out of a child that was moved out outlives both [OWN-06]") {
        val out = exportOf(batch)
        val child = struct().also { PeerMoves.moveSchemaChild(out, 1, it) }
        val dictionary = struct().also { PeerMoves.moveSchemaDictionary(child, it) }
        PeerMoves.releaseOnThread(out, SCHEMA) shouldBe true
        PeerMoves.releaseOnThread(child, SCHEMA) shouldBe true
        PeerNodes.schemaChecksum(dictionary) shouldBe checksum(place.dictionary!!)
        CData.importSchema(dictionary).name() shouldBe ""
    }

    test("parts of an exported schema can be released later, and by several threads at once [OWN-10]") {
        val outs = List(50) { exportOf(batch) }
        val parts = outs.flatMap { out ->
            (0L..2L).map { i -> struct().also { PeerMoves.moveSchemaChild(out, i, it) } }
        }
        for (part in parts.take(20)) PeerMoves.releaseAtGate(part, SCHEMA)
        PeerMoves.releaseMany(outs + parts.drop(20), threads = 4, SCHEMA) shouldBe outs.size + parts.size - 20
        Held.now().exports() shouldBe 7
        CPeer.openGate()
        PeerMoves.joinAll()
        Held.now().exports() shouldBe 0
    }

    test("a peer's schema that replaced an exported child is released by the peer's callback [OWN-12]") {
        val out = exportOf(CSchema("+s", CSchema("i").named("ours")))
        val ours = struct().also { PeerMoves.moveSchemaChild(out, 0, it) }
        CSchema("u").named("theirs").write(childOf(out, 0))
        val before = CPeer.counts().releaseCalls
        PeerMoves.release(out, SCHEMA)
        CPeer.counts().releaseCalls shouldBe before + 1
        PeerMoves.release(ours, SCHEMA)
    }

    test("an export to memory that cannot be a schema leaves no resources [OWN-09]") {
        val field = Field.of("x", DataType.INT32)
        shouldThrow<IllegalArgumentException> { CData.exportSchema(field, arena.allocate(71)) }
            .message!! shouldContain "72 bytes"
        shouldThrow<IllegalArgumentException> { CData.exportSchema(field, MemorySegment.NULL) }
            .message!! shouldContain "NULL"
    }

    test("a schema's metadata is written into the top-level struct [SCH-17]") {
        val schema = Schema.of(listOf(Field.of("x", DataType.FLOAT64)), Metadata.of("k", "v"))
        val out = struct()
        CData.exportSchema(schema.asField(), out)
        PeerNodes.schemaChecksum(out) shouldBe
            checksum(CSchema("+s", flags = 0, metadata = block("k" to "v"), children = listOf(CSchema("g").named("x"))))
        PeerMoves.release(out, SCHEMA)
    }
})
