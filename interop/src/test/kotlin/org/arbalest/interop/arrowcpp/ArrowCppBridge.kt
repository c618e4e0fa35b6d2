package org.arbalest.interop.arrowcpp

import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.NativeLibrary
import org.arbalest.testkit.SkipWithout
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle
import java.nio.file.Files
import java.nio.file.Path

/** What Arrow C++ said when it failed. */
internal class ArrowCppException(message: String) : Exception(message)

/**
 * Arrow C++'s bridge for async and device streams, called by way of `bridge.cpp`, which is compiled here against the library in arrow-dataset's
 * jar, or against the installation in the folder that the system property `arrow.cpp` names.
 */
internal object ArrowCppBridge {
    private const val SOURCES = "/org/arbalest/interop/cpp/"
    private val installation: Path? = System.getProperty("arrow.cpp")?.takeIf { it.isNotEmpty() }?.let { Path.of(it).toAbsolutePath() }

    /** Skips, visibly, where the shim cannot be compiled; fails there with `CI=true`, and if `arrow.cpp` was asked for. */
    val needed = SkipWithout {
        val reason = when {
            System.getProperty("os.name") != "Linux" -> "the shim is for Linux: a linker's version script, the C++ library's binary interface"
            else -> (CCompiler.cpp as? CCompiler.Missing)?.reason
        }
        reason?.takeUnless { System.getenv("CI") == "true" || installation != null }
    }

    private val library: NativeLibrary by lazy { installation?.let(::againstInstallation) ?: againstJar() }

    private val linker = Linker.nativeLinker()

    private fun againstInstallation(folder: Path): NativeLibrary {
        val found = listOf("lib", "lib64").map { folder.resolve(it).resolve("libarrow.so") }.firstOrNull(Files::exists)
        check(found != null && Files.exists(folder.resolve("include/arrow/c/bridge.h"))) {
            "arrow.cpp=$folder holds no Arrow C++: no include/arrow/c/bridge.h and lib/libarrow.so in it; docs/interop.md tells how to build one"
        }
        val flags = listOf("-std=c++20", "-DARROW_BY_HEADERS", "-isystem", "$folder/include")
        return compile(flags, found.toRealPath())
    }

    /** By declarations of our own, and with the string type of before GCC 5, with which that library is built. */
    private fun againstJar(): NativeLibrary = compile(listOf("-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=0"), ArrowCpp.library)

    private fun compile(flags: List<String>, arrow: Path): NativeLibrary = NativeLibrary.compileCpp(
        listOf("bridge.cpp", "arrow_own.h", "arrow_own_check.cpp", "bridge.map").map { SOURCES + it },
        flags + listOf("-Wl,--version-script=bridge.map", "-Wl,-z,defs"),
        listOf("$arrow", "-Wl,-rpath,${arrow.parent}"),
    )

    private fun handle(name: String, result: java.lang.foreign.MemoryLayout?, vararg arguments: java.lang.foreign.MemoryLayout): MethodHandle =
        linker.downcallHandle(
            library.findOrThrow("bridge_$name"),
            if (result == null) FunctionDescriptor.ofVoid(*arguments) else FunctionDescriptor.of(result, *arguments),
        )

    private val error by lazy { handle("error", ADDRESS) }
    val producer by lazy { handle("producer", ADDRESS, ADDRESS, JAVA_INT) }
    val producerGive by lazy { handle("producer_give", JAVA_INT, ADDRESS, ADDRESS) }
    val producerFail by lazy { handle("producer_fail", null, ADDRESS, ADDRESS) }
    val producerEnd by lazy { handle("producer_end", null, ADDRESS) }
    val producerStart by lazy { handle("producer_start", null, ADDRESS, ADDRESS) }
    val producerIsWaiting by lazy { handle("producer_is_waiting", JAVA_INT, ADDRESS) }
    val producerOutcome by lazy { handle("producer_outcome", JAVA_INT, ADDRESS) }
    val producerFree by lazy { handle("producer_free", null, ADDRESS) }
    val consumer by lazy { handle("consumer", ADDRESS, JAVA_LONG) }
    val consumerHandler by lazy { handle("consumer_handler", ADDRESS, ADDRESS) }
    val consumerSchema by lazy { handle("consumer_schema", JAVA_INT, ADDRESS, ADDRESS) }
    val consumerNext by lazy { handle("consumer_next", JAVA_INT, ADDRESS, ADDRESS) }
    val consumerFree by lazy { handle("consumer_free", null, ADDRESS) }
    val streamThrough by lazy { handle("stream_through", JAVA_INT, ADDRESS, ADDRESS) }

    /** Such as 21. */
    val version: Int by lazy { (handle("version", JAVA_INT).invoke() as Int) / 1_000_000 }

    /** What the function that has just failed on this thread says. */
    fun failure(): ArrowCppException = ArrowCppException((error.invoke() as MemorySegment).reinterpret(Long.MAX_VALUE).getString(0))

    /** @throws ArrowCppException if [code] is not 0 */
    fun check(code: Any?) {
        if (code as Int != 0) throw failure()
    }
}
