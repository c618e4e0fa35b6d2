// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.walk

/**
 * Tests of the C peer against itself, without a JVM. `src/test/c/selftest/selftest.sh` also runs them under sanitizers
 * and valgrind.
 */
class PeerSelftestSoakSpec : FunSpec({
    extension(CCompiler.commandNeeded)

    fun run(command: List<String>): Pair<Int, String> {
        val process = ProcessBuilder(command).redirectErrorStream(true).start()
        val words = process.inputReader().readText()
        return process.waitFor() to words
    }

    val c = Path.of("src/main/resources/org/arbalest/support/c")

    fun runCompiled(files: List<Path>) {
        val compiler = CCompiler.answer as CCompiler.Found
        val program = tempdir().toPath().resolve("selftest")
        val flags = listOf("-std=gnu11", "-O2", "-pthread", "-I../device-core/src/main/c/include", "-I$c")
        val (compiled, words) = run(listOf("${compiler.path}") + flags + files.map { "$it" } + listOf("-o", "$program"))
        withClue(words) { compiled shouldBe 0 }
        val (failed, output) = run(Emulator.command(listOf("$program")))
        withClue(output) { failed shouldBe 0 }
    }

    test("the peer's producers and consumers work together, and detect each other's violations") {
        val folders = listOf("peer", "checks", "async").map(c::resolve) + listOf(Path.of("src/test/c/selftest"))
        runCompiled(folders.flatMap { it.walk() }.filter { it.extension == "c" })
    }
})
