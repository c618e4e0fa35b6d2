// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.support.CCompiler
import org.arbalest.support.NativeLibrary
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.REPLACE_EXISTING

/**
 * The library of Arrow C++ in the jar of arrow-dataset. It is loaded once in this process, for its JNI classes and for
 * our C++ code that is linked with it.
 */
internal object ArrowCpp {
    private const val SOURCES = "/org/arbalest/interop/cpp/"
    private val architecture = if (System.getProperty("os.arch") == "aarch64") "aarch_64" else "x86_64"
    private val inJar = "/arrow_dataset_jni/$architecture/libarrow_dataset_jni.so"

    /** The reason why the library is not available here, or null. */
    val missing: String? by lazy { runCatching { library }.exceptionOrNull()?.let { "no Arrow C++: $it" } }

    /** The reason why our C++ code cannot be linked with the library here, or null. */
    val shimMissing: String? by lazy { (CCompiler.cpp as? CCompiler.Missing)?.reason ?: missing }

    /** The file from which the library was loaded. */
    val library: Path by lazy {
        check(System.getProperty("os.name") == "Linux") { "cannot load Arrow C++: the C++ shims only work on Linux" }
        val file = Path.of("target", "native", "arrow-dataset", "libarrow_dataset_jni.so").toAbsolutePath()
        if (!Files.exists(file)) {
            Files.createDirectories(file.parent)
            val unfinished = Files.createTempFile(file.parent, "unfinished", null)
            checkNotNull(javaClass.getResourceAsStream(inJar)) {
                "cannot load Arrow C++: the class path has no $inJar"
            }.use {
                Files.copy(it, unfinished, REPLACE_EXISTING)
            }
            Files.move(unfinished, file, REPLACE_EXISTING)
        }
        System.load("$file")
        // The loader of arrow-dataset would load a second copy, so its list of libraries is cleared.
        val loader = Class.forName("org.apache.arrow.dataset.jni.JniLoader")
        val toLoad = loader.getDeclaredField("librariesToLoad").apply { trySetAccessible() }
        (toLoad.get(loader.getMethod("get").invoke(null)) as MutableSet<*>).clear()
        file
    }

    /** Compiles the first of the files in `cpp`, with the other files beside it. */
    fun compile(vararg files: String): NativeLibrary =
        compile(listOf("-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=0"), library, *files)

    /** Compiles the same files with another installation of Arrow C++. */
    fun compile(flags: List<String>, arrow: Path, vararg files: String): NativeLibrary = NativeLibrary.compileCpp(
        files.map { SOURCES + it },
        flags + listOf("-Wl,--version-script=${files.last()}", "-Wl,-z,defs"),
        listOf("$arrow", "-Wl,-rpath,${arrow.parent}"),
    )
}
