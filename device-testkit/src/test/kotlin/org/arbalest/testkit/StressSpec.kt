package org.arbalest.testkit

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.openjdk.jcstress.Main

/**
 * What is lock-free, in all orders that jcstress meets in some seconds, with the compilers' liberties: a JVM of its own, which starts others.
 * `-Darbalest.stress.seconds=600` looks longer.
 */
class StressSpec : FunSpec({
    val seconds = Integer.getInteger("arbalest.stress.seconds", 15)

    fun stress(tests: String, seconds: Int): ChildJvm = ChildJvm.run(
        Main::class, "-t", tests, "-tb", "${seconds}s", "-f", "1", "-sc", "false", "-r", "target/jcstress",
        "-jvmArgsPrepend", "--enable-native-access=ALL-UNNAMED",
        options = listOf("--sun-misc-unsafe-memory-access=allow", "--add-opens=java.base/java.lang=ALL-UNNAMED"),
        seconds = 3L * seconds + 120,
    )

    for ((what, tests) in mapOf("OWN-07 slots" to "SlotsStress", "OWN-06 holders" to "SharedStress", "ASY-20 ASY-22 ASY-28 streams" to "AsyncStress")) {
        test("$what: no forbidden outcome in any order") {
            val run = stress("org.arbalest.device.$tests.*", seconds)
            withClue(run.output) { run.exitCode shouldBe 0 }
        }
    }

    test("a race that is planted is found") {
        val run = stress("org.arbalest.device.PlantedRace", 5)
        withClue(run.output) {
            run.output shouldContain "freed twice, or never"
            (run.exitCode == 0) shouldBe false
        }
    }
})
