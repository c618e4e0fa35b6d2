// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.numpy

import org.arbalest.device.tensors.DLPack
import java.net.URI
import java.nio.file.Files
import java.nio.file.Path
import java.util.zip.ZipInputStream
import kotlin.io.path.exists
import kotlin.io.path.outputStream

/** The NumPys that are to be had, each with a Python; one process can have one of them. */
internal enum class NumPy(
    /** What it says of itself. */
    val version: String,
    /** The forms of a tensor that it knows. */
    val forms: List<DLPack>,
    /** Whether it knows kDLBool, as it does from 1.25 on. */
    val knowsBool: Boolean,
) {
    /** Debian's `python3-numpy` and `libpython3.11`. */
    DEBIAN("1.24", listOf(DLPack.UNVERSIONED), knowsBool = false) {
        private val module = Path.of("/usr/lib/python3/dist-packages/numpy")
        private val library = listOf("x86_64", "aarch64").map { Path.of("/usr/lib/$it-linux-gnu/libpython3.11.so.1.0") }
            .firstOrNull { it.exists() }

        override val missing: String?
            get() = if (library == null) "there is no libpython3.11.so.1.0 (Debian's libpython3.11)"
            else if (!module.exists()) "there is no $module (Debian's python3-numpy)" else null

        override fun start() = Python("$library", null, null, emptyList())
    },

    /** `org.bytedeco:numpy`, with the CPython that belongs to it. */
    MAVEN("2.3", DLPack.entries, knowsBool = true) {
        override val missing: String? by lazy {
            val platform = "${System.getProperty("os.name")} on ${System.getProperty("os.arch")}"
            if (platform == "Linux on amd64") null
            else "org.bytedeco:numpy is had for Linux on amd64, and this is $platform"
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
            return Python(
                "${root.resolve("cpython/$LINUX/libpython3.13.so.1.0")}", "${root.resolve("cpython/$LINUX")}",
                "${root.resolve("numpy/$LINUX/python")}",
                listOf("libgcc_s.so.1", "libquadmath.so.0", "libgfortran.so.5", "libopenblas.so.0")
                    .map { "${blas.resolve(it)}" },
            )
        }
    },
    ;

    /** Why it cannot be had; null if it can. */
    abstract val missing: String?

    /** Starts it in this process, for good. */
    abstract fun start(): Python

    protected companion object {
        const val LINUX = "linux-x86_64"

        /** The archives, by a file in each. */
        val PARTS = mapOf("cpython" to "libpython3.13.so.1.0", "numpy" to "python/numpy/version.py",
            "openblas" to "libopenblas.so.0")

        /** What nothing here needs, and is most of it. */
        private val LEFT_OUT = Regex(
            """/(include|test|tests|idlelib|ensurepip|site-packages|cmake|bin|pkgconfig)/|libjni|python3\.13/config""",
        )

        fun unpack(part: String, file: String, folder: Path) {
            val known = checkNotNull(NumPy::class.java.getResource("/org/bytedeco/$part/$LINUX/$file")) {
                "org.bytedeco:$part is not on the class path"
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
