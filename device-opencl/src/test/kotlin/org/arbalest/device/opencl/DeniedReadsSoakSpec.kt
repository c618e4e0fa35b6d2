// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.NativeLibrary
import org.arbalest.testkit.SkipWithout
import org.jocl.CL
import org.jocl.Pointer
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.JAVA_INT

/** A process that may not call `process_vm_readv`. The test runs in its own process, as a filter cannot be removed. */
class DeniedReadsSoakSpec : FunSpec({
    extension(CCompiler.commandNeeded)
    extension(SkipWithout.device(DeviceType.OPENCL))

    test("a cl_mem is recognized, and other addresses are rejected, if the kernel denies process_vm_readv [OCL-08]") {
        val child = ChildJvm.run(DeniedReadsMain::class)
        withClue(child.output) {
            child.output.trim() shouldBe "good"
            child.exitCode shouldBe 0
        }
    }
})

internal object DeniedReadsMain {
    @JvmStatic
    fun main(args: Array<String>) {
        val deny = NativeLibrary.compile("opencl/seccomp.c").find("deny_process_vm_readv").orElseThrow()
        val code = Linker.nativeLinker().downcallHandle(deny, FunctionDescriptor.of(JAVA_INT)).invoke() as Int
        check(code == 0) { "the filter failed with errno $code" }
        val device = Devices.device(DeviceType.OPENCL, 0)
        val driver = OpenClProvider.driver(device)
        val memory = CL.clCreateBuffer(Jocl.context(device), CL.CL_MEM_READ_WRITE or CL.CL_MEM_COPY_HOST_PTR, 8,
            Pointer.to(longArrayOf(1)), null)
        ClMem(driver).check(memory.nativePointer)
        check(ClObjects.canIdentify() && ClObjects.isMemObject(memory.nativePointer, driver.context()))
        device.allocate(4096).use { svm ->
            for (address in listOf(svm.address(), svm.address() + 8, 0x10L, 0x7FFF_FFFF_F000L, -8L)) {
                check(!ClObjects.isMemObject(address, driver.context())) { address.toString(16) }
                val failure = runCatching { ClMem(driver).check(address) }.exceptionOrNull()
                check("is declared as a cl_mem" in "${failure?.message}") { "${address.toString(16)}: $failure" }
            }
        }
        CL.clReleaseMemObject(memory)
        println("good")
    }
}
