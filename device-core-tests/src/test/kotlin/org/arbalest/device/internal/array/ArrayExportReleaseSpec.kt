// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.struct
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

class ArrayExportReleaseSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun Arena.exports(count: Int): List<MemorySegment> {
        val structs = List(count) { struct(StructKind.ARRAY) }
        EveryType.batch(0, 4).use { batch -> structs.forEach { CData.exportArray(batch.retain(), it, CExport.DATA) } }
        return structs
    }

    test("an export's release callback runs on a thread that the JVM has never seen [OWN-10]") {
        Arena.ofConfined().use { arena ->
            PeerMoves.releaseOnThread(arena.exports(1)[0], StructKind.ARRAY) shouldBe true
            Held.now().isZero shouldBe true
            val (array, schema) = arena.struct(StructKind.DEVICE_ARRAY) to arena.struct(StructKind.SCHEMA)
            EveryType.batch(0, 4).use { CData.exportArray(it, array, CExport.DEVICE.schemaTo(schema)) }
            PeerMoves.releaseOnThread(array, StructKind.DEVICE_ARRAY) shouldBe true
            PeerMoves.releaseOnThread(schema, StructKind.SCHEMA) shouldBe true
            Held.now().isZero shouldBe true
        }
    }

    test("C releases an export after the exporting code has returned and its arena is closed [OWN-10]") {
        Arena.ofConfined().use { arena ->
            arena.exports(50).forEach { PeerMoves.releaseAtGate(it, StructKind.ARRAY) }
        }
        System.gc()
        Held.now().exports shouldBe 50
        CPeer.openGate()
        PeerMoves.joinAll()
        Held.now().isZero shouldBe true
    }

    test("several threads release arrays, moved children and streams at once [OWN-10]") {
        repeat(20) {
            Arena.ofConfined().use { arena ->
                val structs = arena.exports(40)
                val moved = structs.map { parent ->
                    arena.struct(StructKind.ARRAY).also { PeerMoves.moveChild(parent, 5, it) }
                }
                PeerMoves.releaseMany(structs + moved, 4, StructKind.ARRAY) shouldBe 80
                Held.now().isZero shouldBe true
                val streams = List(20) { arena.struct(StructKind.STREAM) }
                val schema = EveryType.batch(0, 1).use { it.schema() }
                streams.forEach {
                    CData.exportStream(RecordBatchReader.of(schema, listOf(EveryType.batch(0, 1))), it, CExport.DATA)
                }
                PeerMoves.releaseMany(streams, 4, StructKind.STREAM) shouldBe 20
                Held.now().isZero shouldBe true
            }
        }
    }
})

/** A program that exits while C still has to release an exported struct. */
internal object ReleaseAtExit {
    enum class Exit { RETURN, SYSTEM_EXIT }

    @JvmStatic
    fun main(args: Array<String>) {
        val kind = StructKind.valueOf(args[2])
        val struct = Arena.global().struct(kind)
        if (kind == StructKind.ARRAY) {
            EveryType.batch(0, 4).use { CData.exportArray(it, struct, CExport.DATA) }
        } else {
            val schema = EveryType.batch(0, 1).use { it.schema() }
            CData.exportStream(RecordBatchReader.of(schema, listOf(EveryType.batch(0, 1))), struct, CExport.DATA)
        }
        if (args[0] == "null") {
            Runtime.getRuntime().addShutdownHook(
                Thread { check(PeerMoves.releaseOnThread(struct, kind) && ResourceCounters.now().isZero) },
            )
        } else {
            PeerMoves.releaseAtExit(struct, kind, PeerMoves.AtExit.valueOf(args[0]))
        }
        println("leaving")
        if (Exit.valueOf(args[1]) == Exit.SYSTEM_EXIT) Runtime.getRuntime().exit(0)
    }
}
