// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.support.CCompiler
import org.arbalest.support.NativeLibrary
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.JAVA_INT

class ErrnoSpec : FunSpec({
    test("a device type without a name is named and compared by its code [DEV-09]") {
        DeviceType(17).name() shouldBe "DEVICE_TYPE_17"
        DeviceType(-1).toString() shouldBe "DEVICE_TYPE_-1"
        DeviceType(17) shouldBe DeviceType(17)
    }

    test("the device types have the names of the specification [DEV-09]") {
        (1..16).map { DeviceType(it).name() } shouldContainExactly listOf(
            "CPU", "CUDA", "CUDA_HOST", "OPENCL", "DEVICE_TYPE_5", "DEVICE_TYPE_6", "VULKAN", "METAL", "VPI", "ROCM",
            "ROCM_HOST", "EXT_DEV", "CUDA_MANAGED", "ONEAPI", "WEBGPU", "HEXAGON",
        )
    }

    test("Errno.name() returns a name for the errors of streams, and the number of others [STR-02]") {
        Errno.name(Errno.EINVAL) shouldBe "EINVAL"
        Errno.name(Errno.ENOMEM) shouldBe "ENOMEM"
        Errno.name(Errno.EIO) shouldBe "EIO"
        Errno.name(Errno.ENOSYS) shouldBe "ENOSYS"
        Errno.name(Errno.ECANCELED) shouldBe "ECANCELED"
        Errno.name(74) shouldBe "errno 74"
    }

    test("the Errno constants equal those of the platform's C library [STR-02]")
        .config(extensions = listOf(CCompiler.commandNeeded)) {
            val address = NativeLibrary.compile("checks/errno_values.c").findOrThrow("errno_value")
            val value = Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(JAVA_INT, JAVA_INT))
            (0..4).map { value.invokeWithArguments(it) } shouldContainExactly
                listOf(Errno.EINVAL, Errno.ENOMEM, Errno.EIO, Errno.ENOSYS, Errno.ECANCELED)
        }
})
