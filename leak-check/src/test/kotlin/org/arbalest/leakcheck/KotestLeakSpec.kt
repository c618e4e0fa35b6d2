package org.arbalest.leakcheck

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.Ledger
import org.arbalest.leakcheck.kotest.LeakExtension
import kotlin.time.Duration.Companion.milliseconds

/** Kotest's engine runs specs that leak; this looks at what it says of them. */
class KotestLeakSpec : FunSpec({
    afterEach {
        closeLeft()
        Ledger.now().isZero shouldBe true
    }

    test("OWN-21 a test that leaves something open fails, and is told what and where it was made; the others do not") {
        val results = run("kotest", LeakyTests::class)
        results["closes"] shouldBe null
        val leak = results["leaves an array"].shouldBeInstanceOf<LeakError>()
        leak.message shouldContain "not back after LeakyTests, leaves an array: buffers=1, bufferBytes=64, arrays=1\n"
        leak.message shouldContain Regex("""made by the thread .* at .*org\.arbalest\.leakcheck\.Checked\.make\(Checked\.java:\d+\)""")
        results["fails anyway"]!!.message shouldBe "its own"
        results.filterKeys { "LeakyTests" in it }.values.filterNotNull() shouldBe emptyList()
    }

    test("a spec that leaves something open around its tests fails, and they do not") {
        val results = run("kotest", LeakySetUp::class)
        results["closes"] shouldBe null
        val leak = results.values.filterNotNull().flatMap { generateSequence(it) { cause -> cause.cause } }.filterIsInstance<LeakError>().first()
        leak.message shouldContain "not back after LeakySetUp: buffers=1, bufferBytes=64, arrays=1\n"
    }

    test("without places the numbers are told, and how to see the places") {
        val leak = run("kotest", WithoutPlaces::class)["leaves an array"].shouldBeInstanceOf<LeakError>()
        leak.message shouldContain "-Dorg.arbalest.leaks=true says what that is, and where it was made"
        leak.message shouldNotContain "LEAK"
    }
})

private class LeakyTests : FunSpec({
    extension(LeakExtension(patience = 20.milliseconds))

    test("closes") { Checked.make().close() }
    test("leaves an array") { Checked.LEFT += Checked.make() }
    test("fails anyway") {
        Checked.LEFT += Checked.make()
        error("its own")
    }
})

private class LeakySetUp : FunSpec({
    extension(LeakExtension(patience = 20.milliseconds))

    beforeSpec { Checked.LEFT += Checked.make() }
    test("closes") { Checked.make().close() }
})

private class WithoutPlaces : FunSpec({
    extension(LeakExtension(LeakScope.TEST, 20.milliseconds, withPlaces = false))

    test("leaves an array") { Checked.LEFT += Checked.make() }
})
