// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import java.lang.classfile.ClassFile
import java.lang.classfile.ClassModel
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.isDirectory
import kotlin.io.path.toPath

/** The compiled classes of the project, for searches that replace checks of a compiler. */
internal object ClassFiles {
    /** Returns the classes of the folder, or jar, that a class comes from. */
    fun beside(type: Class<*>): List<ClassModel> {
        val place = type.protectionDomain.codeSource.location.toURI().toPath()
        if (place.isDirectory()) return below(place)
        return FileSystems.newFileSystem(place).use { below(it.getPath("/")) }
    }

    private fun below(root: Path): List<ClassModel> = Files.walk(root).use { files ->
        files.filter { "$it".endsWith(".class") && !"$it".endsWith("module-info.class") }.toList()
    }.map { ClassFile.of().parse(Files.readAllBytes(it)) }
}
