// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DataType
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Devices
import org.arbalest.device.TimeUnit
import org.arbalest.device.abi.ArrowArrayStruct
import org.arbalest.device.abi.ArrowSchemaStruct
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.PeerStreams
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_DOUBLE
import java.lang.foreign.ValueLayout.JAVA_LONG

/** The ADBC double: its SQL, parameters, plans, ingestion, partitions and transactions. */
class AdbcDoubleQuerySpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)
    extension(AdbcDoubleExtension())

    fun <T> driver(use: AdbcCalls.() -> T): T = AdbcCalls(AdbcDouble.full).use { it.open().use() }

    test("the sample table, whole and in part") {
        driver {
            query("SELECT * FROM t WHERE id = 6") shouldBe
                listOf(mapOf("id" to 6L, "name" to null, "price" to 3.0, "flag" to true, "day" to 20006L, "at" to 6000000L, "raw" to query("SELECT raw FROM t WHERE id = 6").single()["raw"]))
            (query("SELECT raw FROM t WHERE id = 6").single()["raw"] as ByteArray).toList() shouldBe listOf<Byte>(6, 6)
            query("SELECT id FROM t") shouldBe (0L until 10).map { mapOf("id" to it) }
            query("SELECT name, id AS number FROM memory.main.t ORDER BY id DESC LIMIT 2;") shouldBe listOf(mapOf("name" to "row-9", "number" to 9L), mapOf("name" to "row-8", "number" to 8L))
            query("select name from t order by \"name\" asc nulls last limit 0") shouldBe emptyList<Any>()
            query("SELECT name FROM t ORDER BY name NULLS LAST").last() shouldBe mapOf("name" to null)
            query("SELECT name FROM t ORDER BY name").first() shouldBe mapOf("name" to null)
            query("SELECT COUNT(*) FROM t WHERE name <> 'row-1'") shouldBe listOf(mapOf("count" to 8L))
            query("SELECT 42, -1.5 AS half, 'it''s', NULL AS nothing, TRUE AS yes, CAST('7' AS TEXT) AS t") shouldBe
                listOf(mapOf("42" to 42L, "half" to -1.5, "it's" to "it's", "nothing" to null, "yes" to true, "t" to "7"))
        }
    }

    test("batches are of as many rows as is asked for, and the count is told") {
        driver {
            ok("StatementSetOptionInt", statement, "double.batch_rows", 4L)
            DeviceArrayReader.importStream(execute("SELECT id FROM t")).use { reader ->
                generateSequence { reader.next() }.map { batch -> batch.use { it.length() } }.toList() shouldBe listOf(4L, 4L, 2L)
            }
            val progress = arena.allocate(JAVA_DOUBLE)
            for ((key, expected) in listOf("adbc.statement.exec.progress" to 3.0, "adbc.statement.exec.max_progress" to 3.0)) {
                ok("StatementGetOptionDouble", statement, key, progress)
                progress.get(JAVA_DOUBLE, 0) shouldBe expected
            }
            update("SELECT * FROM t") shouldBe 10
            update("SELECT * FROM batches(3, 2)") shouldBe -1
        }
    }

    test("what is wrong with a query is said, with a code") {
        driver {
            fun refused(sql: String, status: Int, sqlstate: String) = run(sql).let { it.status shouldBe status; it.sqlstate shouldBe sqlstate; it.message!! }
            refused("this is not a query", Status.INVALID_ARGUMENT, "42601") shouldContain "expected SELECT, INSERT, DELETE, CREATE or DROP before \"this is not"
            refused("SELECT * FROM t LIMIT", Status.INVALID_ARGUMENT, "42601") shouldContain "expected a value before \"the end\""
            refused("SELECT 'abc", Status.INVALID_ARGUMENT, "42601") shouldContain "the end of what is quoted"
            refused("SELECT * FROM aux.t", Status.NOT_FOUND, "42P01") shouldBe "StatementExecuteQuery: there is no table aux.t"
            refused("SELECT nope FROM t", Status.INVALID_ARGUMENT, "42703") shouldContain "nope"
            refused("SELECT * FROM t WHERE name < 3", Status.INVALID_ARGUMENT, "42883") shouldContain "TEXT and BIGINT"
            refused("SELECT * FROM mystery(1)", Status.INVALID_ARGUMENT, "42883") shouldContain "mystery of 1 arguments"
            refused("CREATE TABLE nowhere.x.y (a INT)", Status.NOT_FOUND, "3F000") shouldContain "nowhere.x"
            refused("CREATE TABLE t (a INT)", Status.ALREADY_EXISTS, "42P07") shouldContain "t already"
            refused("CREATE TABLE u (a INT, a INT)", Status.INVALID_ARGUMENT, "42701") shouldContain "a is there twice"
            refused("DROP TABLE u", Status.NOT_FOUND, "42P01") shouldContain "u"
            refused("SELECT CAST(1e AS INT)", Status.INVALID_ARGUMENT, "42601") shouldContain "AS"
        }
    }

    test("tables are made, filled, emptied and dropped; constraints hold") {
        driver {
            update("CREATE TABLE u (a INT PRIMARY KEY, b TEXT DEFAULT 'none', c DOUBLE, UNIQUE (b, c))") shouldBe -1
            update("INSERT INTO u VALUES (1, 'x', 2), (2, NULL, NULL)") shouldBe 2
            update("INSERT INTO u (c, a) VALUES (0.5, 3)") shouldBe 1
            query("SELECT * FROM u") shouldContainExactly
                listOf(mapOf("a" to 1L, "b" to "x", "c" to 2.0), mapOf("a" to 2L, "b" to null, "c" to null), mapOf("a" to 3L, "b" to "none", "c" to 0.5))
            run("INSERT INTO u VALUES (4, 'y', 1), (1, 'z', 1)").let { it.status shouldBe Status.INTEGRITY; it.sqlstate shouldBe "23505" }
            run("INSERT INTO u VALUES (4, 'none', 0.5)").sqlstate shouldBe "23505"
            run("INSERT INTO u (b) VALUES ('y')").let { it.status shouldBe Status.INTEGRITY; it.sqlstate shouldBe "23502" }
            run("INSERT INTO u VALUES (3000000000, 'y', 1)").let { it.status shouldBe Status.INVALID_DATA; it.sqlstate shouldBe "22003" }
            run("INSERT INTO u VALUES ('4', 'y', 1)").sqlstate shouldBe "42804"
            run("INSERT INTO u VALUES (4)").sqlstate shouldBe "42601"
            query("SELECT COUNT(*) FROM u") shouldBe listOf(mapOf("count" to 3L))
            update("DELETE FROM u WHERE a >= 2") shouldBe 2
            update("DROP TABLE u")
            update("DROP TABLE IF EXISTS u")
            run("SELECT * FROM u").status shouldBe Status.NOT_FOUND
        }
    }

    test("what is not a query gives a stream without columns, if one is asked for") {
        driver {
            DeviceArrayReader.importStream(execute("CREATE TABLE u (a INT)")).use { it.schema().fields() shouldBe emptyList(); it.next() shouldBe null }
        }
    }

    test("parameters: their schema, a batch, a stream, too many and too few") {
        driver {
            val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
            ok("StatementSetSqlQuery", statement, "SELECT id, name FROM t WHERE id >= ? LIMIT ?")
            ok("StatementPrepare", statement)
            ok("StatementGetParameterSchema", statement, schema)
            AdbcCalls.fields(schema).map { "${it.name()} ${it.type()}" } shouldBe listOf("id int64", " int64")
            ok("StatementExecuteSchema", statement, schema)
            AdbcCalls.fields(schema).map { it.name() } shouldBe listOf("id", "name")
            fun bind(vararg values: List<Long>) {
                val batch = Devices.cpu().batchBuilder().use { builder ->
                    values.forEachIndexed { i, column -> builder.column("p$i", DataType.INT64, column) }
                    builder.build()
                }
                val array = arena.allocate(ArrowArrayStruct.LAYOUT)
                batch.schema().exportSchema(schema)
                batch.exportArray(array)
                ok("StatementBind", statement, array, schema)
                ArrowArrayStruct.release(array.address()) shouldBe 0
                ArrowSchemaStruct.release(schema.address()) shouldBe 0
            }
            fun result() = stream().let { ok("StatementExecuteQuery", statement, it, null); AdbcCalls.rows(it) }
            bind(listOf(3, 8), listOf(1, 5))
            result().map { it["id"] } shouldBe listOf(3L, 8L, 9L)
            call("StatementExecuteQuery", statement, null, null).let { it.status shouldBe Status.INVALID_STATE; it.sqlstate shouldBe "07002" }
            bind(listOf(1))
            call("StatementExecuteQuery", statement, null, null).let {
                it.status shouldBe Status.INVALID_ARGUMENT
                it.message shouldBe "StatementExecuteQuery: the query has 2 parameters, and 1 are bound"
            }
            val stream = stream()
            PeerStreams.stream(stream, 2, 3)
            ok("StatementSetSqlQuery", statement, "SELECT $2 AS b, $1 AS a")
            ok("StatementBindStream", statement, stream)
            result() shouldBe (0L until 6).map { mapOf("b" to "row-$it", "a" to it) }
            ok("StatementSetSqlQuery", statement, "INSERT INTO child VALUES (?, 0, ?)")
            ok("StatementPrepare", statement)
            ok("StatementGetParameterSchema", statement, schema)
            AdbcCalls.fields(schema).map { "${it.name()} ${it.type()}" } shouldBe listOf("id int64", "label utf8")
            PeerStreams.stream(stream, 2, 3)
            ok("StatementBindStream", statement, stream)
            ok("StatementExecuteQuery", statement, null, null)
            query("SELECT COUNT(*) FROM child") shouldBe listOf(mapOf("count" to 6L))
            bind(listOf(1)) // and never executed
        }
    }

    test("what is bound and never executed is released with the statement, or by what is bound next") {
        driver {
            val stream = stream()
            repeat(2) {
                PeerStreams.stream(stream, 2, 3)
                ok("StatementBindStream", statement, stream)
            }
            call("StatementBindStream", statement, stream).let { it.status shouldBe Status.INVALID_ARGUMENT; it.message shouldContain "was released" }
        }
    }

    test("a bound stream that fails is IO, with its text") {
        driver {
            val stream = stream()
            PeerStreams.stream(stream, 5, 3, setOf(PeerStreams.Flavour.FAIL), at = 2, code = 5)
            ok("StatementSetOption", statement, "adbc.ingest.target_table", "u")
            ok("StatementBindStream", statement, stream)
            call("StatementExecuteQuery", statement, null, null).let { it.status shouldBe Status.IO; it.message shouldContain "the bound stream failed with 5" }
            run("SELECT * FROM u").status shouldBe Status.NOT_FOUND
        }
    }

    test("a plan is ten bytes and SQL, without a zero behind it") {
        driver {
            fun plan(text: String, size: Int = text.length) =
                call("StatementSetSubstraitPlan", statement, arena.allocateFrom(JAVA_BYTE, *text.toByteArray()), size.toLong())
            plan("substrait\u0000SELECT 7XXX", 18).status shouldBe Status.OK
            stream().let { ok("StatementExecuteQuery", statement, it, null); AdbcCalls.rows(it) } shouldBe listOf(mapOf("7" to 7L))
            for (none in listOf("substrait SELECT 7", "substrait\u0000", "")) plan(none).let { it.status shouldBe Status.INVALID_ARGUMENT; it.sqlstate shouldBe "42601" }
        }
    }

    test("ingestion in each mode") {
        driver {
            fun ingest(mode: String?, rows: Long = 5, vararg options: Pair<String, String>): Outcome {
                val stream = stream()
                PeerStreams.stream(stream, 1, rows)
                if (mode != null) ok("StatementSetOption", statement, "adbc.ingest.mode", "adbc.ingest.mode.$mode")
                ok("StatementSetOption", statement, "adbc.ingest.target_table", "u")
                for ((key, value) in options) ok("StatementSetOption", statement, "adbc.ingest.$key", value)
                ok("StatementBindStream", statement, stream)
                val count = arena.allocate(JAVA_LONG)
                return call("StatementExecuteQuery", statement, null, count).also { if (it.status == Status.OK) count.get(JAVA_LONG, 0) shouldBe rows }
            }
            fun count() = query("SELECT COUNT(*) FROM u").single()["count"]
            ingest("append").let { it.status shouldBe Status.NOT_FOUND; it.sqlstate shouldBe "42P01" }
            ingest("create").status shouldBe Status.OK
            count() shouldBe 5L
            ingest("create").let { it.status shouldBe Status.ALREADY_EXISTS; it.sqlstate shouldBe "42P07" }
            ingest("append", 3).status shouldBe Status.OK
            count() shouldBe 8L
            ingest("replace", 2).status shouldBe Status.OK
            count() shouldBe 2L
            ingest("create_append").status shouldBe Status.OK
            count() shouldBe 7L
            query("SELECT name FROM u WHERE id = 4") shouldBe listOf(mapOf("name" to "row-4"))
            update("DROP TABLE u")
            ingest("create_append", 1).status shouldBe Status.OK
            update("DROP TABLE u")
            update("CREATE TABLE u (id BIGINT, title TEXT)")
            ingest("append").let { it.status shouldBe Status.ALREADY_EXISTS; it.message shouldContain "column 1 of table u is title u, what is ingested name u" }
            call("StatementSetOption", statement, "adbc.ingest.mode", "sideways").status shouldBe Status.INVALID_ARGUMENT
            ok("StatementRelease", statement)
            ok("StatementNew", connection, statement)
            ingest(null, 4, "target_catalog" to "attic", "target_db_schema" to "main").status shouldBe Status.OK
            query("SELECT COUNT(*) FROM attic.main.u") shouldBe listOf(mapOf("count" to 4L))
            ingest(null, 4, "temporary" to "true").let { it.status shouldBe Status.INVALID_STATE; it.message shouldContain "a temporary table is in no catalog" }
            ok("StatementRelease", statement)
            ok("StatementNew", connection, statement)
            ingest(null, 6, "temporary" to "true").status shouldBe Status.OK
            count() shouldBe 6L // before that of the same name in the current schema
            val other = connect()
            val there = arena.allocate(16, 8)
            ok("StatementNew", other, there)
            AdbcCalls.rows(execute("SELECT COUNT(*) FROM u", there)) shouldBe listOf(mapOf("count" to 0L))
            ok("StatementRelease", there)
            ok("ConnectionRelease", other)
        }
    }

    test("ingestion of each type: what tables have comes back, what they lack is named") {
        driver {
            ok("StatementSetOption", statement, "adbc.ingest.mode", "adbc.ingest.mode.replace")
            val refused = mutableListOf<String>()
            val types = listOf(
                DataType.INT8, DataType.UINT64, DataType.FLOAT32, DataType.BOOL, DataType.LARGE_UTF8, DataType.BINARY, DataType.DATE32,
                DataType.timestamp(TimeUnit.SECOND, "UTC"), DataType.FLOAT16, DataType.decimal128(9, 2), DataType.dictionary(DataType.INT8, DataType.UTF8),
            )
            for (type in types) {
                val batch = Devices.cpu().batchBuilder().use { it.column("v", type, listOf(null, null, null)).build() }
                val reader = DeviceArrayReader.of(batch.schema(), listOf(batch))
                val stream = stream()
                reader.exportStream(stream)
                ok("StatementSetOption", statement, "adbc.ingest.target_table", "u")
                ok("StatementBindStream", statement, stream)
                val outcome = call("StatementExecuteQuery", statement, null, null)
                if (outcome.status == Status.OK) query("SELECT * FROM u") shouldBe List(3) { mapOf("v" to null) }
                else refused += "${outcome.status} ${outcome.sqlstate} ${outcome.message}"
            }
            refused shouldBe listOf("e", "d:9,2", "c with a dictionary").map { "2 0A000 StatementExecuteQuery: column v is $it, which tables have no type for" }
        }
    }

    test("partitions are read on another connection; incrementally they come one by one") {
        driver {
            val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
            val partitions = arena.allocate(40, 8)
            fun release() = Linker.nativeLinker().downcallHandle(partitions.get(ADDRESS, 32), FunctionDescriptor.ofVoid(ADDRESS)).invokeWithArguments(partitions)
            fun execute(): List<ByteArray> {
                ok("StatementExecutePartitions", statement, schema, partitions, null)
                AdbcCalls.fields(schema).map { it.name() } shouldBe listOf("id", "name")
                val count = partitions.get(JAVA_LONG, 0)
                val bytes = partitions.get(ADDRESS, 8).reinterpret(8 * count)
                val sizes = partitions.get(ADDRESS, 16).reinterpret(8 * count)
                return (0 until count).map { bytes.getAtIndex(ADDRESS, it).reinterpret(sizes.getAtIndex(JAVA_LONG, it)).toArray(JAVA_BYTE) }.also {
                    AdbcDouble.full.live(AdbcDouble.Live.PARTITIONS) shouldBe 1
                    release()
                }
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
            read(all[1]) shouldBe listOf(2L, 3L, 8L, 9L, 14L, 15L)
            ok("StatementSetOption", statement, "adbc.statement.exec.incremental", "true")
            ok("StatementSetOptionInt", statement, "double.partitions", 2L)
            List(4) { execute().size } shouldBe listOf(1, 1, 0, 1)
            call("ConnectionReadPartition", other, arena.allocateFrom(JAVA_BYTE, 1, 2), 2L, stream()).let { it.status shouldBe Status.INVALID_ARGUMENT; it.message shouldContain "2 bytes that are no partition" }
            ok("ConnectionRelease", other)
        }
    }

    test("a transaction is a snapshot; one that comes too late is rolled back") {
        driver {
            val other = connect()
            val there = arena.allocate(16, 8)
            ok("StatementNew", other, there)
            fun seen(on: MemorySegment) = AdbcCalls.rows(execute("SELECT COUNT(*) FROM child", on)).single()["count"]
            for (end in listOf("ConnectionCommit", "ConnectionRollback")) call(end, connection).let { it.status shouldBe Status.INVALID_STATE; it.sqlstate shouldBe "25000" }
            ok("ConnectionSetOption", connection, "adbc.connection.autocommit", "false")
            update("INSERT INTO child VALUES (1, 0, 'a')")
            listOf(statement, there).map(::seen) shouldBe listOf(1L, 0L)
            ok("ConnectionRollback", connection)
            seen(statement) shouldBe 0L
            update("INSERT INTO child VALUES (1, 0, 'a')")
            ok("ConnectionCommit", connection)
            listOf(statement, there).map(::seen) shouldBe listOf(1L, 1L)
            update("INSERT INTO child VALUES (2, 0, 'b')")
            run("INSERT INTO child VALUES (3, 0, 'c')", there).status shouldBe Status.OK
            call("ConnectionCommit", connection).let { it.status shouldBe Status.INTEGRITY; it.sqlstate shouldBe "40001" }
            listOf(statement, there).map(::seen) shouldBe listOf(2L, 2L)
            ok("ConnectionCommit", connection)
            ok("ConnectionSetOption", connection, "adbc.connection.autocommit", "true")
            ok("ConnectionSetOption", connection, "adbc.connection.readonly", "true")
            run("DROP TABLE child").let { it.status shouldBe Status.INVALID_STATE; it.sqlstate shouldBe "25006" }
            val level = "adbc.connection.transaction.isolation"
            ok("ConnectionSetOption", connection, "${level}_level", "$level.snapshot")
            call("ConnectionSetOption", connection, "${level}_level", "$level.serializable").status shouldBe Status.NOT_IMPLEMENTED
            call("ConnectionSetOption", connection, "adbc.connection.autocommit", "perhaps").status shouldBe Status.INVALID_ARGUMENT
            call("ConnectionSetOption", connection, "adbc.connection.catalog", "nowhere").status shouldBe Status.NOT_FOUND
            ok("ConnectionSetOption", connection, "adbc.connection.catalog", "attic")
            run("SELECT * FROM t").status shouldBe Status.NOT_FOUND
            ok("StatementRelease", there)
            ok("ConnectionRelease", other)
        }
    }

    test("executing again, preparing and asking for a schema invalidate the result before") {
        driver {
            val first = execute("SELECT * FROM t")
            val second = stream()
            ok("StatementExecuteQuery", statement, second, null)
            AdbcCalls.failure(first).let { it.errno() shouldBe 22; it.message shouldContain "the statement was executed again" }
            ok("StatementPrepare", statement)
            AdbcCalls.failure(second).message shouldContain "the statement was prepared again"
            val third = execute("SELECT * FROM t")
            val reader = DeviceArrayReader.importStream(third)
            reader.next()!!.use { it.length() shouldBe 10 }
            val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
            ok("StatementExecuteSchema", statement, schema)
            AdbcCalls.fields(schema).size shouldBe 7
            runCatching { reader.next() }.exceptionOrNull()!!.message shouldContain "was executed again"
            reader.close()
        }
    }
})
