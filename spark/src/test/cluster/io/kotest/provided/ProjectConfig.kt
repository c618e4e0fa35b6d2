// SPDX-License-Identifier: Apache-2.0
package io.kotest.provided

import io.kotest.core.config.AbstractProjectConfig
import io.kotest.core.extensions.Extension
import io.kotest.core.listeners.AfterTestListener
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import org.arbalest.spark.Cluster

/**
 * Stops Spark before the JVM exits, because workers that exit would start executors again. A test fails if Spark lost
 * an executor or a task, unless the test has queried these failures itself.
 */
class ProjectConfig : AbstractProjectConfig() {
    override val extensions: List<Extension> = listOf(NothingMended)

    override suspend fun afterProject() {
        try {
            Cluster.mended() shouldBe listOf()
        } finally {
            Cluster.stop()
        }
    }
}

private object NothingMended : AfterTestListener {
    override suspend fun afterTest(testCase: TestCase, result: TestResult) {
        Cluster.mended() shouldBe listOf()
    }
}
