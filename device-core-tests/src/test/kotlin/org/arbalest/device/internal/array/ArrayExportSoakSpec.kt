// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerMoves
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.file.Files
import java.nio.file.Path

private const val MOST_GROWTH_KIB = 16L * 1024

/** The JVM's own memory grows and shrinks between rounds; a leak grows in each round. */
private const val ROUNDS = 4

/** Arrays that are exported and imported again and again: no resource is left, and memory does not grow. */
class ArrayExportSoakSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a million exports, imports and releases leak nothing [OWN-02]") {
        soak { batch, array, _ ->
            repeat(1_000_000) {
                CData.exportArray(batch.retain(), array, CExport.DEVICE)
                CData.importArray(array, CImport.DEVICE.schema(batch.field())).close()
            }
        }
    }
})

/** The same with C as the consumer. */
class ArrayExportPeerSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("a hundred thousand exports with a child that C moves out leak nothing [OWN-06]") {
        soak { batch, array, child ->
            repeat(100_000) {
                CData.exportArray(batch.retain(), array, CExport.DATA)
                PeerMoves.moveChild(array, it % batch.schema().fields().size.toLong(), child)
                val (first, second) = if (it % 2 == 0) array to child else child to array
                PeerMoves.release(first, StructKind.ARRAY)
                PeerMoves.release(second, StructKind.ARRAY)
            }
        }
    }

    test("ten thousand exports that C releases on its own threads leak nothing [OWN-10]") {
        soak { batch, array, _ ->
            repeat(10_000) {
                CData.exportArray(batch.retain(), array, CExport.DATA)
                PeerMoves.releaseOnThread(array, StructKind.ARRAY)
            }
        }
    }
})

/** Calls [run] once to warm up, and then requires one of [ROUNDS] calls after which memory has not grown. */
private fun soak(run: (batch: RecordBatch, array: MemorySegment, child: MemorySegment) -> Unit) {
    val longs = LongArray(64) { it.toLong() }
    BatchBuilder.of(Devices.cpu(), longs.size).use { builder ->
        repeat(10) { builder.int64("column $it", longs) }
        builder.build()
    }.use { batch ->
        Arena.ofConfined().use { arena ->
            val array = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
            val child = arena.allocate(ArrowArrayStruct.LAYOUT)
            run(batch, array, child)
            var before = residentKiB() ?: 0
            val growth = generateSequence {
                run(batch, array, child)
                val after = residentKiB() ?: 0
                (after - before).also { before = after }
            }
            growth.take(ROUNDS).firstOrNull { it < MOST_GROWTH_KIB }.shouldNotBeNull()
        }
    }
}

/** Returns this process's resident memory, or null where the system does not report it. */
private fun residentKiB(): Long? {
    System.gc()
    val status = Path.of("/proc/self/status").takeIf(Files::exists) ?: return null
    return Files.readAllLines(status).first { it.startsWith("VmRSS:") }.filter(Char::isDigit).toLong()
}
