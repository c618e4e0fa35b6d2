// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.ChildJvm
import org.arbalest.testkit.SkipWithout
import org.openjdk.jcstress.Main
import kotlin.io.path.Path
import kotlin.io.path.createDirectories

/**
 * The lock-free code, in the orders of memory accesses that jcstress meets in 300 ms for each test. jcstress runs in a
 * child JVM and starts others. `-Darbalest.stress.seconds=60` runs longer, and with all compilers.
 */
class StressSpec : FunSpec({
    val seconds = Integer.getInteger("arbalest.stress.seconds", 0)

    fun stress(tests: String): ChildJvm {
        val native = "--enable-native-access=ALL-UNNAMED"
        val compilers = if (seconds < 10) listOf("-jvmArgs", native) else listOf("-jvmArgsPrepend", native)
        return ChildJvm.run(
            Main::class, "-t", """org\.arbalest\.device\.(.*\.)?$tests""", "-f", "1", "-iters", "1", "-time",
            "${if (seconds == 0) 300 else 1000 * seconds}", "-sc", "false", "-r", ".", *compilers.toTypedArray(),
            options = listOf("--sun-misc-unsafe-memory-access=allow"),
            directory = Path("target/jcstress").createDirectories(),
            seconds = 300 + 600L * seconds,
        )
    }

    val twoProcessors = SkipWithout {
        Runtime.getRuntime().availableProcessors().takeIf { it < 2 }?.let { "two threads cannot race on $it processor" }
    }

    for ((what, tests) in mapOf(
        "slots and references [OWN-06, OWN-07]" to "(Slots|Shared|Handle|RecycledExport)Stress",
        "readers [STR-11, STR-18]" to "ReaderStress",
        "streams and their tasks [ASY-20, ASY-22, ASY-28]" to "(Async|ShortQueue|ProducerHolders)Stress",
        "plans for rows as objects [OBJ-01]" to "RecentStress",
    )) {
        test("jcstress finds no forbidden outcome: $what").config(extensions = listOf(twoProcessors)) {
            val run = stress(tests)
            withClue(run.output) {
                run.exitCode shouldBe 0
                // jcstress also exits with 0 if no test matches
                run.output shouldContain Regex("""tests: [1-9]\d* matching test results""")
            }
        }
    }

    test("jcstress finds a planted race").config(extensions = listOf(twoProcessors)) {
        val run = stress("PlantedRace")
        withClue(run.output) {
            run.output shouldContain "freed twice, or never"
            (run.exitCode == 0) shouldBe false
        }
    }
})
