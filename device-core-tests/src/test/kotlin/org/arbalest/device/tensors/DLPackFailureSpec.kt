// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.internal.abi.RawDLManagedTensorVersioned
import org.arbalest.device.internal.abi.RawDLTensor
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers

/** Tensors on a device whose calls fail. */
class DLPackFailureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }
    val form = DLPack.VERSIONED

    fun column(stream: DeviceStream): DeviceArray =
        numbers(8).use { it.copyTo(device, stream) }.use { it.retainChild(0) }

    for (call in listOf(FakeCall.RECORD, FakeCall.CALLBACK)) {
        test(
            "no memory is freed under the consumer's work if the end of that work is unknown, because $call fails " +
                "[DLP-12]",
        ) {
            device.createStream().use { writer ->
                device.createStream().use { consumer ->
                    val array = column(writer)
                    array.synchronize()
                    device.allocate(64).use { end ->
                        val tensor = form.exportTensor(array, consumer)
                        fake.hold()
                        val at = RawDLManagedTensorVersioned.tensor(tensor.address())
                        DeviceBuffer.wrap(device, RawDLTensor.data(at), 64) {}.use { consumer.copy(it, end) }
                        fake.failCall(call)
                        // If CALLBACK fails, the deleter waits for the event. Therefore the deleter runs on a thread of
                        // its own.
                        val deleter = Thread.ofPlatform().start { form.delete(tensor) }
                        if (call == FakeCall.RECORD) deleter.join() else eventually("the deleter waits") {
                            deleter.stackTrace.any { it.methodName == "synchronizeEvent" }
                        }
                        eventually("the source of the copy is freed, but the tensor's array is not") {
                            Held.now().arrays() == 1L
                        }
                        fake.violations() shouldBe listOf()
                        fake.release()
                        deleter.join()
                        eventually("the tensor's array is freed") { Held.now().run { arrays() == 0L && waits() == 0L } }
                    }
                }
            }
        }
    }

    test("a call that fails during export or import of a tensor leaves no resources behind [DLP-06]") {
        var failed = 0
        var nth = 0
        do {
            fake.failCallNumber(++nth)
            val failure = withClue("call $nth") {
                runCatching {
                    device.createStream().use { stream ->
                        column(stream).use { array ->
                            val copy = form.exportCopy(array, device.memory(), stream)
                            form.importTensor(copy, stream).use { it.synchronize() }
                            val tensor = form.exportTensor(array, stream)
                            form.importTensor(tensor, stream).use { there ->
                                there.copyTo(Devices.cpu(), stream).use { it.synchronize() }
                            }
                        }
                    }
                }.exceptionOrNull()
            }
            if (failure != null) {
                (failure as DeviceException).message shouldContain "EXT_DEV:0 failed: FAKE_"
                failed++
            }
            fake.failCallNumber(Int.MAX_VALUE)
            eventually("call $nth: all resources are freed: ${Held.now()}") { Held.now().isZero }
        } while (nth < 60)
        failed shouldBeGreaterThan 8
        fake.violations() shouldBe listOf()
    }

    test("a stream of another device is rejected, and the tensor is released [DLP-09]") {
        val other = Devices.device(DeviceType.EXT_DEV, 1)
        device.createStream().use { stream ->
            other.createStream().use { stranger ->
                val tensor = form.exportTensor(column(stream), stream)
                shouldThrow<IllegalArgumentException> { form.importTensor(tensor, stranger) }.message shouldBe
                    "a stream of EXT_DEV:1 was given for a tensor on EXT_DEV:0"
            }
        }
        eventually("the tensor is released") { Held.now().isZero }
    }
})
