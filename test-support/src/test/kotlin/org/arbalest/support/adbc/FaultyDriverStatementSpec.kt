// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Schema
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.CompletableFuture.supplyAsync
import java.util.concurrent.TimeUnit.SECONDS

/**
 * Tests of the simulated driver: its additions to DuckDB's statements, and the behaviours of other drivers that it has
 * on request.
 */
class FaultyDriverStatementSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val faulty by lazy { FaultyDriver.full }
    fun <T> driver(use: AdbcCalls.() -> T): T = AdbcCalls(faulty).use { it.open().use() }
    fun AdbcCalls.count(table: String, on: MemorySegment = statement) =
        AdbcCalls.rows(execute("SELECT count(*) AS n FROM $table", on)).single()["n"]

    test("a statement without a result returns a stream without columns") {
        driver {
            CData.importStream(execute("CREATE TABLE u (a INT)"), CImport.DATA).use { reader ->
                reader.schema().fields() shouldBe emptyList()
                reader.next() shouldBe null
            }
        }
    }

    test("a change that begins with WITH counts its rows, and does not reach the next database") {
        driver { update("WITH more AS (SELECT 100 AS id) INSERT INTO t (id) SELECT id FROM more") shouldBe 1 }
        driver { count("t") shouldBe 10 }
    }

    test("a global setting does not reach the next database") {
        fun AdbcCalls.order() = query("SELECT current_setting('default_order') AS it").single()["it"]
        val usual = driver { order() }
        driver {
            run("SET GLOBAL default_order = 'DESC'").status shouldBe Status.OK
            (order() == usual) shouldBe false
        }
        driver { order() shouldBe usual }
    }

    test("each bound row is executed, whether the batches are sliced or not") {
        driver {
            for (flavour in listOf(emptySet(), setOf(PeerStreams.Flavour.SLICED))) {
                val stream = stream()
                PeerStreams.stream(stream, 2, 3, flavour)
                ok("StatementSetSqlQuery", statement, "SELECT $2::VARCHAR AS b, $1::BIGINT AS a")
                ok("StatementBindStream", statement, stream)
                stream().let {
                    ok("StatementExecuteQuery", statement, it, null)
                    AdbcCalls.rows(it) shouldBe (0L until 6).map { row -> mapOf("b" to "row-$row", "a" to row) }
                }
                PeerStreams.stream(stream, 2, 3, flavour)
                ok("StatementSetSqlQuery", statement, "DELETE FROM t WHERE id = $1 AND ($2 IS NULL OR $2 <> 'x')")
                ok("StatementBindStream", statement, stream)
                val rows = arena.allocate(JAVA_LONG)
                ok("StatementExecuteQuery", statement, null, rows)
                rows.get(JAVA_LONG, 0) shouldBe if (flavour.isEmpty()) 6 else 0
            }
        }
    }

    test("bound data that is never executed is released with the statement, or by the next binding") {
        driver {
            repeat(2) {
                val stream = stream()
                PeerStreams.stream(stream, 2, 3)
                ok("StatementBindStream", statement, stream)
            }
        }
    }

    test("a failing bound stream gives IO with its message; on request it counts as the end, as in DuckDB") {
        driver {
            fun ingest(): Outcome {
                val stream = stream()
                PeerStreams.stream(stream, 5, 3, setOf(PeerStreams.Flavour.FAIL), at = 2, code = 5)
                ok("StatementSetOption", statement, "adbc.ingest.target_table", "u")
                ok("StatementBindStream", statement, stream)
                return call("StatementExecuteQuery", statement, null, null)
            }
            ingest().let { it.status shouldBe Status.IO; it.message shouldContain "the bound stream failed with 5" }
            run("SELECT * FROM u").status shouldBe Status.NOT_FOUND
            faulty.endBindingsThatFail()
            ingest().status shouldBe Status.OK
            count("u") shouldBe 6L
        }
    }

    test("a plan is a prefix of ten bytes and SQL, without a terminating zero") {
        driver {
            fun plan(text: String, size: Int = text.length) =
                call("StatementSetSubstraitPlan", statement, arena.allocateFrom(JAVA_BYTE, *text.toByteArray()),
                    size.toLong())
            plan("substrait\u0000SELECT 7XXX", 18).status shouldBe Status.OK
            stream().let {
                ok("StatementExecuteQuery", statement, it, null)
                AdbcCalls.rows(it)
            } shouldBe listOf(mapOf("7" to 7L))
            for (none in listOf("substrait SELECT 7", "substrait\u0000", "")) {
                plan(none).let { it.status shouldBe Status.INVALID_ARGUMENT; it.sqlstate shouldBe "42601" }
            }
        }
    }

    test("partitions are read on another connection, and incremental ones are returned one by one") {
        driver {
            val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
            val partitions = arena.allocate(40, 8)
            fun release() =
                Linker.nativeLinker().downcallHandle(partitions.get(ADDRESS, 32), FunctionDescriptor.ofVoid(ADDRESS))
                    .invokeWithArguments(partitions)
            fun execute(): List<ByteArray> {
                ok("StatementExecutePartitions", statement, schema, partitions, null)
                Schema.ofStruct(CData.importSchema(schema)).fields().map { it.name() } shouldBe listOf("id", "name")
                val count = partitions.get(JAVA_LONG, 0)
                val bytes = partitions.get(ADDRESS, 8).reinterpret(8 * count)
                val sizes = partitions.get(ADDRESS, 16).reinterpret(8 * count)
                faulty.live(FaultyDriver.Live.PARTITIONS) shouldBe 1
                return List(count.toInt()) { n ->
                    bytes.getAtIndex(ADDRESS, n.toLong()).reinterpret(sizes.getAtIndex(JAVA_LONG, n.toLong()))
                        .toArray(JAVA_BYTE)
                }.also { release() }
            }
            val other = connect()
            fun read(bytes: ByteArray): List<Any?> {
                val stream = stream()
                ok("ConnectionReadPartition", other, arena.allocateFrom(JAVA_BYTE, *bytes), bytes.size.toLong(), stream)
                return AdbcCalls.rows(stream).map { it["id"] }
            }
            ok("StatementSetSqlQuery", statement, "SELECT * FROM batches(10, 2)")
            val all = execute()
            all.map { it.contains(0) } shouldBe listOf(true, true, true)
            all.flatMap(::read).map { it as Long }.sorted() shouldBe (0L until 20).toList()
            ok("StatementSetOption", statement, "adbc.statement.exec.incremental", "true")
            ok("StatementSetOptionInt", statement, "fake.partitions", 2L)
            List(4) { execute().size } shouldBe listOf(1, 1, 0, 1)
            call("ConnectionReadPartition", other, arena.allocateFrom(JAVA_BYTE, 1, 2), 2L, stream()).let {
                it.status shouldBe Status.INVALID_ARGUMENT
                it.message shouldContain "2 bytes that are no partition"
            }
            ok("ConnectionRelease", other)
        }
    }

    test("an execution, a preparation or a schema request invalidates the earlier result") {
        driver {
            val first = execute("SELECT * FROM t")
            val second = stream()
            ok("StatementExecuteQuery", statement, second, null)
            AdbcCalls.failure(first).let {
                it.errno() shouldBe 22
                it.message shouldContain "the statement was executed again"
            }
            ok("StatementPrepare", statement)
            AdbcCalls.failure(second).message shouldContain "the statement was prepared again"
            CData.importStream(execute("SELECT * FROM t"), CImport.DATA).use { reader ->
                reader.next()!!.use { it.length() shouldBe 10 }
                val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
                ok("StatementExecuteSchema", statement, schema)
                AdbcCalls.fields(schema).size shouldBe 7
                runCatching { reader.next() }.exceptionOrNull()!!.message shouldContain "was executed again"
            }
        }
    }

    test("a driver that runs a query for GetOption rejects it during an execution, and counts the overlap") {
        driver {
            val size = arena.allocate(8, 8)
            val room = arena.allocate(64, 8)
            fun ask(): Outcome {
                size.set(JAVA_LONG, 0, 64)
                return call("ConnectionGetOption", connection, "adbc.connection.catalog", room, size)
            }

            /** Returns the outcome of `GetOption` while a query of the connection runs. */
            fun askMeanwhile(): Outcome {
                ok("StatementSetSqlQuery", statement, "SELECT * FROM stuck()")
                val stuck = supplyAsync { call("StatementExecuteQuery", statement, null, null).status }
                val deadline = System.nanoTime() + SECONDS.toNanos(5)
                while (faulty.held == 0L) check(System.nanoTime() < deadline) { "no query waits after 5 s" }
                    .also { Thread.onSpinWait() }
                return try {
                    ask()
                } finally {
                    faulty.letGo()
                    stuck.get(5, SECONDS) shouldBe Status.OK
                }
            }
            askMeanwhile().status shouldBe Status.OK
            faulty.overlaps shouldBe 0
            faulty.queryForOptions()
            askMeanwhile().let {
                it.status shouldBe Status.INVALID_STATE
                it.message shouldContain "another command is already in progress"
            }
            faulty.overlaps shouldBe 1
            ask().status shouldBe Status.OK
            room.getString(0) shouldBe "memory"
            faulty.overlaps shouldBe 1
        }
        faulty.reset() // the overlap also counted as a race
    }

    test("after a cancel that aborts the transaction, statements fail until a rollback, and a commit rolls back") {
        driver {
            fun cancelled() {
                val stream = execute("SELECT * FROM batches(3, 2)")
                ok("StatementCancel", statement)
                AdbcCalls.failure(stream).errno() shouldBe 125
            }
            fun isAborted() {
                run("SELECT 1").let { it.status shouldBe Status.INVALID_STATE; it.sqlstate shouldBe "25P02" }
                call("ConnectionGetTableTypes", connection, stream()).sqlstate shouldBe "25P02"
            }
            faulty.abortOnCancel()
            cancelled()
            count("t") shouldBe 10L // there was no transaction
            ok("ConnectionSetOption", connection, "adbc.connection.autocommit", "false")
            for (end in listOf("ConnectionRollback", "ConnectionCommit")) {
                update("DELETE FROM t")
                cancelled()
                isAborted()
                ok(end, connection)
                count("t") shouldBe 10L
            }
            update("DELETE FROM t")
            cancelled()
            ok("ConnectionSetOption", connection, "adbc.connection.autocommit", "true")
            count("t") shouldBe 10L
            faulty.abortOnCancel(false)
            ok("ConnectionSetOption", connection, "adbc.connection.autocommit", "false")
            update("DELETE FROM t WHERE id = 0")
            cancelled()
            ok("ConnectionCommit", connection)
            count("t") shouldBe 9L
        }
    }

    test("with one COPY, a result reads the rows of the last one, and ends with the next call of its connection") {
        driver {
            faulty.oneCopy()
            fun batches(n: Int, rows: Int, on: MemorySegment) =
                CData.importStream(execute("SELECT * FROM batches($n, $rows)", on), CImport.DATA)
            val other = arena.allocate(16, 8)
            ok("StatementNew", connection, other)
            batches(3, 2, statement).use { first ->
                batches(3, 5, other).use { second ->
                    first.next()!!.use { it.length() shouldBe 5 }
                    second.next()!!.use { it.length() shouldBe 5 }
                    ok("ConnectionSetOption", connection, "adbc.connection.autocommit", "false")
                    ok("ConnectionCommit", connection)
                    runCatching { second.next() }.exceptionOrNull()!!.message shouldContain "no COPY in progress"
                }
            }
            ok("StatementRelease", other)
        }
    }
})
