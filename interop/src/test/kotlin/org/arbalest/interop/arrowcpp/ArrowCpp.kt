// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.support.CCompiler
import org.arbalest.support.NativeLibrary
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.REPLACE_EXISTING

/**
 * Arrow C++ out of arrow-dataset's jar, once in this process: for its JNI classes, and for C++ of ours that is linked
 * with it.
 */
internal object ArrowCpp {
    private const val SOURCES = "/org/arbalest/interop/cpp/"
    private val architecture = if (System.getProperty("os.arch") == "aarch64") "aarch_64" else "x86_64"
    private val inJar = "/arrow_dataset_jni/$architecture/libarrow_dataset_jni.so"

    /** Why it cannot be had here, or null. */
    val missing: String? by lazy { runCatching { library }.exceptionOrNull()?.let { "no Arrow C++: $it" } }

    /** Why no C++ of ours can be linked with it here, or null. */
    val shimMissing: String? by lazy { (CCompiler.cpp as? CCompiler.Missing)?.reason ?: missing }

    /** Where it was loaded from. */
    val library: Path by lazy {
        check(System.getProperty("os.name") == "Linux") { "the shims are for Linux" }
        val file = Path.of("target", "native", "arrow-dataset", "libarrow_dataset_jni.so").toAbsolutePath()
        if (!Files.exists(file)) {
            Files.createDirectories(file.parent)
            val unfinished = Files.createTempFile(file.parent, "unfinished", null)
            checkNotNull(javaClass.getResourceAsStream(inJar)) { "no $inJar on the class path" }.use {
                Files.copy(it, unfinished, REPLACE_EXISTING)
            }
            Files.move(unfinished, file, REPLACE_EXISTING)
        }
        System.load("$file")
        // Its loader has nothing left to do: it would load another copy.
        val loader = Class.forName("org.apache.arrow.dataset.jni.JniLoader")
        val toLoad = loader.getDeclaredField("librariesToLoad").apply { trySetAccessible() }
        (toLoad.get(loader.getMethod("get").invoke(null)) as MutableSet<*>).clear()
        file
    }

    /** Compiles the first of the files in `cpp`, with the others beside it. */
    fun compile(vararg files: String): NativeLibrary =
        compile(listOf("-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=0"), library, *files)

    /** The same, with an Arrow C++ from elsewhere. */
    fun compile(flags: List<String>, arrow: Path, vararg files: String): NativeLibrary = NativeLibrary.compileCpp(
        files.map { SOURCES + it },
        flags + listOf("-Wl,--version-script=${files.last()}", "-Wl,-z,defs"),
        listOf("$arrow", "-Wl,-rpath,${arrow.parent}"),
    )
}
