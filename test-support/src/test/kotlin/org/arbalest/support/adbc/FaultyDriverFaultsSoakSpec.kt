// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriver.Style
import org.arbalest.support.adbc.FaultyDriver.Threads
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletableFuture.supplyAsync
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** Tests of the simulated driver: its planned faults, and its detection of callers that break a rule. */
class FaultyDriverFaultsSoakSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val threads = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
    afterSpec { threads.shutdownNow() }

    val faulty by lazy { FaultyDriver.full }
    fun <T> driver(use: AdbcCalls.() -> T): T = AdbcCalls(faulty).use { it.open().use() }
    fun <T> elsewhere(block: () -> T): CompletableFuture<T> = supplyAsync(block, threads)
    fun <T> CompletableFuture<T>.await(): T = get(5, SECONDS)

    /** Waits until exactly [count] calls wait in the driver. */
    fun untilHeld(count: Long) {
        val deadline = System.nanoTime() + SECONDS.toNanos(5)
        while (faulty.held != count) check(System.nanoTime() < deadline) { "${faulty.held} calls wait, not $count" }
            .also { Thread.onSpinWait() }
    }

    /** Returns an error of another library. The caller releases it. */
    fun foreign(arena: Arena): MemorySegment {
        val error = arena.allocate(48, 8)
        val init = Linker.nativeLinker().downcallHandle(faulty.address("AdbcFaultyFailingInit"),
            FunctionDescriptor.of(JAVA_BYTE, JAVA_INT, ADDRESS, ADDRESS))
        faulty.errors(Style.FOREIGN)
        init.invokeWithArguments(V110, MemorySegment.NULL, error)
        return error
    }

    /** Returns the error that `ErrorFromArrayStream` gives for a stream, or null. */
    fun AdbcCalls.streamError(stream: MemorySegment): Outcome? {
        val status = arena.allocate(JAVA_BYTE)
        status.set(JAVA_BYTE, 0, 99)
        val error = Linker.nativeLinker().downcallHandle(member("ErrorFromArrayStream"),
            FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS)).invokeWithArguments(stream, status) as MemorySegment
        return if (error.address() == 0L) null else read(status.get(JAVA_BYTE, 0).toInt(), error.reinterpret(48))
    }

    fun AdbcCalls.raw(stream: MemorySegment, function: Int, vararg arguments: MemorySegment): Any? {
        val parameters = (listOf(stream) + arguments).map { ADDRESS }.toTypedArray()
        val type = if (function == 2) FunctionDescriptor.of(ADDRESS, *parameters)
        else FunctionDescriptor.of(JAVA_INT, *parameters)
        return Linker.nativeLinker().downcallHandle(stream.get(ADDRESS, 8L * function), type)
            .invokeWithArguments(stream, *arguments)
    }

    test("a function fails as planned, once or from then on, and no other function does") {
        driver {
            faulty.fail("StatementPrepare", nth = 2, status = Status.INTERNAL)
            ok("StatementSetSqlQuery", statement, "SELECT 1")
            ok("StatementPrepare", statement)
            faulty.outstanding shouldBe 1
            call("StatementPrepare", statement).let {
                it.status shouldBe Status.INTERNAL
                it.message shouldBe "StatementPrepare: fails, as the test requested"
                it.sqlstate shouldBe "58000"
            }
            faulty.outstanding shouldBe 0
            ok("StatementPrepare", statement)
            faulty.calls("StatementPrepare") shouldBe 3
            faulty.failFrom("StatementSetSqlQuery", status = Status.TIMEOUT)
            repeat(3) { call("StatementSetSqlQuery", statement, "SELECT 1").status shouldBe Status.TIMEOUT }
            faulty.reset()
            ok("StatementSetSqlQuery", statement, "SELECT 1")
            faulty.fail("StatementRelease", status = Status.IO)
            call("StatementRelease", statement).status shouldBe Status.IO
            faulty.fail("", status = Status.IO)
            call("ConnectionGetTableTypes", connection, stream()).status shouldBe Status.IO
        }
    }

    test("an error has a message, a SQLSTATE and details") {
        driver {
            val said = run("SELECT * FROM nowhere")
            said.message shouldStartWith "StatementExecuteQuery: Catalog Error: Table with name nowhere does not exist!"
            said shouldBe Outcome(
                Status.NOT_FOUND, said.message, "42P01", Int.MIN_VALUE,
                listOf("arbalest.function" to "StatementExecuteQuery".encodeToByteArray().toList(),
                    "arbalest.bytes" to listOf<Byte>(0, 1, -1)), said.rawSize,
            )
            faulty.calls("error.release") shouldBe 1
        }
    }

    test("each error style changes the error as declared") {
        driver {
            fun refused(vararg styles: Style): Outcome { faulty.errors(*styles); return run("SELECT * FROM nowhere") }
            refused(Style.NO_MESSAGE).let {
                it.message shouldBe null
                it.sqlstate shouldBe "42P01"
                it.details.size shouldBe 2
            }
            refused(Style.NO_MESSAGE, Style.NO_DETAILS).let {
                it.message shouldBe null
                it.details shouldBe emptyList()
            }
            refused(Style.VENDOR_CODE).let {
                it.vendor shouldBe 4711
                it.details shouldBe emptyList()
                it.message shouldContain "nowhere"
            }
            refused(Style.NO_SQLSTATE).sqlstate shouldBe ""
            refused(Style.NO_DETAILS).let { it.details shouldBe emptyList(); it.vendor shouldBe Int.MIN_VALUE }
            refused(Style.NOT_UTF8).message shouldContain "\uFFFD"
            refused(Style.LONG).let {
                it.rawSize shouldBe 65536
                it.message shouldStartWith "StatementExecuteQuery: Catalog Error"
            }
            val releases = faulty.calls("error.release")
            refused(Style.FOREIGN).let {
                it.message shouldContain "nowhere"
                it.sqlstate shouldBe "42P01"
                it.details shouldBe emptyList()
            }
            faulty.calls("error.release") shouldBe releases
            FaultyDriver.foreignErrors shouldBe 0
        }
    }

    test("a query that fails midway gives an errno, a message, and an error that the stream owns") {
        driver {
            val stream = execute("SELECT * FROM fails(5, 10, 2)")
            streamError(stream) shouldBe Outcome(Status.OK, null, "", 0, emptyList())
            val array = arena.allocate(80, 8)
            val schema = arena.allocate(72, 8)
            raw(stream, 0, schema) shouldBe 0
            PeerMoves.release(schema, StructKind.SCHEMA)
            repeat(2) { raw(stream, 1, array) shouldBe 0; PeerMoves.release(array, StructKind.ARRAY) }
            repeat(2) {
                raw(stream, 1, array) shouldBe 5
                (raw(stream, 2) as MemorySegment).reinterpret(1000).getString(0) shouldBe
                    "get_next: division by zero in row 20"
                streamError(stream) shouldBe Outcome(
                    Status.INVALID_DATA, "get_next: division by zero in row 20", "22012", Int.MIN_VALUE,
                    listOf("arbalest.function" to "get_next".encodeToByteArray().toList(),
                        "arbalest.bytes" to listOf<Byte>(0, 1, -1)), 36,
                )
            }
            call("StatementCancel", statement).status shouldBe Status.INVALID_STATE // the query has ended
            faulty.errors(Style.NO_LAST_ERROR, Style.NO_STREAM_ERROR)
            (raw(stream, 2) as MemorySegment).address() shouldBe 0
            streamError(stream) shouldBe null
            PeerMoves.release(stream, StructKind.STREAM)
            streamError(stream) shouldBe null
            PeerStreams.stream(stream, 1, 1)
            streamError(stream) shouldBe null // not a stream of this driver
            PeerMoves.release(stream, StructKind.STREAM)
            AdbcCalls.failure(execute("SELECT * FROM fails(5, 10, 0)")).let {
                it.errno() shouldBe 5
                it.message shouldContain "no message"
            }
        }
    }

    test("a function of a stream fails with the planned errno") {
        driver {
            faulty.fail("get_schema", status = 12)
            AdbcCalls.failure(execute("SELECT * FROM t")).errno() shouldBe 12
            faulty.fail("get_next", nth = 2, status = 110)
            AdbcCalls.failure(execute("SELECT * FROM batches(3, 3)")).let {
                it.errno() shouldBe 110
                it.message shouldContain "fails, as the test requested"
            }
        }
    }

    test("releasing a stream's error, and passing an error that is not zeroed, are violations") {
        driver {
            val stream = execute("SELECT * FROM fails(5, 10, 0)")
            raw(stream, 1, arena.allocate(80, 8)) shouldBe 5
            val status = arena.allocate(JAVA_BYTE)
            val error = (Linker.nativeLinker().downcallHandle(
                member("ErrorFromArrayStream"), FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS),
            ).invokeWithArguments(stream, status) as MemorySegment).reinterpret(48)
            val release = Linker.nativeLinker()
                .downcallHandle(error.get(ADDRESS, 24), FunctionDescriptor.ofVoid(ADDRESS))
            release.invokeWithArguments(error)
            faulty.violation shouldBe "the error of a stream was released, which is the stream's"
            PeerMoves.release(stream, StructKind.STREAM)
            faulty.reset()

            val own = arena.allocate(48, 8)
            val prepare = Linker.nativeLinker()
                .downcallHandle(member("StatementPrepare"), FunctionDescriptor.of(JAVA_BYTE, ADDRESS, ADDRESS))
            faulty.failFrom("StatementPrepare", status = Status.IO)
            repeat(2) { prepare.invokeWithArguments(statement, own) }
            faulty.violation shouldBe "StatementPrepare was given an error that is not zeroed"
            val copy = arena.allocate(48, 8).copyFrom(own)
            val done = Linker.nativeLinker().downcallHandle(own.get(ADDRESS, 24), FunctionDescriptor.ofVoid(ADDRESS))
            done.invokeWithArguments(own)
            faulty.doubleReleases shouldBe 0
            done.invokeWithArguments(copy)
            faulty.doubleReleases shouldBe 1
            faulty.reset()
        }
    }

    test("a double release of a stream is detected") {
        driver {
            val stream = execute("SELECT * FROM t")
            PeerMoves.releaseTwice(stream, StructKind.STREAM)
            faulty.doubleReleases shouldBe 1
            faulty.live(Live.STREAMS) shouldBe 0
            faulty.calls("stream.unfinished") shouldBe 1
            faulty.reset()
        }
    }

    test("StatementCancel from another thread ends a waiting get_next with ECANCELED") {
        driver {
            val stream = execute("SELECT * FROM waits(3, 10, 1)")
            val waiting = elsewhere { AdbcCalls.failure(stream) }
            untilHeld(1)
            ok("StatementCancel", statement)
            waiting.await().let { it.errno() shouldBe 125; it.message shouldContain "was cancelled while it waited" }
            call("StatementCancel", statement).status shouldBe Status.INVALID_STATE
        }
    }

    test("StatementCancel ends a waiting execution with CANCELLED, and the next execution succeeds") {
        driver {
            ok("StatementSetSqlQuery", statement, "SELECT * FROM stuck()")
            val waiting = elsewhere { call("StatementExecuteQuery", statement, stream(), null) }
            untilHeld(1)
            ok("StatementCancel", statement)
            waiting.await().let { it.status shouldBe Status.CANCELLED; it.sqlstate shouldBe "57014" }
            query("SELECT 1").size shouldBe 1
        }
    }

    test("StatementCancel cancels a stream between two batches, but not a finished stream") {
        driver {
            val reader = CData.importStream(execute("SELECT * FROM batches(3, 2)"), CImport.DATA)
            reader.next()!!.close()
            ok("StatementCancel", statement)
            (runCatching { reader.next() }.exceptionOrNull() as DeviceException).errno() shouldBe 125
            reader.close()
            val whole = CData.importStream(execute("SELECT * FROM batches(1, 2)"), CImport.DATA)
            AdbcCalls.rows(whole).size shouldBe 2
            call("StatementCancel", statement).message shouldBe "StatementCancel: there is nothing to cancel"
            whole.close()
        }
    }

    test("letGo lets a waiting call continue") {
        driver {
            val rows = elsewhere { AdbcCalls.rows(execute("SELECT * FROM waits(3, 10, 1)")).size }
            untilHeld(1)
            faulty.letGo()
            rows.await() shouldBe 30
        }
    }

    test("ConnectionCancel cancels metadata calls and their streams, but no statement") {
        driver {
            val of = execute("SELECT * FROM t")
            call("ConnectionCancel", connection).status shouldBe Status.INVALID_STATE
            faulty.hold("ConnectionGetObjects")
            val waiting = elsewhere {
                call("ConnectionGetObjects", connection, 0, null, null, null, null, null, stream())
            }
            untilHeld(1)
            ok("ConnectionCancel", connection)
            waiting.await().status shouldBe Status.CANCELLED
            val stream = stream()
            ok("ConnectionGetTableTypes", connection, stream)
            ok("ConnectionCancel", connection)
            AdbcCalls.failure(stream).errno() shouldBe 125
            AdbcCalls.rows(of).size shouldBe 10
        }
    }

    test("a held release blocks its thread until letGo") {
        driver {
            faulty.hold("StatementRelease")
            val waiting = elsewhere { call("StatementRelease", statement).status }
            untilHeld(1)
            waiting.isDone shouldBe false
            faulty.letGo()
            waiting.await() shouldBe Status.OK
            faulty.live(Live.STATEMENTS) shouldBe 0
            ok("StatementNew", connection, statement)
            val stream = execute("SELECT * FROM t")
            faulty.hold("stream.release")
            val releasing = elsewhere { PeerMoves.release(stream, StructKind.STREAM) }
            untilHeld(1)
            faulty.letGo()
            releasing.await()
        }
    }

    test("without a server each call except a release fails with IO, at once or after some calls") {
        driver {
            val stream = execute("SELECT * FROM batches(100, 1)")
            faulty.loseServer(after = 3)
            val reader = CData.importStream(stream, CImport.DATA)
            var got = 0
            val failure = runCatching { while (true) { reader.next()!!.close(); got++ } }
                .exceptionOrNull() as DeviceException
            failure.errno() shouldBe 5
            failure.message shouldContain "the server is gone"
            got shouldBe 2 // one of the three calls was get_schema
            reader.close()
            call("ConnectionGetTableTypes", connection, stream()).let {
                it.status shouldBe Status.IO
                it.sqlstate shouldBe "08006"
                it.message shouldBe "ConnectionGetTableTypes: the server is gone"
            }
            ok("StatementRelease", statement)
            faulty.reviveServer()
            ok("StatementNew", connection, statement)
            query("SELECT 1").size shouldBe 1
            faulty.loseServer()
            call("StatementPrepare", statement).status shouldBe Status.IO
        }
    }

    test("two threads in one object are detected, and two in one connection only on request") {
        driver {
            val second = arena.allocate(16, 8)
            ok("StatementNew", connection, second)
            fun races(mode: Threads, other: MemorySegment): Long {
                faulty.threads(mode)
                val before = faulty.races
                ok("StatementSetSqlQuery", statement, "SELECT * FROM stuck()")
                val waiting = elsewhere { call("StatementExecuteQuery", statement, null, null) }
                untilHeld(1)
                call("StatementSetSqlQuery", other, "SELECT 1")
                ok("StatementCancel", statement) // a cancel never counts as a race
                waiting.await().status shouldBe Status.CANCELLED
                return faulty.races - before
            }
            races(Threads.OBJECT, statement) shouldBe 1
            faulty.race shouldBe "StatementSetSqlQuery was called while another thread was in the same object"
            races(Threads.OBJECT, second) shouldBe 0
            races(Threads.CONNECTION, second) shouldBe 1
            races(Threads.ANY, statement) shouldBe 0
            faulty.threads(Threads.CONNECTION)
            val stream = execute("SELECT * FROM waits(2, 1, 0)")
            val before = faulty.races
            val waiting = elsewhere { AdbcCalls.rows(stream).size }
            untilHeld(1)
            ok("StatementSetSqlQuery", second, "SELECT 1")
            faulty.races - before shouldBe 1
            faulty.letGo()
            waiting.await() shouldBe 2
            faulty.threads(Threads.OBJECT)
            ok("StatementRelease", second)
            faulty.reset()
        }
    }

    test("300 results that another thread cancels at any point end or are cancelled, and leave nothing behind") {
        driver {
            ok("StatementSetSqlQuery", statement, "SELECT * FROM batches(100, 3)")
            var cancelled = 0
            repeat(300) { round ->
                val cancel = elsewhere {
                    repeat(round % 100 * 100) { Thread.onSpinWait() }
                    call("StatementCancel", statement).status
                }
                val stream = stream()
                val status = call("StatementExecuteQuery", statement, stream, null).status
                val end = if (status == Status.OK) runCatching { AdbcCalls.rows(stream).size }
                    .fold({ it }, { (it as DeviceException).errno() }) else status
                val said = cancel.await()
                if (said == Status.INVALID_STATE) end shouldBe 300 else { said shouldBe Status.OK; cancelled++ }
                if (end != 300) listOf(Status.CANCELLED, 125) shouldContain end
            }
            println("$cancelled of 300 were cancelled")
        }
    }

    test("8 threads, each with its own connection, read and write one database") {
        driver {
            val connections = List(8) { connect() }
            // DuckDB rejects overlapping inserts into one table
            connections.indices.forEach { update("CREATE TABLE own$it (id BIGINT, label TEXT)") }
            connections.mapIndexed { i, own ->
                elsewhere {
                    val mine = arena.allocate(16, 8)
                    ok("StatementNew", own, mine)
                    repeat(20) { round ->
                        run("INSERT INTO own$i VALUES ($round, 'x$i-$round')", mine).status shouldBe Status.OK
                        AdbcCalls.rows(execute("SELECT id FROM own$i WHERE id = $round", mine)).size shouldBe 1
                        AdbcCalls.rows(execute("SELECT * FROM batches(3, 10)", mine)).size shouldBe 30
                    }
                    ok("StatementRelease", mine)
                }
            }.forEach { it.await() }
            connections.forEach { ok("ConnectionRelease", it) }
            connections.indices.sumOf { query("SELECT count(*) AS n FROM own$it").single()["n"] as Long } shouldBe 160L
        }
    }

    test("a release during another call on the handle is detected") {
        driver {
            val second = arena.allocate(16, 8)
            ok("StatementNew", connection, second)
            faulty.hold("StatementGetOption")
            val asking = elsewhere {
                call("StatementGetOption", second, "nonsense", arena.allocate(8), arena.allocate(8, 8)).status
            }
            untilHeld(1)
            val copy = arena.allocate(16, 8).copyFrom(second)
            ok("StatementRelease", copy)
            faulty.violation shouldBe "StatementRelease came while another call was in the handle"
            faulty.letGo()
            asking.await()
            faulty.reset()
        }
    }

    test("the extension names the objects that a test leaves, and the rules that it breaks") {
        val extension = FaultyDriverExtension()
        suspend fun complaint(testCase: TestCase, body: () -> Unit): String {
            val result = extension.intercept(testCase, 50.milliseconds) { body(); TestResult.Success(Duration.ZERO) }
            return result.shouldBeInstanceOf<TestResult.Failure>().cause.message!!
        }
        extension.intercept(testCase) {
            driver { query("SELECT 1") }
            TestResult.Success(Duration.ZERO)
        }.isSuccess shouldBe true
        lateinit var left: AdbcCalls
        complaint(testCase) { left = AdbcCalls(faulty).open() }.split("; ") shouldContainExactly
            listOf("the driver has 1 more drivers than before", "the driver has 1 more databases than before",
                "the driver has 1 more connections than before", "the driver has 1 more statements than before")
        complaint(testCase) { PeerMoves.releaseTwice(left.execute("SELECT 1"), StructKind.STREAM) } shouldStartWith
            "the driver saw 1 double releases"
        left.close()
        complaint(testCase) { driver { call("StatementPrepare", connection) } } shouldBe
            "the driver saw 1 broken rules, first: StatementPrepare was called with another kind of handle"
        Arena.ofConfined().use { arena ->
            lateinit var error: MemorySegment
            complaint(testCase) { error = foreign(arena) } shouldBe
                "there are 1 more errors of another library than before"
            Linker.nativeLinker().downcallHandle(error.get(ADDRESS, 24), FunctionDescriptor.ofVoid(ADDRESS))
                .invokeWithArguments(error)
        }
    }
})
