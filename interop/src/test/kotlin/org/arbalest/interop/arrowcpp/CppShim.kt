package org.arbalest.interop.arrowcpp

import org.arbalest.interop.Had
import java.io.File
import java.lang.foreign.Arena
import java.lang.foreign.SymbolLookup
import java.nio.file.Files
import java.nio.file.Path

/** C++ of ours between the JVM and Arrow C++'s library out of arrow-dataset's jar, which this process loads once. */
internal object CppShim {
    private val flags = listOf("-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=0", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-I.")
    private val compiler: String = System.getenv("CXX") ?: "g++"

    /** Why there can be no such library here. */
    val missing: String? by lazy {
        val onPath = System.getenv("PATH").orEmpty().split(File.pathSeparator).any { Files.isExecutable(Path.of(it).resolve(compiler)) }
        if (onPath) Arrow.missing else "no C++ compiler: $compiler is not on the PATH"
    }

    /** Compiles a resource of `org/arbalest/interop/c`, and links it with the library that is loaded. */
    fun compile(source: String): SymbolLookup {
        val folder = Files.createTempDirectory(Path.of("target"), "cpp").toAbsolutePath()
        for ((resource, name) in listOf("/org/arbalest/interop/c/$source" to source, HEADER to "arbalest/arrow_abi.h")) {
            val file = folder.resolve(name)
            Files.createDirectories(file.parent)
            Files.writeString(file, checkNotNull(CppShim::class.java.getResource(resource)) { "no resource $resource" }.readText())
        }
        val library = folder.resolve(System.mapLibraryName(source.substringBeforeLast('.')))
        Had.run(folder, listOf(compiler) + flags + listOf("-o", "$library", source, "${Arrow.library}"))
        return SymbolLookup.libraryLookup(library, Arena.global())
    }

    private const val HEADER = "/META-INF/include/arbalest/arrow_abi.h"
}

/** Arrow C++ itself, as its JNI classes load it. */
internal object Arrow {
    /** Why it cannot be loaded here. */
    val missing: String? by lazy { runCatching { library }.exceptionOrNull()?.let { "no Arrow C++: $it" } }

    /** Where it was loaded from: a copy, whose SONAME is what a library that is linked with it asks for. */
    val library: Path by lazy {
        val loader = Class.forName("org.apache.arrow.dataset.jni.JniLoader")
        loader.getMethod("ensureLoaded").invoke(loader.getMethod("get").invoke(null))
        val line = Files.readAllLines(Path.of("/proc/self/maps")).first { "/jnilib-" in it }
        Path.of(line.substring(line.indexOf('/')))
    }
}
