// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.testkit.SkipWithout
import java.io.File
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import kotlin.system.exitProcess

/**
 * The sample `kernel-cuda` in separate processes, because another test in this process may have loaded a real driver.
 */
class KernelCudaSpec : FunSpec({
    extension(CCompiler.needed)
    extension(SkipWithout {
        "JCuda has native libraries only for Linux on x86-64, so this spec runs only there".takeUnless {
            "${System.getProperty("os.name")} ${System.getProperty("os.arch")}" == "Linux amd64"
        }
    })

    test("a kernel on the simulated CUDA driver counts the delays of the included flights like the CPU") {
        process(classPath.joinToString(File.pathSeparator), main = "KernelCudaOnDouble").run {
            error shouldBe ""
            output shouldContain Regex("400,000 flights, [\\d,]+ rows per second, on CUDA:0")
            output shouldContain "229 airports: matches the CPU's own answer"
            code shouldBe 0
        }
    }

    test("without JCuda's native libraries, the sample prints the reason and counts on the CPU") {
        val withoutNatives = classPath.filterNot { "jcuda-natives" in it.name }.joinToString(File.pathSeparator)
        // JCuda leaves its native libraries in the temporary folder
        val elsewhere = "-Djava.io.tmpdir=${tempdir().path}"
        process(withoutNatives, main = "KernelCudaOnDouble", options = listOf(elsewhere)).run {
            error shouldBe ""
            output shouldContain "No kernels on CUDA:0, because Error while loading native library"
            output shouldContain "ORD    |  22,146 |"
            code shouldBe 0
        }
    }

    test("without a CUDA driver, the sample prints the reason and counts on the CPU [DEV-13]") {
        process(
            classPath.joinToString(File.pathSeparator), main = "KernelCudaOnDouble", options = listOf("-DnoGpu=true"),
        ).run {
            error shouldBe ""
            output shouldContain "No CUDA, because cuInit failed: CUDA_ERROR_NO_DEVICE (100)"
            output shouldContain "ORD    |  22,146 |"
            code shouldBe 0
        }
    }
})

/** The sample with the simulated CUDA driver, whose kernel is a Kotlin function. */
internal object KernelCudaOnDouble {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.reset(devices = if (System.getProperty("noGpu") == null) 1 else 0)
        val handle = MethodHandles.lookup().findStatic(KernelCudaOnDouble::class.java, "run",
            MethodType.methodType(Void.TYPE, MemorySegment::class.java))
        val function = Linker.nativeLinker().upcallStub(handle, FunctionDescriptor.ofVoid(ADDRESS), Arena.global())
        CudaDouble.kernel("histogram", function, parameters = 5)
        val code = runSamples("kernel-cuda", *args)
        check(CudaDouble.violations == 0L) { CudaDouble.violation }
        exitProcess(code)
    }

    @JvmStatic
    fun run(arguments: MemorySegment) {
        val list = arguments.reinterpret(40)
        fun argument(i: Int): Long = list.getAtIndex(ADDRESS, i.toLong()).reinterpret(8).get(JAVA_LONG, 0)
        val width = argument(1)
        val rows = argument(3)
        val origin = CudaDouble.at(argument(0), width * rows)
        val delay = CudaDouble.at(argument(2), 8 * rows)
        val counts = CudaDouble.at(argument(4), Int.MAX_VALUE.toLong())
        for (row in 0 until rows) {
            var index = 0L
            for (byte in 0 until width)
                index += (origin.get(JAVA_BYTE, width * row + byte).toLong() and 255) shl (8 * byte.toInt())
            val bin = Math.floorDiv(delay.getAtIndex(JAVA_LONG, row) - FIRST_BIN, BIN_MINUTES.toLong())
                .coerceIn(0, BINS - 1L)
            val at = index * BINS + bin
            counts.setAtIndex(JAVA_INT, at, counts.getAtIndex(JAVA_INT, at) + 1)
        }
    }
}
