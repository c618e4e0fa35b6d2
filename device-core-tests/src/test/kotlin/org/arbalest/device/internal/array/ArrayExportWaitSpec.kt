// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.support.garbage
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerMoves
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind.DEVICE_ARRAY
import org.arbalest.support.StructKind.SCHEMA
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.time.Duration
import kotlin.concurrent.thread

/** Exports of arrays with pending work: either the exporting thread waits, or the consumer does (DEV-15). */
class ArrayExportWaitSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    /** Exports the array, and returns the `sync_event` that C receives. */
    fun syncEvent(array: DeviceArray): Long = Arena.ofConfined().use { arena ->
        val out = arena.allocate(DEVICE_ARRAY.size, 8)
        CData.exportArray(array, out, CExport.DEVICE)
        RawArrowDeviceArray.syncEvent(out.address()).also { PeerMoves.release(out, DEVICE_ARRAY) }
    }

    /** Returns the array as an importer sees it: a native array with a native event. */
    fun imported(array: DeviceArray): DeviceArray = Arena.ofConfined().use { arena ->
        val out = arena.allocate(DEVICE_ARRAY.size, 8)
        val field = array.field()
        CData.exportArray(array, out, CExport.DEVICE)
        CData.importArray(out, CImport.DEVICE.schema(field))
    }

    val waits = mapOf<String, (DeviceArray) -> Unit>(
        "synchronize" to { it.synchronize() },
        "synchronize with a limit" to { check(it.synchronize(Duration.ofSeconds(5))) },
        "ready" to { it.onReady().toCompletableFuture().join() },
        "its event's synchronize" to { array -> array.syncEvent()?.use { it.synchronize() } },
        "its event's completion" to { array -> array.syncEvent()?.use { it.onReady() }?.toCompletableFuture()?.join() },
    )

    for ((name, wait) in waits) {
        for (isImported in listOf(false, true)) {
            test(
                "an array is exported with its event until $name has waited for it " +
                    "(${if (isImported) "theirs" else "ours"}) [DEV-15]",
            ) {
                device.createStream().use { stream ->
                    fake.hold()
                    val array = numbers(20).use { it.copyTo(device, stream) }.let {
                        if (isImported) imported(it) else it
                    }
                    array.use {
                        val others = listOf(array.slice(3, 5), array.retainChild(0), array.retain())
                        syncEvent(array.retain()) shouldNotBe 0
                        syncEvent(array.slice(1, 2)) shouldNotBe 0
                        val waiting = thread { wait(array) }
                        eventually("the thread waits") {
                            waiting.state == Thread.State.WAITING || waiting.state == Thread.State.TIMED_WAITING
                        }
                        fake.release()
                        waiting.join()
                        syncEvent(array.retain()) shouldBe 0
                        others.forEach { syncEvent(it) shouldBe 0 }
                    }
                    stream.synchronize()
                }
            }
        }
    }

    test("with a consumer stream, that stream waits for the array and the export has no event [DEV-15]") {
        Arena.ofConfined().use { arena ->
            device.createStream().use { writer ->
                device.createStream().use { consumer ->
                    val gate = fake.userEvent() // blocks only the writer, not the consumer's queue
                    device.adoptEvent(gate.handle).use(writer::waitFor)
                    val array = numbers(20).use { it.copyTo(device, writer) }
                    val out = arena.allocate(DEVICE_ARRAY.size, 8)
                    CData.exportArray(array, out, CExport.DEVICE.consumerStream(consumer))
                    ArrowDeviceArrayStruct.syncEvent(out) shouldBe MemorySegment.NULL
                    consumer.record().use { written ->
                        written.isReady shouldBe false
                        gate.complete()
                        written.synchronize()
                    }
                    PeerMoves.release(out, DEVICE_ARRAY)
                }
            }
        }
    }

    test("exporting an array whose pending work fails writes nothing and leaves the handle open [OWN-09]") {
        val pinned = Devices.device(DeviceType.CUDA_HOST, 0)
        pinned.createStream().use { stream ->
            FakeDevice.of(DeviceType.CUDA_HOST, 0).failNextCommand()
            val copy = numbers(20).use { it.copyTo(pinned, stream) }.use { it.viewOrCopyTo(Devices.cpu()) }
            copy.use { array ->
                Arena.ofConfined().use { arena ->
                    for (options in listOf(CExport.DATA, CExport.DEVICE)) {
                        val (out, schema) = arena.garbage(DEVICE_ARRAY.size) to arena.garbage(SCHEMA.size)
                        shouldThrow<DeviceException> { CData.exportArray(array, out, options.schemaTo(schema)) }
                            .message!! shouldContain "FAKE_LAUNCH_FAILED"
                        out.shouldBeGarbage()
                        schema.shouldBeGarbage()
                        array.isOpen shouldBe true
                    }
                    for (options in listOf(CExport.DATA, CExport.DEVICE)) {
                        val out = arena.garbage(DEVICE_ARRAY.size)
                        shouldThrow<DeviceException> { CData.exportArray(array, out, options) }
                        out.shouldBeGarbage()
                    }
                }
            }
        }
    }

    test("an array whose event cannot be recorded is not created, and the caller keeps its buffers [OWN-09]") {
        device.createStream().use { stream ->
            device.allocate(16).use { values ->
                fake.failCall(FakeCall.RECORD)
                val data = ArrayData.of(2, 0, listOf(null, values))
                shouldThrow<DeviceException> { DeviceArray.of(Field.of("n", DataType.INT64), data, stream) }
                    .message!! shouldContain "fakeEventRecord"
                values.size() shouldBe 16
                DeviceArray.of(Field.of("n", DataType.INT64), data, stream).close()
            }
        }
    }
})
