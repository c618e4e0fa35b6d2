// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.support.ContentMutantsMain
import org.arbalest.device.support.MutantsMain
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import java.io.RandomAccessFile
import java.nio.file.Files
import kotlin.reflect.KClass
import kotlin.time.Duration.Companion.hours

/**
 * Random C structures with lies in them; see [Mutants] and [ContentMutants] for what kind. `-Darbalest.mutants=200000`
 * runs more of them, `-Darbalest.mutants.seed=…` others, or with one mutant that of a failure again.
 */
class DeviceArrayFuzzSpec : FunSpec({
    extension(CCompiler.needed)

    val count = Integer.getInteger("arbalest.mutants", 1_000)
    val first = java.lang.Long.getLong("arbalest.mutants.seed", 0)

    /** What a process does in much less than the five minutes that it has. */
    val atOnce = 4_000

    fun run(main: KClass<*>) {
        val file = Files.createTempFile("arbalest-mutant", "")
        try {
            for (start in first until first + count step atOnce.toLong()) {
                val child = ChildJvm.run(main, "$start", "${minOf(atOnce.toLong(), first + count - start)}", "$file",
                    options = listOf("-Xmx512m"))
                withClue({
                    "mutant ${RandomAccessFile(file.toFile(), "r").use { it.readLong() }}: " +
                        child.output.takeLast(3000)
                }) { child.exitCode shouldBe 0 }
            }
        } finally {
            Files.delete(file)
        }
    }

    // Each process has a limit of its own.
    test(
        "$count mutants of C structures of every type are refused, or read, sliced, copied and handed on: no crash, " +
            "no hang, nothing left [ARR-20]",
    ).config(timeout = 2.hours) {
        run(MutantsMain::class)
    }

    test(
        "$count mutants of the content of arrays of every type: a lie is refused by its path and row, the rest is " +
            "sound; no crash at any level [ARR-17, ARR-18]",
    ).config(timeout = 2.hours) {
        run(ContentMutantsMain::class)
    }
})
