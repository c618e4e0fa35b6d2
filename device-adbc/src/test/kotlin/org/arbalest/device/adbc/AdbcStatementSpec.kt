// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.float16
import org.arbalest.coroutines.int64
import org.arbalest.coroutines.utf8
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.adbc.AdbcIngest.Mode
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import java.io.IOException

class AdbcStatementSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    fun <T> withStatement(block: (AdbcStatement) -> T): T = Faulty.connected { connection ->
        connection.createStatement().use(block)
    }

    fun parameters(n: Long, text: String): RecordBatch = Devices.cpu().batch(1) {
        int64("n", longArrayOf(n))
        utf8("s", listOf(text))
    }

    test("any change of a statement ends its earlier result, and the reader throws without a pull [ADB-05]") {
        val changes = mapOf<String, (AdbcStatement) -> Unit>(
            "execute" to { it.executeQuery().close() },
            "update" to { it.executeUpdate() },
            "query" to { it.setSqlQuery("SELECT 1") },
            "plan" to { it.setSubstraitPlan("substrait\u0000SELECT 1".toByteArray()) },
            "prepare" to { it.prepare() },
            "schema" to { it.executeSchema() },
            "partitions" to { it.executePartitions() },
            "ingest" to { it.setIngest(AdbcIngest.into("x")) },
            "bind" to { it.bind(ids(1)) },
            "bind a reader" to { it.bind(reader(1)) },
        )
        for (change in changes.values) {
            withStatement { statement ->
                val reader = statement.query("SELECT * FROM batches(3, 2)")
                reader.next()!!.close()
                change(statement)
                val pulls = c.calls("get_next")
                shouldThrow<DeviceException> { reader.next() }.message shouldContain
                    "the result has ended, because AdbcStatement"
                c.calls("get_next") shouldBe pulls
                c.live(org.arbalest.support.adbc.FaultyDriver.Live.STREAMS) shouldBe 0
                reader.close()
            }
        }
    }

    test("setting or reading options does not end a result [ADB-05]") {
        withStatement { statement ->
            statement.query("SELECT * FROM batches(3, 2)").use { reader ->
                statement.setOption("fake.user.x", "y")
                statement.getOption("fake.user.x") shouldBe "y"
                reader.rows().size shouldBe 6
            }
        }
    }

    test("a rejected argument neither ends a result nor changes the query [ADB-05]") {
        withStatement { statement ->
            statement.query("SELECT * FROM batches(3, 2)").use { reader ->
                shouldThrow<IllegalArgumentException> { statement.setSqlQuery("a\u0000b") }.message shouldBe
                    "sql has a NUL character at 1, where C would end it"
                for (target in listOf(
                    AdbcIngest.into("a\u0000"),
                    AdbcIngest.into("a").inCatalog("\u0000"),
                    AdbcIngest.into("a").inSchema("\u0000"),
                )) {
                    shouldThrow<IllegalArgumentException> { statement.setIngest(target) }.message shouldContain
                        "where C would end it"
                }
                reader.rows().size shouldBe 6
            }
            c.fail("StatementSetSqlQuery", status = AdbcStatus.INTERNAL.code())
            shouldThrow<AdbcException> { statement.setSqlQuery("SELECT 2") }.message shouldContain "; the SQL: SELECT 2"
            c.fail("StatementPrepare", status = AdbcStatus.INTERNAL.code())
            shouldThrow<AdbcException> { statement.prepare() }.message shouldContain
                "; the SQL: SELECT * FROM batches(3, 2)"
        }
    }

    test("a prepared statement returns its parameter schema, and executes once per bound row [ADB-09]") {
        withStatement { statement ->
            statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
            statement.prepare()
            statement.parameterSchema().fields().size shouldBe 1 // DuckDB does not know its type
            statement.executeSchema().fields().single().name() shouldBe "id"
            statement.bind(ids(3))
            statement.executeQuery().rows() shouldBe listOf(listOf(3L))
            statement.bind(ids(1, 4, 99, 7))
            statement.executeQuery().rows() shouldBe listOf(listOf(1L), listOf(4L), listOf(7L))
            statement.bind(reader(5, 6))
            statement.executeQuery().rows() shouldBe listOf(listOf(5L), listOf(6L))
        }
    }

    test("a wrong number of parameters is an error, and the parameters are released [ADB-09]") {
        withStatement { statement ->
            statement.setSqlQuery("SELECT ?, ?")
            statement.prepare()
            statement.bind(ids(1))
            shouldThrow<AdbcException> { statement.executeQuery() }.sqlState() shouldBe "07001"
            statement.bind(parameters(1, "x"))
            statement.executeQuery().rows() shouldBe listOf(listOf(1L, "x"))
        }
    }

    test("the bytes of a Substrait plan reach the driver [ADB-09]") {
        withStatement { statement ->
            statement.setSubstraitPlan("substrait\u0000SELECT id FROM t WHERE id < 2".toByteArray())
            statement.executeQuery().rows() shouldBe listOf(listOf(0L), listOf(1L))
            shouldThrow<AdbcException> {
                statement.setSubstraitPlan(byteArrayOf())
                statement.executeQuery()
            }.status() shouldBe AdbcStatus.INVALID_ARGUMENT
        }
    }

    test("executions return the number of affected rows [ADB-09]") {
        Faulty.connected { connection ->
            connection.execute("CREATE TABLE x (id BIGINT, s TEXT)")
            connection.execute("INSERT INTO x VALUES (1, 'a'), (2, NULL), (3, 'c')") shouldBe 3
            connection.execute("DELETE FROM x WHERE id > 1") shouldBe 2
            connection.createStatement().use { statement ->
                statement.setSqlQuery("INSERT INTO x VALUES (?, ?)")
                statement.prepare()
                for (n in 10L..12L) {
                    statement.bind(parameters(n, "row $n"))
                    statement.executeUpdate() shouldBe 1
                }
            }
            connection.query("SELECT * FROM x ORDER BY id").rows() shouldBe
                listOf(listOf(1L, "a"), listOf(10L, "row 10"), listOf(11L, "row 11"), listOf(12L, "row 12"))
        }
    }

    test("the number of affected rows is kept for executions that return a result [ADB-09]") {
        withStatement { statement ->
            statement.affectedRows() shouldBe -1
            statement.query("DELETE FROM t WHERE id < 4").use { statement.affectedRows() shouldBe 4 }
            statement.query("SELECT id FROM t").close()
            statement.affectedRows() shouldBe -1 // the driver does not know it
            statement.execute("DELETE FROM t WHERE id < 6") shouldBe 2
            statement.affectedRows() shouldBe 2
            shouldThrow<AdbcException> { statement.query("SELECT * FROM nowhere") }
            statement.affectedRows() shouldBe -1
            statement.close()
            shouldThrow<IllegalStateException> { statement.affectedRows() }.message shouldBe "the statement was closed"
        }
    }

    test("a query without a result has no columns and no rows [ADB-09]") {
        Faulty.connected { connection ->
            connection.query("CREATE TABLE y (id BIGINT)").use { reader ->
                reader.schema().fields().shouldBeEmpty()
                reader.next() shouldBe null
            }
            connection.createStatement().use {
                shouldThrow<AdbcException> { it.executeQuery() }.status() shouldBe AdbcStatus.INVALID_STATE
            }
        }
    }

    test("the batches of a result can be validated in full [ADB-09]") {
        withStatement { statement ->
            statement.setSqlQuery("SELECT * FROM t")
            statement.executeQuery(Validation.FULL).rows().size shouldBe 10
        }
    }

    test("batches are ingested in each mode, catalog and schema, from several batches or none [ADB-10]") {
        Faulty.connected { connection ->
            fun ids(table: String) = connection.query("SELECT id FROM $table ORDER BY id").rows().map { it.single() }
            connection.ingest("x", reader(1, 2)) shouldBe 2
            shouldThrow<AdbcException> { connection.ingest("x", reader(1)) }.status() shouldBe AdbcStatus.ALREADY_EXISTS
            connection.ingest(AdbcIngest.into("x").with(Mode.APPEND), reader(3)) shouldBe 1
            shouldThrow<AdbcException> { connection.ingest(AdbcIngest.into("no").with(Mode.APPEND), reader(3)) }
                .status() shouldBe AdbcStatus.NOT_FOUND
            ids("x") shouldBe listOf(1L, 2L, 3L)
            connection.ingest(AdbcIngest.into("x").with(Mode.REPLACE), ids(7)) shouldBe 1
            connection.ingest(AdbcIngest.into("x").with(Mode.CREATE_APPEND), ids(8)) shouldBe 1
            ids("x") shouldBe listOf(7L, 8L)
            connection.ingest(AdbcIngest.into("z").inCatalog("attic").inSchema("main"), reader(9))
            ids("attic.main.z") shouldBe listOf(9L)
            connection.ingest(AdbcIngest.into("w").inSchema("aux"), reader(4))
            ids("memory.aux.w") shouldBe listOf(4L)
            connection.ingest(AdbcIngest.into("tmp").temporary(), reader(5))
            ids("tmp") shouldBe listOf(5L)
            connection.ingest("empty", RecordBatchReader.of(IDS, listOf())) shouldBe 0
            ids("empty").shouldBeEmpty()
            connection.ingest("odd \"name\"", reader(1)) shouldBe 1
            connection.tableSchema("odd \"name\"") shouldBe connection.tableSchema("x")
        }
        shouldThrow<IllegalArgumentException> { AdbcIngest.into("x").inSchema("s").temporary() }.message shouldContain
            "a temporary table has no catalog and no schema"
    }

    test("a statement's target after a temporary one is not temporary [ADB-10]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            database.connect().use { connection ->
                connection.createStatement().use { statement ->
                    fun ingest(target: AdbcIngest) {
                        statement.setIngest(target)
                        statement.bind(ids(1))
                        statement.executeUpdate() shouldBe 1
                    }
                    ingest(AdbcIngest.into("a").temporary())
                    ingest(AdbcIngest.into("b"))
                    ingest(AdbcIngest.into("c").temporary())
                    ingest(AdbcIngest.into("d").inSchema("aux"))
                }
                database.connect().use { other ->
                    for (table in listOf("a", "c")) shouldThrow<AdbcException> { other.query("SELECT id FROM $table") }
                        .status() shouldBe AdbcStatus.NOT_FOUND
                    for (table in listOf("b", "memory.aux.d")) other.query("SELECT id FROM $table").single() shouldBe 1L
                }
            }
        }
    }

    test("a statement whose target had a catalog or schema rejects one without, and stays unchanged [ADB-10]") {
        Faulty.connected { connection ->
            for ((first, next) in mapOf(
                AdbcIngest.into("a").inSchema("aux") to AdbcIngest.into("b"),
                AdbcIngest.into("c").inSchema("aux") to AdbcIngest.into("d").temporary(),
                AdbcIngest.into("e").inCatalog("attic").inSchema("main") to AdbcIngest.into("f").inSchema("main"),
            )) {
                connection.createStatement().use { statement ->
                    statement.setIngest(first)
                    statement.bind(ids(1))
                    val calls = c.calls("StatementSetOption")
                    shouldThrow<IllegalStateException> { statement.setIngest(next) }.message shouldContain
                        "use a separate statement for each target"
                    c.calls("StatementSetOption") shouldBe calls
                    statement.executeUpdate() shouldBe 1
                    statement.setIngest(first.with(Mode.APPEND))
                    statement.bind(ids(2))
                    statement.executeUpdate() shouldBe 1
                }
            }
            connection.query("SELECT id FROM memory.aux.a").rows().size shouldBe 2
            connection.query("SELECT id FROM attic.main.e").rows().size shouldBe 2
        }
    }

    test("ingesting a type that the database lacks is an error, and the batch is closed [ADB-10]") {
        Faulty.connected { connection ->
            val halves = Devices.cpu().batch(1) { float16("h", floatArrayOf(1f)) }
            shouldThrow<AdbcException> { connection.ingest(AdbcIngest.into("h"), halves) }.let {
                it.status() shouldBe AdbcStatus.NOT_IMPLEMENTED
                it.sqlState() shouldBe "0A000"
            }
            halves.isOpen shouldBe false
        }
    }

    test("a failing bound reader throws its own error, with the driver's error suppressed [ADB-10]") {
        Faulty.connected { connection ->
            val error = shouldThrow<DeviceException> { connection.ingest("x", failing()) }
            error.message shouldContain "the tape tore"
            (error.cause is IOException) shouldBe true
            (error.suppressed.single() as AdbcException).operation() shouldBe "AdbcStatementExecuteQuery(x)"
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
                statement.prepare()
                statement.bind(failing())
                shouldThrow<DeviceException> { statement.executeQuery().rows() }.message shouldContain "the tape tore"
            }
        }
    }

    test("a bound reader's failure is not thrown by a later execution [ADB-10]") {
        withStatement { statement ->
            statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
            statement.prepare()
            statement.bind(failing())
            shouldThrow<DeviceException> { statement.executeQuery().rows() }.message shouldContain "the tape tore"
            statement.query("SELECT 1").single() shouldBe 1L
            statement.execute("SELECT 1")
        }
    }

    test("a bound reader is closed by its execution, whether that succeeds or fails [ADB-10]") {
        fun closes(sql: String, fails: Boolean, execution: (AdbcStatement) -> Unit) {
            var closed = 0
            val source = object : DeviceArrayReader.Source<RecordBatch> {
                private var pulls = 0

                override fun next(): RecordBatch? = if (pulls++ == 0) ids(3) else null

                override fun close() {
                    closed++
                }
            }
            withStatement { statement ->
                statement.setSqlQuery(sql)
                statement.prepare()
                statement.bind(RecordBatchReader.of(IDS, source))
                if (fails) c.fail("StatementExecuteQuery", status = AdbcStatus.INTERNAL.code())
                runCatching { execution(statement) }.isFailure shouldBe fails
                closed shouldBe 1
            }
        }
        closes("SELECT id FROM t WHERE id = ?", fails = false) { it.executeQuery().rows() shouldBe listOf(listOf(3L)) }
        closes("SELECT id FROM t WHERE id = ?", fails = true) { it.executeQuery() }
        closes("SELECT id FROM t WHERE id = ?", fails = true) { it.executeUpdate() }
        closes("SELECT id FROM t", fails = false) { it.executePartitions() } // the driver does not pull it
    }

    test("a failed binding leaves nothing behind [ADB-10]") {
        for (function in listOf("StatementBind", "StatementBindStream")) {
            withStatement { statement ->
                c.fail(function, status = AdbcStatus.INTERNAL.code())
                val batch = ids(1)
                val reader = reader(1, 2)
                shouldThrow<AdbcException> {
                    if (function == "StatementBind") statement.bind(batch) else statement.bind(reader)
                }.operation() shouldBe "Adbc$function"
                batch.close()
                reader.close()
            }
        }
    }

    test("bound data that is never executed, or is replaced, is released [ADB-10]") {
        withStatement { statement ->
            statement.setIngest(AdbcIngest.into("x"))
            statement.bind(ids(1))
            statement.bind(reader(1, 2))
            statement.bind(ids(3))
            statement.bind(reader(4))
            statement.bind(reader(5))
        }
    }

    test("a bound reader is closed when its ingestion ends, not when the statement closes [ADB-10]") {
        withStatement { statement ->
            val closed = java.util.concurrent.atomic.AtomicBoolean()
            val source = object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? = null

                override fun close() = closed.set(true)
            }
            statement.setIngest(AdbcIngest.into("x"))
            statement.bind(RecordBatchReader.of(IDS, source))
            statement.executeUpdate() shouldBe 0
            closed.get() shouldBe true
        }
    }

    for (onThread in listOf(false, true))
        test("a bound reader that uses the executing connection fails; pulled by a driver thread: $onThread [ADB-11]") {
            c.bindOnThread(onThread)
            Faulty.driver.open(mapOf<String, Any>()).use { database ->
                database.connect().use { connection ->
                    shouldThrow<DeviceException> {
                        connection.ingest("x", connection.query("SELECT id FROM t"))
                    }.message shouldContain
                        "this is a result of the connection that is executing with the batches that are produced here"
                    val asking = RecordBatchReader.of(IDS) {
                        connection.execute("SELECT 1")
                        null
                    }
                    shouldThrow<DeviceException> { connection.ingest("y", asking) }.cause!!.message shouldContain
                        "cannot use the connection here"
                    database.connect().use { other ->
                        connection.ingest("z", other.query("SELECT id FROM t")) shouldBe 10
                    }
                }
            }
        }

    test("a result that is read in part or not at all is released [ADB-13]") {
        Faulty.connected { connection ->
            connection.query("SELECT * FROM batches(100, 5)").close()
            connection.query("SELECT * FROM batches(100, 5)").use { it.next()!!.close() }
            c.calls("stream.unfinished") shouldBe 2
        }
    }

    test("a finished result, a failed result and a partition are not cancelled when closed [ADB-28]") {
        Faulty.connected { connection ->
            connection.query("SELECT * FROM batches(3, 2)").rows().size shouldBe 6
            connection.query("SELECT * FROM batches(3, 2)").use { reader ->
                c.fail("get_next", 2, Errno.EIO)
                reader.next()!!.close()
                shouldThrow<AdbcException> { reader.next() }
            }
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT id FROM t")
                connection.readPartition(statement.executePartitions().partitions().first()).close()
            }
            c.calls("stream.unfinished") shouldBe 2
            c.calls("StatementCancel") + c.calls("ConnectionCancel") shouldBe 0
        }
    }

    test(
        "closing a result cancels only the connection's last execution, since drivers may cancel per connection " +
            "[ADB-28]",
    ) {
        Faulty.connected { connection ->
            val first = connection.query("SELECT * FROM batches(3, 2)")
            val second = connection.query("SELECT * FROM batches(3, 2)")
            first.close()
            c.calls("StatementCancel") shouldBe 0
            second.close()
            c.calls("StatementCancel") shouldBe 1
            for (call in listOf({
                connection.ingest("x", reader(1))
            }, { connection.tableTypes() }, { connection.query("SELECT 1").single() })) {
                val before = connection.query("SELECT * FROM batches(3, 2)")
                call()
                before.close()
            }
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT id FROM t")
                val before = connection.query("SELECT * FROM batches(3, 2)")
                statement.executePartitions()
                before.close()
            }
            c.calls("StatementCancel") shouldBe 1
        }
    }

    test("changing a statement cancels its unread result [ADB-28]") {
        withStatement { statement ->
            statement.query("SELECT * FROM batches(3, 2)").use {
                statement.setSqlQuery("SELECT 1")
                c.calls("StatementCancel") shouldBe 1
            }
            statement.executeQuery().single() shouldBe 1L
            c.calls("StatementCancel") shouldBe 1
        }
    }

    test("a driver that cannot cancel, or fails to, is called at most once, and the result is released [ADB-28]") {
        c.missing("StatementCancel")
        Faulty.connected { it.query("SELECT * FROM batches(3, 2)").close() }
        c.reset()
        Faulty.connected(Faulty.old) { it.query("SELECT * FROM batches(3, 2)").close() }
        c.calls("StatementCancel") shouldBe 0
        c.fail("StatementCancel", status = AdbcStatus.UNKNOWN.code())
        Faulty.connected { it.query("SELECT * FROM batches(3, 2)").close() }
        c.calls("StatementCancel") shouldBe 1
        c.outstanding shouldBe 0
    }

    test("the progress of a query is readable while its result is pulled [ADB-03]") {
        withStatement { statement ->
            statement.query("SELECT * FROM batches(3, 2)").use { reader ->
                reader.next()!!.close()
                reader.next()!!.close()
                statement.progress() shouldBe 2.0
                (statement.maxProgress() > 0) shouldBe false // the maximum is not known
            }
        }
    }

    test("a partitioned result is read by other connections, and in incremental steps [ADB-22]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val parts = database.connect().use { connection ->
                connection.createStatement().use { statement ->
                    statement.setOption("fake.partitions", 4)
                    statement.setSqlQuery("SELECT id FROM t")
                    statement.executePartitions()
                }
            }
            parts.schema()!!.fields().single().name() shouldBe "id"
            parts.partitions().size shouldBe 4
            val rows = parts.partitions().flatMap { part -> database.connect().use { it.readPartition(part).rows() } }
            rows.map { it.single() } shouldContainExactlyInAnyOrder (0L..9L).toList()
            database.connect().use { connection ->
                connection.createStatement().use { statement ->
                    statement.setIncremental(true)
                    statement.setSqlQuery("SELECT id FROM t")
                    val steps = generateSequence {
                        statement.executePartitions().partitions().takeIf { it.isNotEmpty() }
                    }.toList()
                    steps.map { it.size } shouldBe listOf(1, 1, 1)
                    steps.flatten().flatMap { connection.readPartition(it).rows() }.size shouldBe 10
                }
                shouldThrow<AdbcException> { connection.readPartition(byteArrayOf(1, 2, 3)) }.status() shouldBe
                    AdbcStatus.INVALID_ARGUMENT
            }
        }
    }

    test("a partition has the schema that its result announced [ADB-22]") {
        for (sql in listOf("SELECT id FROM t", "SELECT * FROM batches(3, 5)")) {
            Faulty.connected { connection ->
                val parts = connection.createStatement().use { statement ->
                    statement.setSqlQuery(sql)
                    statement.executeSchema() shouldBe connection.query(sql).use { it.schema() }
                    statement.executePartitions()
                }
                connection.readPartition(parts.partitions().first()).use { it.schema().fields() } shouldBe
                    parts.schema()!!.fields()
            }
        }
    }

    test("a bound reader's failure is thrown by the execution, even if the driver treats it as the end [ADB-10]") {
        c.endBindingsThatFail()
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT ? AS x")
                statement.prepare()
                statement.bind(failing())
                shouldThrow<DeviceException> { statement.executeQuery() }.message shouldContain "the tape tore"
                c.live(Live.STREAMS) shouldBe 0
                c.live(Live.ARRAYS) shouldBe 0
                statement.query("SELECT 1").single() shouldBe 1L
            }
            connection.createStatement().use { statement ->
                statement.setIngest(AdbcIngest.into("torn"))
                statement.bind(failing())
                shouldThrow<DeviceException> { statement.executeUpdate() }.message shouldContain "the tape tore"
                statement.affectedRows() shouldBe -1
            }
        }
    }

    test("a target that the driver rejected is not remembered [ADB-10]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                for (refused in listOf(
                    AdbcIngest.into("a").inCatalog("nope"),
                    AdbcIngest.into("a").inSchema("nope"),
                    AdbcIngest.into("a").temporary(),
                )) {
                    c.fail("StatementSetOption", 3, AdbcStatus.NOT_IMPLEMENTED.code())
                    shouldThrow<AdbcException> { statement.setIngest(refused) }.status() shouldBe
                        AdbcStatus.NOT_IMPLEMENTED
                    val calls = c.calls("StatementSetOption")
                    statement.setIngest(AdbcIngest.into("a"))
                    c.calls("StatementSetOption") - calls shouldBe 2
                }
            }
        }
    }

    test(
        "bound data that was not executed is closed after its statement, so its source may use the connection " +
            "[ADB-11]",
    ) {
        Faulty.connected { connection ->
            var types = emptyList<String>()
            var statements = -1L
            val source = object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? = null

                override fun close() {
                    statements = c.live(Live.STATEMENTS)
                    types = connection.tableTypes()
                }
            }
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT ? AS x")
                statement.bind(RecordBatchReader.of(IDS, source))
            }
            statements shouldBe 0
            types.isEmpty() shouldBe false
        }
    }

    test("an execution returns its result even if closing the bound reader fails, so no caller repeats it [ADB-10]") {
        fun closingFails(): RecordBatchReader {
            val rows = listOf(3L, 4L).iterator()
            return RecordBatchReader.of(IDS, object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? = if (rows.hasNext()) ids(rows.next()) else null

                override fun close() = throw IOException("the tape is stuck")
            })
        }
        Faulty.connected { connection ->
            connection.ingest("x", closingFails()) shouldBe 2
            connection.query("SELECT COUNT(*) FROM x").single() shouldBe 2L
            connection.createStatement().use { statement ->
                statement.setSqlQuery("DELETE FROM x WHERE id = ?")
                statement.bind(closingFails())
                statement.executeUpdate() shouldBe 2
                statement.setSqlQuery("SELECT id FROM t")
                statement.bind(closingFails())
                statement.executePartitions().partitions().isEmpty() shouldBe false
            }
        }
    }

    test("ingest closes its batch on success, and after a failure in any step [ADB-10]") {
        Faulty.connected { connection ->
            connection.ingest("x", ids(1, 2)) shouldBe 2
            connection.ingest(AdbcIngest.into("x").with(Mode.APPEND), ids(3)) shouldBe 1
            connection.query("SELECT COUNT(*) FROM x").single() shouldBe 3L
            for (function in listOf("StatementNew", "StatementSetOption", "StatementBind", "StatementExecuteQuery")) {
                c.fail(function, status = AdbcStatus.IO.code())
                val batch = ids(1)
                shouldThrow<AdbcException> { connection.ingest("y", batch) }.status() shouldBe AdbcStatus.IO
                batch.isOpen shouldBe false
            }
        }
        val batch = ids(1)
        val closed = Faulty.driver.open(mapOf<String, Any>()).use { database -> database.connect().also { it.close() } }
        shouldThrow<IllegalStateException> { closed.ingest("x", batch) }
        batch.isOpen shouldBe false
    }
})
