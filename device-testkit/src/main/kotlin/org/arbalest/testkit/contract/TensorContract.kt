// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.tensors.DLManagedTensorStruct
import org.arbalest.device.tensors.DLManagedTensorVersionedStruct
import org.arbalest.device.tensors.DLPack
import org.arbalest.device.tensors.DLTensorStruct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.ByteOrder
import java.util.concurrent.atomic.AtomicReference

private const val ROWS = 500
private const val BYTES = 8L * ROWS

/** Tests of arrays as DLPack tensors: their device, the waits for their content, and the lifetime of their memory. */
internal fun tensorContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }
    val cpu = Devices.cpu()

    /** Returns a column of numbers that the stream writes. */
    fun column(stream: DeviceStream): DeviceArray =
        numbers(ROWS).use { it.copyTo(device, stream) }.use { it.retainChild(0) }

    val expected = List(ROWS) { it * 3L }

    fun DeviceArray.longs() = copyTo(cpu).use {
        it.synchronize()
        it.asColumn().toLongArray().toList()
    }

    val isOpenCl by lazy { device.type() == DeviceType.OPENCL }

    for (form in DLPack.entries) {
        test(
            "$form: a tensor names its device; without a consumer's stream the export waits for the content [DLP-11]",
        ) {
            if (isOpenCl) return@test
            device.createStream().use { stream ->
                val array = column(stream)
                val event = array.syncEvent()
                val tensor = form.exportTensor(array.slice(100, 300))
                array.close()
                event?.use { it.isReady shouldBe true }
                val at = form.tensorAt(tensor)
                DLTensorStruct.deviceType(at) shouldBe device.type().code()
                DLTensorStruct.deviceId(at) shouldBe if (isNumbered(device)) device.id().toInt() else 0
                form.view(tensor, device).use { view ->
                    view.copyTo(cpu.memory()).use {
                        it.segment().asByteBuffer().order(ByteOrder.nativeOrder()).asLongBuffer().get(0) shouldBe 300L
                    }
                }
                form.delete(tensor)
            }
        }

        test("$form: without a consumer's stream the exporting thread waits [DLP-11]") {
            if (isOpenCl) return@test
            device.createStream().use { writer ->
                backend.held(writer) { gate ->
                    val array = column(writer)
                    val tensor = AtomicReference<MemorySegment>()
                    val exporter = Thread.ofPlatform().start { tensor.set(form.exportTensor(array)) }
                    if (gate != null) eventually("the export waits or has ended") {
                        !exporter.isAlive || exporter.stackTrace.any { it.methodName.startsWith("synchronize") }
                    }
                    if (gate != null) tensor.get() shouldBe null
                    gate?.open()
                    exporter.join()
                    form.importTensor(tensor.get()).use { it.longs() shouldBe expected }
                }
            }
        }

        test("$form: the consumer's stream waits for the content, and the exporting thread does not [DLP-11]") {
            if (isOpenCl) return@test
            device.createStream().use { writer ->
                device.createStream().use { consumer ->
                    device.allocate(BYTES).use { end ->
                        backend.held(writer) { gate ->
                            val tensor = form.exportTensor(column(writer), consumer)
                            form.view(tensor, device).use { consumer.copy(it, end) }
                            consumer.record().use { read ->
                                read.isReady shouldBe (gate == null)
                                gate?.open()
                                read.synchronize()
                            }
                            form.delete(tensor)
                        }
                        end.copyTo(cpu.memory()).use { it.segment().toArray(JAVA_LONG).toList() shouldBe expected }
                    }
                }
            }
        }

        test(
            "$form: the memory is kept until the work in the consumer's stream completes, even if the tensor is " +
                "deleted or the stream closed before [DLP-12]",
        ) {
            if (isOpenCl) return@test
            val consumer = device.createStream()
            device.createStream().use { writer ->
                val array = column(writer)
                array.synchronize()
                device.allocate(BYTES).use { end ->
                    val before = settled()
                    backend.held(consumer) { gate ->
                        val tensor = form.exportTensor(array, consumer)
                        form.view(tensor, device).use { consumer.copy(it, end) }
                        val read = consumer.record()
                        consumer.close()
                        form.delete(tensor)
                        ResourceCounters.now().since(before).run { exports() to arrays() } shouldBe
                            if (gate == null) 0L to -1L else 0L to 0L
                        gate?.open()
                        read.use { it.synchronize() }
                        eventually("the memory is freed") {
                            ResourceCounters.now().since(before).run { arrays() == -1L && waits() == 0L }
                        }
                    }
                    end.copyTo(cpu.memory()).use { it.segment().toArray(JAVA_LONG).toList() shouldBe expected }
                }
            }
        }

        test("$form: an import has the event of the stream that the consumer passed to the producer [DLP-11]") {
            if (isOpenCl) return@test
            device.createStream().use { writer ->
                device.createStream().use { consumer ->
                    backend.held(writer) { gate ->
                        val array = form.importTensor(form.exportTensor(column(writer), consumer), consumer)
                        array.device().type() shouldBe device.type()
                        array.isReady shouldBe (gate == null)
                        gate?.open()
                        array.use { it.longs() shouldBe expected }
                    }
                }
            }
        }

        test("$form: a copy is queued in the consumer's stream, and the array stays open [DLP-04]") {
            if (isOpenCl) return@test
            device.createStream().use { writer ->
                column(writer).use { array ->
                    form.importTensor(form.exportCopy(array, device.memory(), writer), writer)
                        .use { it.longs() shouldBe expected }
                    form.importTensor(form.exportCopy(array, cpu.memory(), writer)).use {
                        it.asColumn().toLongArray().toList() shouldBe expected
                    }
                    array.longs() shouldBe expected
                }
            }
        }

        test("$form: nulls that only a bitmap on the device can count are rejected [DLP-05]") {
            if (isOpenCl) return@test
            val rows = listOf(1L, null, 3L, 4L)
            val there = BatchBuilder.of(cpu, 4).use { batch ->
                batch.column(Field.of("a", DataType.INT64)).let { c ->
                    rows.forEach { if (it == null) c.appendNull() else c.append(it) }
                }
                batch.build()
            }.use { it.copyTo(device) }.use { it.retainChild(0) }
            there.use { array ->
                shouldThrow<DeviceException> { form.exportTensor(array) }.message shouldContain
                    "$.a: 1 of 4 values are null"
                array.slice(2, 2).use { slice ->
                    if (array.isOnTheCpu()) {
                        form.delete(form.exportTensor(slice.retain()))
                    } else {
                        val error = shouldThrow<DeviceException> { form.exportTensor(slice) }
                        error.errno() shouldBe Errno.ENOSYS
                        error.message shouldContain "only in a bitmap on $device, which the CPU cannot read: " +
                            "null_count is 1 for more than these"
                    }
                }
            }
        }

        test("$form: shared virtual memory cannot be exported as a tensor of kDLOpenCL [DLP-13]") {
            if (!isOpenCl) return@test
            device.createStream().use { stream ->
                column(stream).use { array ->
                    shouldThrow<DeviceException> { form.exportTensor(array, stream) }.message shouldContain
                        "in shared virtual memory, and a tensor of kDLOpenCL is a cl_mem"
                    form.delete(form.exportCopy(array, cpu.memory(), stream)) // this copy is in CPU memory
                }
            }
        }
    }
}

private fun DeviceArray.isOnTheCpu() = device().isCpuAccessible

/** Returns whether the device has a number. CPU, pinned and managed memory have none. */
private fun isNumbered(device: Device) =
    device.type() !in listOf(DeviceType.CPU, DeviceType.CUDA_HOST, DeviceType.ROCM_HOST, DeviceType.CUDA_MANAGED)

private fun DLPack.tensorAt(tensor: MemorySegment): MemorySegment =
    if (this == DLPack.VERSIONED) {
        DLManagedTensorVersionedStruct.tensor(tensor.reinterpret(DLManagedTensorVersionedStruct.LAYOUT.byteSize()))
    } else {
        DLManagedTensorStruct.tensor(tensor.reinterpret(DLManagedTensorStruct.LAYOUT.byteSize()))
    }

/** Returns the memory of a one-dimensional tensor, as a consumer finds it. */
private fun DLPack.view(tensor: MemorySegment, device: Device): DeviceBuffer {
    val at = tensorAt(tensor)
    val rows = DLTensorStruct.shape(at).reinterpret(8).get(JAVA_LONG, 0)
    return DeviceBuffer.wrap(device, DLTensorStruct.data(at).address() + DLTensorStruct.byteOffset(at), 8 * rows) {}
}
