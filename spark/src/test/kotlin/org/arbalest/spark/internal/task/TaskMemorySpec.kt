// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.TaskContext
import org.arbalest.spark.Arbalest
import org.arbalest.spark.Cluster
import kotlin.time.Duration.Companion.seconds

private const val MIB = 1L shl 20

class TaskMemorySpec : FunSpec({
    afterTest {
        eventually(20.seconds) { Cluster.ledgers().values.toSet() shouldBe setOf("0") }
    }

    test("SPK-14 memory of a source's that is not shown any more is given back without a failure, however much was made meanwhile; what that is, the next count says") {
        val said = Arbalest.columns(Cluster.session.range(0, 1, 1, 1).toDF()) { _, _ ->
            val memory = TaskMemory(TaskContext.get())
            memory.show(80 * MIB)
            val made = memory.manager().allocate(200 * MIB, 64)
            memory.hide(80 * MIB)
            val tooMuch = runCatching(memory::count).exceptionOrNull()?.message
            made.close()
            memory.count()
            memory.show(100 * MIB) // there is room for it again
            memory.hide(100 * MIB)
            memory.end()
            tooMuch
        }
        said.collect().single()!! shouldContain "need ${120 * MIB} bytes besides ${80 * MIB}, and it gives ${48 * MIB}"
    }
})
