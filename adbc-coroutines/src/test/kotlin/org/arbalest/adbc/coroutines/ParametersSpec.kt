// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension

class ParametersSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    test("queries, executions and flows receive parameters by value, with or without a dispatcher [ADB-29]") {
        connected { connection ->
            connection.awaitExecute("CREATE TABLE x (id BIGINT, name TEXT)")
            connection.awaitExecute("INSERT INTO x VALUES (?, ?)", 1, null) shouldBe 1
            val rows = listOf(listOf(2L, "b"), listOf(3, null))
            connection.awaitExecuteMany("INSERT INTO x VALUES (?, ?)", rows) shouldBe 2
            connection.awaitQuery("SELECT id FROM x WHERE id > ? AND name IS NULL", 1).use { reader ->
                reader.next()!!.use { it.ids() shouldBe listOf(3L) }
            }
            connection.awaitQuery("SELECT id FROM x WHERE id > ?", 2, dispatcher = Dispatchers.IO).use { reader ->
                reader.next()!!.use { it.ids() shouldBe listOf(3L) }
            }
            connection.awaitQuery("SELECT id FROM x", Dispatchers.IO).close()
            val flow = connection.queryFlow("SELECT id FROM x WHERE id < ? ORDER BY id", 3)
            repeat(2) { flow.map { it.ids() }.toList() shouldBe listOf(listOf(1L, 2L)) }
            connection.awaitExecute("DELETE FROM x WHERE id = ? OR id = ?", 1, 2,
                dispatcher = Dispatchers.IO) shouldBe 2
            connection.awaitExecute("DELETE FROM x", *arrayOf<Any?>()) shouldBe 1
        }
    }

    test("a parameter without a column is an error that leaves nothing behind [ADB-29]") {
        connected { connection ->
            shouldThrow<IllegalArgumentException> { connection.awaitQuery("SELECT ?", Any()) }.message shouldContain
                "parameter 1 is the class Object"
            shouldThrow<IllegalArgumentException> { connection.awaitExecute("SELECT ?", 1, Any()) }
                .message shouldContain "parameter 2 is the class Object"
            c.live(Live.STATEMENTS) shouldBe 0
        }
    }

    test("a cancellation reaches an execution of many rows [ADB-24]") {
        connected { connection ->
            c.hold("StatementExecuteQuery")
            val job = launch(Dispatchers.Default) {
                connection.awaitExecuteMany("DELETE FROM t WHERE id = ?", listOf(listOf(1), listOf(2)))
            }
            awaitHeld()
            job.cancelAndJoin()
            c.live(Live.STATEMENTS) shouldBe 0
            connection.count() shouldBe 10
        }
    }
})
