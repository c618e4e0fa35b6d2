// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import kotlin.io.path.createTempDirectory
import kotlin.io.path.div
import kotlin.io.path.readText

private const val MIB = 1L shl 20
private const val GIB = 1L shl 30

private val GOOD = Tests(5, listOf(), listOf())

private fun report(vararg steps: StepResult) = Report("cuda", "2026-11-23T00:00:00Z", false, false, listOf(),
    HostFacts("Linux", 2, GIB, "25"), null, listOf(), steps.toList(), 1.0)

class FindingsSpec : FunSpec({
    test("tests that did not run are counted separately in the summary, and have their own exit code [CHK-04]") {
        val all = report(StepResult("a", Verdict.GOOD, tests = GOOD))
        all.exitCode shouldBe 0
        all.table() shouldContain "All checks passed: 5 good, 0 failed, 0 not run"
        val peer = report(StepResult("a", Verdict.GOOD,
            tests = GOOD.copy(notRun = listOf(Named("two GPUs copy to each other", "one GPU")))))
        peer.summary shouldBe Summary(5, 0, 1)
        peer.exitCode shouldBe NOT_ALL_CODE
        peer.table() shouldContain "No check failed, but not all were run: 5 good, 0 failed, 1 not run"
        peer.table() shouldContain Regex("two GPUs copy to each other +\\| not run \\| one GPU")
        report(StepResult("a", Verdict.NOT_RUN, "no managed memory")).run {
            summary shouldBe Summary(0, 0, 1)
            exitCode shouldBe NOT_ALL_CODE
        }
    }

    test(
        "any failure fails the report: a test, a figure, or a step that hung after its tests passed [CHK-01, CHK-03]",
    ) {
        val figure = Figure("to the GPU", 8, Verdict.FAILED, "too slow")
        for (step in listOf(
            StepResult("a", Verdict.FAILED, tests = GOOD.copy(failed = listOf(Named("b", "c")))),
            StepResult("a", Verdict.FAILED, figures = listOf(figure)),
            StepResult("a", Verdict.FAILED, "the step took longer than 5 s", tests = GOOD),
            StepResult("a", Verdict.FAILED, "the step's process ended with 134"),
        )) {
            val report = report(step, StepResult("b", Verdict.NOT_RUN, "one GPU"))
            report.summary.failed shouldBe 1
            report.exitCode shouldBe FAILED_CODE
            report.table() shouldContain "FAILED: "
        }
    }

    test("a report is written as JSON with lower-case names, and is read back unchanged [CHK-05]") {
        val folder = createTempDirectory("findings")
        val figure = Figure("to the GPU, 1 column", 8, Verdict.GOOD, micros = 1.5, reference = "cuMemcpyAsync",
            referenceMicros = 1.0, threshold = Thresholds.wait, samples = 3)
        val report = report(StepResult("a", Verdict.GOOD, tests = GOOD, figures = listOf(figure),
            stood = listOf(Stood("main", listOf("A.b(C.java:1)")))))
        write(report, folder / "a.json")
        read<Report>(folder / "a.json") shouldBe report
        val text = (folder / "a.json").readText()
        for (name in listOf(
            "format", "check", "date", "on_double", "is_quick", "host", "sizes", "steps", "summary", "not_run",
            "exit_code", "reference_micros", "limit_seconds",
        )) {
            text shouldContain "\"$name\":"
        }
        text shouldContain "\"verdict\": \"good\""
        folder.toFile().list().orEmpty().toList() shouldContainExactly listOf("a.json")
        folder.toFile().deleteRecursively()
    }

    test("sizes go up to 4 GiB, or an eighth of the smaller memory") {
        sizes(80 * GIB, 128 * GIB, false) shouldContainExactly listOf(65536, MIB, 16 * MIB, 256 * MIB, 4 * GIB)
        sizes(8 * GIB, 128 * GIB, false) shouldContainExactly listOf(65536, MIB, 16 * MIB, 256 * MIB, GIB)
        sizes(80 * GIB, 2 * GIB, false) shouldContainExactly listOf(65536, MIB, 16 * MIB, 256 * MIB)
        sizes(GIB, GIB, false) shouldContainExactly listOf(65536, MIB, 16 * MIB, 128 * MIB)
        sizes(80 * GIB, 128 * GIB, true) shouldContainExactly listOf(65536, MIB, 16 * MIB)
        listOf(65536L, MIB, 4 * GIB, 8483635L).map(::readable) shouldContainExactly
            listOf("64 KiB", "1 MiB", "4 GiB", "8.091 MiB")
    }

    test("a thread dump gives the threads with a frame in Arbalest, main first, and no others [CHK-03]") {
        val found = stood(DUMP)
        found.map { it.thread } shouldContainExactly listOf("main", "arbalest-cuda-frees")
        found.first().frames shouldContainExactly listOf("jdk.internal.foreign.abi.DowncallStub(LambdaForm)",
            "org.arbalest.device.cuda.Cu.streamSynchronize(Cu.java:230)")
        stood("no dump here") shouldContainExactly listOf()
        "$found" shouldNotContain "Reference Handler"
    }
})

private val DUMP = """
    said before
    2026-11-23 02:00:00
    Full thread dump OpenJDK 64-Bit Server VM (25+36 mixed mode):

    "arbalest-cuda-frees" #31 daemon prio=5 tid=0x1 nid=2 waiting on condition
       java.lang.Thread.State: WAITING (parking)
    	at jdk.internal.misc.Unsafe.park(java.base@25/Native Method)
    	- parking to wait for  <0x1> (a java.lang.Object)
    	at org.arbalest.device.cuda.Frees.work(Frees.java:40)

    "Reference Handler" #9 daemon prio=10 tid=0x2 nid=3 waiting on condition
       java.lang.Thread.State: RUNNABLE
    	at java.lang.ref.Reference.waitForReferencePendingList(java.base@25/Native Method)

    "main" #1 prio=5 tid=0x3 nid=4 runnable
       java.lang.Thread.State: RUNNABLE
    	at jdk.internal.foreign.abi.DowncallStub(java.base@25/LambdaForm)
    	at org.arbalest.device.cuda.Cu.streamSynchronize(Cu.java:230)

    JNI global refs: 12, weak refs: 0
""".trimIndent()
