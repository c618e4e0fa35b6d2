// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.interop.Batches
import org.arbalest.interop.Batches.part
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types
import org.arbalest.interop.asStruct
import org.arbalest.testkit.contract.eventually
import java.nio.file.Files
import java.nio.file.Path

/**
 * A program that writes a file of each type and format into a folder: see [DatasetFiles.write]. It prints the types
 * that Arrow C++ rejects, and the resources that are not released.
 */
internal object WriteFiles {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val folder = Path.of(arguments.single())
        for (format in DatasetFiles.Format.entries) {
            for (type in Types.all.filter { it.name !in format.refuses }) write(type, format, folder)
        }
        eventually("the threads of Arrow C++ have released every batch") { ResourceCounters.now().isZero }
        println("left: nothing")
        for (format in DatasetFiles.Format.entries) {
            for (type in Types.all.filter { it.name in format.refuses }) {
                try {
                    write(type, format, folder)
                } catch (e: RuntimeException) {
                    println("refused $format/${type.name}: ${e.message}")
                }
            }
        }
        println("not released after rejected writes: ${ResourceCounters.now()}") // no exit: see DatasetFiles
    }

    private fun write(type: TypeCase, format: DatasetFiles.Format, folder: Path) {
        val batches = Batches.stream(type) { batch ->
            when (batch) {
                0 -> Batches.laid(type, 0, 30)
                1 -> Batches.laid(type, 25, 40).part(5, 20)
                2 -> Batches.laid(type, 50, 50)
                else -> null
            }
        }
        batches.asStruct {
            DatasetFiles.write(it, format, Files.createDirectories(folder.resolve("$format/${type.name}")))
        }
    }
}
