// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.CudaDouble
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

private const val SIZE = 4096L

/** The driver's rules in the simulator, by direct calls that the library does not make. */
class CudaDoubleRulesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(CudaDouble.extension)
    extension(gates.opened)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }
    val arena = Arena.ofShared()
    afterSpec { arena.close() }

    fun out(): MemorySegment = arena.allocate(64)

    fun batch(stream: Long, vararg pieces: Triple<Long, Long, Long>): Int = Arena.ofConfined().use { scratch ->
        fun list(value: (Triple<Long, Long, Long>) -> Long) =
            scratch.allocateFrom(JAVA_LONG, *pieces.map(value).toLongArray()).address()
        val attributes = scratch.allocate(24, 8).also { it.set(JAVA_INT, 0, 1) }
        val first = scratch.allocate(JAVA_LONG)
        Raw.inContext(device) {
            Cu.MEMCPY_BATCH_ASYNC_V2.call(list { it.first }, list { it.second }, list { it.third },
                pieces.size.toLong(), attributes.address(), first.address(), 1, stream)
        }
    }

    fun Long.bytes(): ByteArray = Arena.ofConfined().use { scratch ->
        val copy = scratch.allocate(SIZE)
        Raw.inContext(device) {
            Raw.call(Raw.function("cuMemcpyDtoH_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG), copy.address(), this, SIZE)
        } shouldBe 0
        copy.toArray(JAVA_BYTE)
    }

    test("a batch with an empty piece, or in a captured stream, is rejected and copies nothing") {
        device.createStream().use { stream ->
            device.allocate(SIZE).use { from ->
                device.allocate(SIZE).use { to ->
                    val copies = CudaDouble.copiesDone
                    val whole = Triple(to.address(), from.address(), SIZE)
                    batch(stream.handle(), whole, Triple(to.address(), from.address(), 0)) shouldBe Cu.INVALID_VALUE
                    CudaDouble.captured(stream.handle()) {
                        batch(stream.handle(), whole) shouldBe 900
                    } shouldBe 0 // the capture goes on, without the copy
                    stream.synchronize()
                    CudaDouble.copiesDone shouldBe copies
                    batch(stream.handle(), whole) shouldBe 0
                    stream.synchronize()
                    CudaDouble.copiesDone shouldBe copies + 1
                }
            }
        }
    }

    test("events and streams of two contexts are separate, and so are their default streams") {
        Arena.ofConfined().use { scratch ->
            val word = scratch.allocate(JAVA_LONG)
            Raw.call(Raw.function("cuCtxCreate_v2", JAVA_LONG, JAVA_INT, JAVA_INT), word.address(), 0, 0) shouldBe 0
            val context = word.get(JAVA_LONG, 0)
            val eventCreate = Raw.function("cuEventCreate", JAVA_LONG, JAVA_INT)
            val record = Raw.function("cuEventRecord", JAVA_LONG, JAVA_LONG)
            Raw.call(eventCreate, word.address(), 2) shouldBe 0
            val event = word.get(JAVA_LONG, 0)
            Raw.call(record, event, 0L) shouldBe 0
            device.createStream().use { stream ->
                Raw.call(record, event, stream.handle()) shouldBe Cu.INVALID_HANDLE
                Raw.inContext(device) { Raw.call(record, event, 0L) } shouldBe Cu.INVALID_HANDLE
                val wait = Raw.function("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT)
                Raw.call(wait, stream.handle(), event, 0) shouldBe 0
                stream.synchronize()
            }
            val contextOf = Raw.function("cuStreamGetCtx", JAVA_LONG, JAVA_LONG)
            for (handle in 0L..2L) {
                Raw.call(contextOf, handle, word.address()) shouldBe 0
                word.get(JAVA_LONG, 0) shouldBe context
            }
            Raw.call(Raw.function("cuEventDestroy_v2", JAVA_LONG), event) shouldBe 0
            Raw.call(Raw.function("cuCtxDestroy_v2", JAVA_LONG), context) shouldBe 0
        }
    }

    test("a pool serves memory in a stream again before earlier work of the stream is done") {
        device.createStream().use { stream ->
            device.createStream().use { other ->
                val memory = stream.memory()
                val first = memory.allocate(SIZE)
                val address = first.address()
                val gate = gates.shut(stream)
                first.close()
                memory.allocate(SIZE).use { second ->
                    second.address() shouldBe address
                    device.allocate(SIZE).use { source ->
                        Devices.cpu().allocate(SIZE).use { here ->
                            here.segment().fill(7)
                            here.copyTo(device.memory()).use { sevens ->
                                other.copy(sevens, source)
                                other.synchronize()
                            }
                        }
                        batch(other.handle(), Triple(address, source.address(), SIZE)) shouldBe 0 // waits for nothing
                        other.synchronize()
                        address.bytes().toSet() shouldBe setOf<Byte>(7)
                        gate.open()
                        stream.synchronize()
                        address.bytes().toSet() shouldNotBe setOf<Byte>(7) // the earlier user has gone on
                    }
                }
            }
        }
    }

    test("memory that a stream will free is not named in a later call, not even in a query") {
        val attribute = Raw.function("cuPointerGetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG)
        val range = Raw.function("cuMemGetAddressRange_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG)
        device.createStream().use { stream ->
            for (query in listOf<(Long) -> Int>(
                { address -> Raw.call(attribute, out().address(), 9, address) },
                { address -> Raw.call(range, out().address(), out().address(), address) },
            )) {
                val gate = gates.shut(stream)
                val buffer = stream.memory().allocate(SIZE)
                val address = buffer.address()
                buffer.close()
                CudaDouble.violation shouldBe ""
                Raw.inContext(device) { query(address) } shouldBe 0
                CudaDouble.violation shouldContain "was named in a call after the call that frees it"
                CudaDouble.reset() // the violation was intended
                gate.open()
                stream.synchronize()
            }
        }
    }
})
