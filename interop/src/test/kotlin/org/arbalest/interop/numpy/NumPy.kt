// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.numpy

import org.arbalest.device.tensors.DLPack
import org.arbalest.support.python.Python
import java.net.URI
import java.nio.file.Files
import java.nio.file.Path
import java.util.zip.ZipInputStream
import kotlin.io.path.exists
import kotlin.io.path.outputStream

/** The versions of NumPy that the tests use, each with a Python. One process can load only one of them. */
internal enum class NumPy(
    /** The start of the version that NumPy reports. */
    val version: String,
    /** The forms of DLPack tensors that this version supports. */
    val forms: List<DLPack>,
    /** Whether this version supports kDLBool, which NumPy added in 1.25. */
    val knowsBool: Boolean,
) {
    /** The packages `python3-numpy` and `libpython3.11` of Debian. */
    DEBIAN("1.24", listOf(DLPack.UNVERSIONED), knowsBool = false) {
        private val module = Path.of("/usr/lib/python3/dist-packages/numpy")
        private val library = listOf("x86_64", "aarch64").map { Path.of("/usr/lib/$it-linux-gnu/libpython3.11.so.1.0") }
            .firstOrNull { it.exists() }

        override val missing: String?
            get() = if (library == null) "no libpython3.11.so.1.0: install Debian's libpython3.11"
            else if (!module.exists()) "no $module: install Debian's python3-numpy" else null

        override fun start() = Python.load("$library", null, null, emptyList())
    },

    /** The package `org.bytedeco:numpy`, with its own CPython. */
    MAVEN("2.3", DLPack.entries, knowsBool = true) {
        override val missing: String? by lazy {
            val platform = "${System.getProperty("os.name")} on ${System.getProperty("os.arch")}"
            if (platform == "Linux on amd64") null
            else "org.bytedeco:numpy is available only for Linux on amd64, not for $platform"
        }

        override fun start(): Python {
            val folder = Path.of("target/bytedeco").toAbsolutePath()
            val done = folder.resolve("done")
            if (!done.exists()) {
                for ((part, file) in PARTS) unpack(part, file, folder)
                Files.createFile(done)
            }
            val root = folder.resolve("org/bytedeco")
            val blas = root.resolve("openblas/$LINUX")
            return Python.load(
                "${root.resolve("cpython/$LINUX/libpython3.13.so.1.0")}", "${root.resolve("cpython/$LINUX")}",
                "${root.resolve("numpy/$LINUX/python")}",
                listOf("libgcc_s.so.1", "libquadmath.so.0", "libgfortran.so.5", "libopenblas.so.0")
                    .map { "${blas.resolve(it)}" },
            )
        }
    },
    ;

    /** The reason why this version is not available, or null. */
    abstract val missing: String?

    /** Starts Python in this process; it runs until the process ends. */
    abstract fun start(): Python

    protected companion object {
        const val LINUX = "linux-x86_64"

        /** The archives that are unpacked, each with one of its files. */
        val PARTS = mapOf("cpython" to "libpython3.13.so.1.0", "numpy" to "python/numpy/version.py",
            "openblas" to "libopenblas.so.0")

        /** The files that the tests do not need, which are most of the archives. */
        private val LEFT_OUT = Regex(
            """/(include|test|tests|idlelib|ensurepip|site-packages|cmake|bin|pkgconfig)/|libjni|python3\.13/config""",
        )

        fun unpack(part: String, file: String, folder: Path) {
            val known = checkNotNull(NumPy::class.java.getResource("/org/bytedeco/$part/$LINUX/$file")) {
                "cannot unpack org.bytedeco:$part: it is not on the class path"
            }
            val jar = Path.of(URI(known.toString().removePrefix("jar:").substringBefore("!/")))
            ZipInputStream(Files.newInputStream(jar)).use { zip ->
                while (true) {
                    val entry = zip.nextEntry ?: break
                    if (entry.isDirectory || LEFT_OUT.containsMatchIn(entry.name)) continue
                    val target = folder.resolve(entry.name)
                    Files.createDirectories(target.parent)
                    target.outputStream().use(zip::copyTo)
                }
            }
        }
    }
}
