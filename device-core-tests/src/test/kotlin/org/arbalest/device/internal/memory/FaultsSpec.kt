// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.struct
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.util.ResourceBundle

class FaultsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun overflow(depth: Int): Int = 1 + overflow(depth + 1)

    val failures = mapOf<String, Pair<Int, () -> Throwable>>(
        "an Error" to (Errno.EIO to { Error("of a kind") }),
        "an AssertionError" to (Errno.EIO to { AssertionError("not so") }),
        "a StackOverflowError" to (Errno.EIO to { runCatching { overflow(0) }.exceptionOrNull()!! }),
        "an OutOfMemoryError" to (Errno.ENOMEM to { OutOfMemoryError("Java heap space") }),
        "a LinkageError" to (Errno.EIO to { NoClassDefFoundError("Gone") }),
        "an exception whose message throws" to (Errno.EIO to { object : RuntimeException() {
            override val message: String get() = error("no message")
        } }),
    )

    for ((what, answer) in failures) {
        test("a source that throws $what gives C an errno, and the VM survives [OWN-11]") {
            val schema = EveryType.batch(0, 1).use { it.schema() }
            for (kind in listOf(StructKind.STREAM, StructKind.DEVICE_STREAM)) Arena.ofConfined().use { arena ->
                val stream = arena.struct(kind)
                val reader = RecordBatchReader.of(schema, DeviceType.CPU) { throw answer.second() }
                val drained = if (kind == StructKind.STREAM) {
                    CData.exportStream(reader, stream, CExport.DATA)
                    PeerStreams.drain(stream, extra = 2)
                } else {
                    CData.exportStream(reader, stream, CExport.DEVICE)
                    PeerStreams.drainDevice(stream, extra = 2)
                }
                withClue(drained) {
                    drained.code shouldBe answer.first
                    drained.extraSame shouldBe 2
                }
            }
        }
    }

    test("a stack overflow inside a source, in an upcall, gives C an errno [OWN-11]") {
        val schema = EveryType.batch(0, 1).use { it.schema() }
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            CData.exportStream(RecordBatchReader.of(schema, DeviceType.CPU) { overflow(0).let { null } },
                stream, CExport.DATA)
            PeerStreams.drain(stream).let {
                it.code shouldBe Errno.EIO
                it.error!! shouldContain "StackOverflowError"
            }
        }
    }

    test("a stream whose source fails to close is released, and the VM survives [OWN-11]") {
        val schema = EveryType.batch(0, 1).use { it.schema() }
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            val source = object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? = null

                override fun close() = throw StackOverflowError("in close")
            }
            CData.exportStream(RecordBatchReader.of(schema, DeviceType.CPU, source), stream, CExport.DATA)
            PeerMoves.releaseOnThread(stream, StructKind.STREAM) shouldBe true
            Held.now().let { it.streams shouldBe 0; it.readers shouldBe 0 }
        }
    }
})

/** A logger that cannot log. */
internal class ThrowingLogger : System.Logger {
    override fun getName() = "throwing"

    override fun isLoggable(level: System.Logger.Level) = true

    override fun log(level: System.Logger.Level, bundle: ResourceBundle?, message: String?, thrown: Throwable?): Unit =
        throw StackOverflowError("log")

    override fun log(level: System.Logger.Level, bundle: ResourceBundle?, format: String?, vararg params: Any?): Unit =
        throw OutOfMemoryError("log")

    /** A finder that returns the throwing logger. */
    class Finder : System.LoggerFinder() {
        override fun getLogger(name: String, module: Module): System.Logger {
            if (name == "org.arbalest.device") println("asked for a logger")
            return ThrowingLogger()
        }
    }
}

/** A finder that throws instead of returning a logger. */
internal class ThrowingFinder : System.LoggerFinder() {
    override fun getLogger(name: String, module: Module): System.Logger {
        if (name == "org.arbalest.device") println("asked for a logger")
        error("no logger for $name")
    }
}

/** A separate process in which upcalls fail and logging is broken. */
internal object FaultsWithoutLog {
    @JvmStatic
    fun main(vararg arguments: String) {
        check(arguments.isEmpty())
        Arena.ofConfined().use { arena ->
            val array = arena.struct(StructKind.ARRAY)
            val copy = arena.struct(StructKind.ARRAY)
            repeat(2) {
                BatchBuilder.of(Devices.cpu(), 1).use { it.int32("n", intArrayOf(1)).build() }.use {
                    CData.exportArray(it, array, CExport.DATA)
                }
                PeerMoves.copy(array, copy, StructKind.ARRAY)
                PeerMoves.release(array, StructKind.ARRAY)
                PeerMoves.release(copy, StructKind.ARRAY)
                PeerMoves.release(arena.struct(StructKind.STREAM).also { stream ->
                    val source = object : DeviceArrayReader.Source<RecordBatch> {
                        override fun next(): RecordBatch? = null

                        override fun close() = error("close")
                    }
                    val schema = EveryType.batch(0, 1).use { it.schema() }
                    CData.exportStream(RecordBatchReader.of(schema, DeviceType.CPU, source), stream, CExport.DATA)
                }, StructKind.STREAM)
            }
            println(if (ResourceCounters.now().isZero) "still here" else "left ${ResourceCounters.now()}")
        }
    }
}
