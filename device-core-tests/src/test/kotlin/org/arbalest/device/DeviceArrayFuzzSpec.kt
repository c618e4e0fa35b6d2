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
 * Random C structures with wrong contents; [Mutants] and [ContentMutants] list the kinds. `-Darbalest.mutants=200000`
 * runs more of them. `-Darbalest.mutants.seed=…` sets the first mutant, and runs the mutant of a failure again together
 * with `-Darbalest.mutants=1`.
 */
class DeviceArrayFuzzSpec : FunSpec({
    extension(CCompiler.needed)

    val count = Integer.getInteger("arbalest.mutants", 500)
    val first = java.lang.Long.getLong("arbalest.mutants.seed", 0)

    /** The number of mutants for one process, which needs much less than its limit of five minutes. */
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

    // Each child process has its own time limit.
    test(
        "$count mutated C structures are rejected or used without a crash, a hang or a leak [ARR-20]",
    ).config(timeout = 2.hours) {
        run(MutantsMain::class)
    }

    test(
        "$count arrays with mutated content cause no crash, and each fault has its path and row [ARR-17, ARR-18]",
    ).config(timeout = 2.hours) {
        run(ContentMutantsMain::class)
    }
})
