// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.mutations

import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.name
import kotlin.io.path.readLines
import kotlin.io.path.walk

/** The module whose sources are mutated, and this one, whose specs catch the mutations. */
internal object Modules {
    /** The root of the project. */
    val ROOT: Path = Path("..")

    private val CORE = ROOT.resolve("device-core")

    /** The folders of the compiled classes of core and of its specs. */
    val CLASSES: List<Path> = listOf(CORE.resolve("target/classes"), Path("target/test-classes"))

    private val sources by lazy { files(CORE.resolve("src/main/java")) }
    private val specs by lazy { files(Path("src/test/kotlin")) }

    /** Returns the source file of a class of core. [type] is a name like `Handle` or `statistics.ObjectAppender`. */
    fun source(type: String): Path = only(sources.filter { it.endsWith(type.replace('.', '/') + ".java") }, type)

    /** Returns the source file of a spec, which has the spec's simple name. */
    fun spec(name: String): Path = only(specs.filter { it.name == "$name.kt" }, name)

    /** Returns the qualified name of a spec's class. */
    fun specClass(name: String): String =
        spec(name).readLines().first { it.startsWith("package ") }.removePrefix("package ").trim() + ".$name"

    private fun only(found: List<Path>, name: String) =
        found.singleOrNull() ?: error("found ${found.size} files of $name, not one: $found")

    private fun files(folder: Path) = folder.walk().toList()
}
