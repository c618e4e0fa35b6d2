// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.ChildJvm

/** Tests that each run a JVM with other options. */
class RecordingSoakSpec : FunSpec({
    test("a leak is recorded with the place that created the handle") {
        val child = ChildJvm.run(RecordedLeak::class, options = listOf("-Dorg.arbalest.leaks=true"))
        withClue(child.output) {
            child.exitCode shouldBe 0
            child.output shouldContain "recorded: RecordBatch struct<n: int32>, 1 row, on CPU, 64 bytes"
            child.output shouldContain
                Regex("""made: by the thread main\s+at [^\n]*\n(\s+at [^\n]*\n)*?\s+at [^\n]*RecordedLeak\.leak""")
        }
    }

    test("arrays cross without jdk.jfr and java.management, and registering a bean throws a clear error [MOD-03]") {
        val child = ChildJvm.run(WithoutModules::class, options = listOf("--limit-modules", "java.base"))
        withClue(child.output) {
            child.exitCode shouldBe 0
            child.output shouldContain "3 rows, jdk.jfr: false, java.management: false\n"
            child.output shouldContain "UnsupportedOperationException: the JDK's module java.management is missing"
        }
    }

    test("exchanging arrays without a recording does not start the flight recorder") {
        val child = ChildJvm.run(WithoutRecorder::class)
        withClue(child.output) {
            child.exitCode shouldBe 0
            child.output shouldContain "recorder: false"
        }
    }
})
