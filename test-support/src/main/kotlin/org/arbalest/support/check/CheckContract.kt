// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.support.ChildJvm
import org.arbalest.testkit.SkipWithout
import java.io.File
import kotlin.io.path.createTempDirectory
import kotlin.io.path.div
import kotlin.io.path.exists
import kotlin.io.path.writeText

/** The step in which Python's libraries are checked. */
private const val PYTHON = "Python"

/** Debian's Python, if it is installed, since it may have NumPy; otherwise the first of the `PATH`. */
private val PYTHON_PROGRAM = "/usr/bin/python3".takeIf { File(it).exists() } ?: "python3"

/** Skips a test on a machine whose Python has no NumPy. */
private val numPy = SkipWithout {
    val import = runCatching {
        ProcessBuilder(PYTHON_PROGRAM, "-c", "import numpy").redirectErrorStream(true).start().run {
            inputReader().readText().trim().takeUnless { waitFor() == 0 }
        }
    }
    import.getOrElse { "$it" }?.let { "no NumPy: ${it.lines().last()}" }
}

/** Words of the reasons why tests are not run on a machine. */
private val LACKING = mapOf(
    "jetson" to listOf("one GPU", "concurrentManagedAccess is 0", "at another address", "this integrated GPU"),
    "gh200" to listOf("copies need no slots"),
)

/** A library with the functions of PyTorch that the check calls. One of its numbers is wrong. */
private val CHANGING_TORCH = """
    import numpy

    __version__ = "0"
    int64 = numpy.int64
    from_dlpack = numpy.from_dlpack


    class Tensor(numpy.ndarray):
        def data_ptr(self):
            return self.ctypes.data


    def arange(first, end, dtype, device):
        numbers = numpy.arange(first, end, dtype=dtype).view(Tensor)
        numbers[7] += 1
        return numbers
""".trimIndent()

/**
 * The contract of each backend's GPU check: it passes on a good simulator, and fails without a GPU.
 *
 * @param only the beginnings of the names of the steps that run on the simulator; without any, all steps run
 */
fun gpuCheckContract(gpu: CheckedGpu, vararg only: String): TestFactory = funSpec {
    test(
        "a simulator without a fault passes ${if (only.isEmpty()) "all steps" else "some steps"}, and the file " +
            "matches the table [CHK-01, CHK-05]",
    ) {
        val run = gpu.check("--double", *only.map { "--only=$it" }.toTypedArray())
        withClue(run.output) {
            val (python, others) = run.report.steps.partition { it.name == PYTHON }
            if (only.isEmpty()) run.report.steps.map { it.name } shouldContainExactly
                steps(gpu, run.report.sizes).map { it.name }
            others.forAll { it.verdict shouldBe Verdict.GOOD }
            others.sumOf { it.count(Verdict.NOT_RUN) } shouldBe 0
            run.report.summary.failed shouldBe 0
            val left = python.sumOf { it.count(Verdict.NOT_RUN) } // libraries that need a GPU
            run.report.summary.notRun shouldBe left
            run.code shouldBe if (left == 0) 0 else NOT_ALL_CODE
            run.report.summary.good shouldBeGreaterThan if (only.isEmpty()) 100 else 10
            run.report.steps.flatMap { it.figures }.forAll { figure ->
                run.output shouldContain figure.name
                figure.samples shouldBeGreaterThan 1
            }
            run.report.steps.forAll { run.output shouldContain it.name }
            run.report.device.shouldNotBeNull().count shouldBe 2
            run.output shouldContain if (left == 0) "All checks passed: " else "No check failed, but not all were run: "
            run.output shouldContain "${run.report.summary.good} good, 0 failed, $left not run"
        }
    }

    test("without a GPU the check fails, and the steps that need one are not run [CHK-04]") {
        val run = gpu.check("--only=events")
        if (run.report.device != null) return@test // this machine has a GPU
        withClue(run.output) {
            run.code shouldBe 1
            run.step("device").reason.shouldNotBeNull() shouldContain "${gpu.types[0]}: "
            run.step("events").reason shouldBe "no device is available"
        }
    }

    test("the process that starts the steps does not load the runtime, so each step has the GPU alone [CHK-07]") {
        val child = ChildJvm.run(Loaded::class, gpu.program.java.name, "--double", "--quick", "--only=events",
            options = childOptions())
        withClue(child.output) {
            child.output shouldContain "All checks passed"
            child.output.lines().last { it.isNotBlank() } shouldBe "loaded libraries: []"
        }
    }
}

/**
 * The contract of the check itself, whose code is the same for all backends: it finds each fault of a simulator, and
 * reports its place.
 */
fun gpuCheckTroubleContract(gpu: CheckedGpu): TestFactory = funSpec {
    test("slow copies exceed their thresholds beside the runtime's faster copies [CHK-01]") {
        for ((trouble, only) in listOf(
            "slow:10000" to listOf("copies, pinned memory, 64", "copies, pageable memory, 64"),
            "slow:1000" to listOf("events"),
        )) {
            val run =
                gpu.check("--double=$trouble", "--step-seconds=180", *only.map { "--only=$it" }.toTypedArray())
            withClue(run.output) {
                run.code shouldBe 1
                run.report.steps.size shouldBe 1 + only.size
                for (step in run.report.steps.drop(1)) {
                    val held = step.figures.filter { it.threshold != null }
                    held.size shouldBe if (step.name == "events") 3 else 4
                    held.filter { "behind copies" !in it.name }.forAll {
                        // the slowdown of a long wait behind copies is no larger than on a busy machine
                        it.verdict shouldBe Verdict.FAILED
                        it.reason.shouldNotBeNull() shouldContain "exceeds the limit"
                    }
                }
            }
        }
    }

    for ((nth, steps) in listOf(
        1 to listOf("copies, pinned memory, 64 KiB", "events"),
        4 to listOf("copies, pageable memory, 64 KiB", "events"),
        8 to listOf("copies, pinned memory, 64 KiB"),
    )) {
        test("a byte that copy $nth corrupts is found and located: ${steps.joinToString("; ")} [CHK-02]") {
            val run = gpu.check("--double=spoil:$nth", *steps.map { "--only=$it" }.toTypedArray())
            withClue(run.output) {
                run.code shouldBe 1
                for (name in steps) {
                    val failed = run.step(name).figures.filter { " instead of " in it.reason.orEmpty() }
                    failed.size shouldBe 1
                    failed.single().verdict shouldBe Verdict.FAILED
                    val place = if (name == "events") "wait \\d+: the target when its waiter continued"
                    else "copy \\d+ (to|from) the GPU: column c\\d+ of \\d+"
                    failed.single().reason.shouldNotBeNull() shouldContain
                        Regex("""$place: byte \d+ of \d+ is 0x\w\w instead of 0x\w\w""")
                }
            }
        }
    }

    test("a byte that is corrupted during a contract's test fails that test, in each contract of contents [CHK-02]") {
        val run = gpu.check("--double=spoil:3", "--only=contract, co", "--only=contract, processes")
        withClue(run.output) {
            run.code shouldBe 1
            for (step in run.report.steps.drop(1)) step.tests.shouldNotBeNull().failed.size shouldBe 1
            run.report.steps.size shouldBe 4
        }
    }

    test(
        "a number that a library of Python changes fails its tests, and missing libraries are named [CHK-08]",
    ).config(extensions = listOf(numPy)) {
        val folder = createTempDirectory("gpu-check")
        try {
            val python = folder / "python"
            python.writeText("#!/bin/sh\nPYTHONPATH=$folder exec $PYTHON_PROGRAM \"${'$'}@\"\n")
            python.toFile().setExecutable(true)
            (folder / "torch.py").writeText(CHANGING_TORCH)
            val run = gpu.check("--double", "--only=$PYTHON", "--python=$python")
            withClue(run.output) {
                run.code shouldBe 1
                val step = run.step(PYTHON)
                step.versions.keys shouldBe setOf("NumPy", "Python", "PyTorch")
                val tests = step.tests.shouldNotBeNull()
                tests.passed shouldBe 3 // NumPy's, and the one of the contract itself
                tests.failed.size shouldBe 2
                tests.failed.forAll { it.name shouldContain "PyTorch" }
                tests.notRun.map { it.reason }.toSet() shouldBe
                    setOf("no GPU", "ImportError: CuPy needs a GPU", "ImportError: pylibcudf needs a GPU")
            }
        } finally {
            folder.toFile().deleteRecursively()
        }
    }

    test("without Python its step is not run, with the reason [CHK-04, CHK-08]") {
        val run = gpu.check("--double", "--only=$PYTHON", "--python=/nowhere/python")
        withClue(run.output) {
            run.code shouldBe NOT_ALL_CODE
            run.step(PYTHON).verdict shouldBe Verdict.NOT_RUN
            run.step(PYTHON).reason.shouldNotBeNull() shouldContain "no Python: Cannot run program \"/nowhere/python\""
        }
    }

    test(
        "a step whose stream never continues is ended at its limit, with its threads' stacks, and the others run " +
            "[CHK-03]",
    ) {
        val run =
            gpu.check("--double=stick:2", "--only=copies, pinned memory, 64", "--only=events", "--step-seconds=7")
        withClue(run.output) {
            run.code shouldBe 1
            for (name in listOf("copies, pinned memory, 64 KiB", "events")) {
                val step = run.step(name)
                step.verdict shouldBe Verdict.FAILED
                step.reason.shouldNotBeNull() shouldContain
                    Regex("the step took longer than 7 s; .* was in org\\.arbalest")
                step.seconds shouldBeLessThan 30.0
                step.stood.first().thread shouldBe "main"
            }
            run.step("copies, pinned memory, 64 KiB").stood.first().frames.any {
                "ynchronize" in it && it.startsWith("org.arbalest.device.")
            } shouldBe true
        }
    }

    test("a process that ends before its step fails the check, with its last output [CHK-03]") {
        val run = gpu.check("--double=nonsense:1", "--only=events")
        withClue(run.output) {
            run.code shouldBe 1
            run.step("device").reason.shouldNotBeNull() shouldContain "the step's process ended with 1"
            run.step("events").verdict shouldBe Verdict.NOT_RUN
        }
    }

    test("with one GPU the tests that need two are not run, with the reason, and all others pass [CHK-04]") {
        val run = gpu.check("--double=gpus:1", "--only=contract, GPU", "--only=contract, contents")
        withClue(run.output) {
            run.code shouldBe NOT_ALL_CODE
            run.report.device.shouldNotBeNull().count shouldBe 1
            run.report.summary.failed shouldBe 0
            val left = run.report.steps.mapNotNull { it.tests }.flatMap { it.notRun }
            left.map { it.reason }.toSet() shouldBe setOf("one GPU", "one ${gpu.types[0]} device")
            run.report.summary.notRun shouldBe left.size
            left.forAll { run.output shouldContain "| not run | ${it.reason}" } // the table wraps long names
            run.output shouldContain "not all were run"
        }
    }

    for (machine in gpu.double.machines) {
        test("the contracts pass on a simulated $machine, and what it lacks is not run, with the reason [CHK-04]") {
            val run = gpu.check("--double=$machine", "--only=contract", "--only=a kernel: booleans")
            withClue(run.output) {
                run.report.summary.failed shouldBe 0
                val left = run.report.steps.flatMap { it.tests?.notRun.orEmpty().map(Named::reason) + it.reason }
                LACKING.getValue(machine).forAll { words -> left.filterNotNull().any { words in it } shouldBe true }
            }
        }
    }

    test("steps that have not begun at the time limit are not run, and the exit code says so [CHK-04]") {
        val run = gpu.check("--double", "--minutes=0")
        withClue(run.output) {
            run.code shouldBe NOT_ALL_CODE
            run.report.steps.forAll { it.verdict shouldBe Verdict.NOT_RUN }
            run.output shouldContain "not all were run: 0 good, 0 failed"
        }
    }

    test("a file that cannot be written is rejected before any step runs [CHK-05]") {
        val folder = createTempDirectory("gpu-check")
        try {
            for ((file, why) in listOf(
                folder / "none" / "check.json" to "${folder / "none"} is not a folder", folder to "it is a folder",
            )) {
                val child = ChildJvm.run(gpu.program, "--double", "--quick", "--only=events", "--json=$file",
                    options = childOptions())
                withClue(child.output) {
                    child.exitCode shouldBe 2
                    child.output shouldStartWith "--json=$file: $why"
                }
            }
        } finally {
            folder.toFile().deleteRecursively()
        }
    }

    test("invalid arguments are rejected, and no file is written [CHK-05]") {
        for (arguments in listOf(listOf("--double", "--only=nothing"), listOf("--no-such-thing"))) {
            val run = gpu.check(*arguments.toTypedArray())
            withClue(run.output) {
                run.code shouldBe 2
                run.found shouldBe null
            }
        }
    }
}

/**
 * A program that runs a check and then prints which libraries of test-support its process has loaded, including
 * simulators of a runtime.
 */
object Loaded {
    @JvmStatic
    fun main(args: Array<String>) {
        val gpu = Class.forName(args[0]).getField("INSTANCE").get(null) as CheckedGpu
        val folder = createTempDirectory("gpu-check")
        gpuCheck(gpu, (args.drop(1) + "--json=${folder / "check.json"}").toTypedArray())
        folder.toFile().deleteRecursively()
        val loaded = File("/proc/self/maps").readLines().map { it.substringAfterLast(' ') }.filter {
            "/target/native/" in it || "libcuda" in it || "libamdhip64" in it
        }
        println("loaded libraries: ${loaded.distinct()}")
    }
}

private class CheckRun(val code: Int, val output: String, val found: Report?) {
    val report: Report get() = checkNotNull(found) { "no report: $output" }

    fun step(name: String): StepResult = report.steps.single { it.name == name }
}

/** Runs the check in a separate process, as a user does. */
private fun CheckedGpu.check(vararg arguments: String): CheckRun {
    val folder = createTempDirectory("gpu-check")
    try {
        val file = folder / "check.json"
        val child = ChildJvm.run(program, "--quick", "--json=$file", *arguments,
            options = childOptions() + FAST_START, seconds = 600)
        return CheckRun(child.exitCode, child.output, if (file.exists()) read<Report>(file) else null)
    } finally {
        folder.toFile().deleteRecursively()
    }
}
