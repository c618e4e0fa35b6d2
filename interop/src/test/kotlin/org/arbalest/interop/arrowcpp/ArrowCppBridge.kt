// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.interop.EngineException
import org.arbalest.interop.Function
import org.arbalest.interop.Had
import org.arbalest.interop.I32
import org.arbalest.interop.I64
import org.arbalest.interop.PTR
import org.arbalest.interop.function
import org.arbalest.interop.text
import org.arbalest.support.NativeLibrary
import org.arbalest.testkit.SkipWithout
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.nio.file.Files
import java.nio.file.Path

/**
 * Arrow C++'s bridge for async and device streams, called through `bridge.cpp`. That file is compiled here against the
 * library in arrow-dataset's jar, or against the installation in the folder that the system property `arrow.cpp` names.
 */
internal object ArrowCppBridge {
    private val installation: Path? = System.getProperty("arrow.cpp")?.takeIf { it.isNotEmpty() }
        ?.let { Path.of(it).toAbsolutePath() }

    /** Skips a spec with a message if the shim cannot be compiled, but fails if `arrow.cpp` names an installation. */
    val needed: SkipWithout = Had.needed { ArrowCpp.shimMissing.takeIf { installation == null } }

    private val library: NativeLibrary by lazy {
        val files = arrayOf("bridge.cpp", "arrow_own.h", "arrow_own_check.cpp", "bridge.map")
        if (installation == null) ArrowCpp.compile(*files)
        else ArrowCpp.compile(againstInstallation(installation), libraryOf(installation), *files)
    }

    private fun againstInstallation(folder: Path) =
        listOf("-std=c++20", "-DARROW_BY_HEADERS", "-isystem", "$folder/include")

    private fun libraryOf(folder: Path): Path {
        val found = listOf("lib", "lib64").map { folder.resolve(it).resolve("libarrow.so") }.firstOrNull(Files::exists)
        check(found != null && Files.exists(folder.resolve("include/arrow/c/bridge.h"))) {
            "arrow.cpp=$folder is no installation of Arrow C++: include/arrow/c/bridge.h or lib/libarrow.so is " +
                "missing; docs/interop.md describes how to build one"
        }
        return found.toRealPath()
    }

    private fun bound(name: String, result: MemoryLayout?, vararg arguments: MemoryLayout): Function =
        library.function("bridge_$name", result, *arguments)

    private val error by lazy { bound("error", PTR) }
    val producer by lazy { bound("producer", PTR, PTR, I32) }
    val producerGive by lazy { bound("producer_give", I32, PTR, PTR) }
    val producerFail by lazy { bound("producer_fail", null, PTR, PTR) }
    val producerEnd by lazy { bound("producer_end", null, PTR) }
    val producerStart by lazy { bound("producer_start", null, PTR, PTR) }
    val producerIsWaiting by lazy { bound("producer_is_waiting", I32, PTR) }
    val producerOutcome by lazy { bound("producer_outcome", I32, PTR) }
    val producerFree by lazy { bound("producer_free", null, PTR) }
    val consumer by lazy { bound("consumer", PTR, I64) }
    val consumerHandler by lazy { bound("consumer_handler", PTR, PTR) }
    val consumerSchema by lazy { bound("consumer_schema", I32, PTR, PTR) }
    val consumerNext by lazy { bound("consumer_next", I32, PTR, PTR) }
    val consumerFree by lazy { bound("consumer_free", null, PTR) }
    val streamThrough by lazy { bound("stream_through", I32, PTR, PTR) }

    /** The major version, for example 21. */
    val version: Int by lazy { (bound("version", I32)() as Int) / 1_000_000 }

    /** Returns an exception with the message of the function that has just failed on this thread. */
    fun failure(): EngineException = EngineException((error() as MemorySegment).text().orEmpty())

    /**
     * Checks the result of a bridge function.
     *
     * @throws EngineException if [code] is not 0
     */
    fun check(code: Any?) {
        if (code as Int != 0) throw failure()
    }
}
