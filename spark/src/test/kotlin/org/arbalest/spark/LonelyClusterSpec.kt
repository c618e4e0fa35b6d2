// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.testkit.ChildJvm
import kotlin.time.Duration.Companion.seconds

/** What can be done once in a process only. */
class LonelyClusterSpec : FunSpec({
    test("SPK-06 executors that have used their devices, and their application, end at once") {
        val child = ChildJvm.run(LonelyCluster::class, options = listOf("--add-opens=java.base/sun.util.calendar=ALL-UNNAMED"), seconds = 120)
        withClue(child.output) {
            child.exitCode shouldBe 0
            child.output shouldContain "rows: 1200"
            val executors = child.output.substringAfter("executors: ").substringBefore('\n').split(", ").map { it.trim().toLong() }
            executors shouldHaveSize 2
            eventually(20.seconds) { executors.filter { ProcessHandle.of(it).isPresent } shouldBe listOf() }
        }
    }
})
