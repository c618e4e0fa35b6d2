// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.support.logged
import org.arbalest.testkit.contract.eventually
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.atomic.AtomicReference

class AdbcPoolSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    /** Runs [block] with a pool, and checks that the pool leaves nothing open. */
    fun pooled(size: Int = 2, limit: Duration = Duration.ofSeconds(5), block: (AdbcPool) -> Unit) {
        val options = AdbcPoolOptions.of(size, limit).aliveBypassWindow(Duration.ZERO) // checks always
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), options).use(block)
        // the pool may still open a connection for a thread that no longer waits
        eventually("all is closed") { Faulty.c.live(Live.CONNECTIONS) == 0L && Faulty.c.live(Live.DATABASES) == 0L }
    }

    fun AdbcPool.use() {
        acquire().use { it.connection().query("SELECT 42").single() shouldBe 42 }
    }

    test("an idle connection is used again, and connections are opened when threads need them [ADB-31]") {
        pooled { pool ->
            Faulty.c.live(Live.CONNECTIONS) shouldBe 0
            pool.use()
            pool.use()
            pool.acquire().use {
                Faulty.c.calls("ConnectionNew") shouldBe 1
                pool.use()
            }
            Faulty.c.calls("ConnectionNew") shouldBe 2
        }
    }

    test("a full pool throws after its time limit, with its size and the remedy [ADB-31]") {
        pooled(size = 1, limit = Duration.ofMillis(20)) { pool ->
            val lease = pool.acquire()
            shouldThrow<TimeoutException> { pool.acquire() }.message shouldBe "no connection of the pool became free " +
                "within 20 ms, because all 1 are in use; close their leases earlier, or make the pool larger"
            lease.close()
            lease.close()
            shouldThrow<IllegalStateException> { lease.connection() }
            pool.acquire().use { shouldThrow<TimeoutException> { pool.acquire() } } // the second close returned nothing
        }
    }

    test("a connection whose check fails is replaced, and a failed connect frees its place [ADB-31]") {
        pooled(size = 1, limit = Duration.ZERO) { pool ->
            pool.use()
            Faulty.c.fail("StatementExecuteQuery", status = 10)
            pool.use()
            Faulty.c.calls("ConnectionNew") shouldBe 2
            Faulty.c.live(Live.CONNECTIONS) shouldBe 1
            Faulty.c.fail("get_next", status = 5)
            Faulty.c.fail("ConnectionInit", status = 10)
            shouldThrow<AdbcException> { pool.acquire() }.status() shouldBe AdbcStatus.IO
            pool.use()
        }
    }

    test("a connection with an error in its last use, also of a result or an option, is checked [ADB-31]") {
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), 1, Duration.ofSeconds(5)).use { pool ->
            fun checks(use: (AdbcConnection) -> Unit): Boolean {
                pool.acquire().use { use(it.connection()) }
                val before = Faulty.c.calls("StatementExecuteQuery")
                pool.acquire().close()
                return Faulty.c.calls("StatementExecuteQuery") > before
            }
            checks { it.query("SELECT 42").single() } shouldBe false
            checks { shouldThrow<AdbcException> { it.execute("SELECT nothing") } } shouldBe true
            checks { it.query("SELECT 42").single() } shouldBe false
            checks { connection ->
                Faulty.c.fail("get_next", status = 5)
                shouldThrow<AdbcException> { connection.query("SELECT 42").single() }
            } shouldBe true
            checks { shouldThrow<AdbcException> { it.setOption("no.such.option", "") } } shouldBe true
            pool.statistics().bypassedChecks() shouldBe 6
        }
    }

    test("a transaction that is left open is rolled back, and a connection without a rollback is closed [ADB-31]") {
        pooled { pool ->
            pool.acquire().use { lease ->
                lease.connection().setAutoCommit(false)
                lease.connection().execute("DELETE FROM t")
            }
            pool.acquire().use { lease ->
                Faulty.c.calls("ConnectionNew") shouldBe 1
                lease.connection().isAutoCommit shouldBe true
                lease.connection().query("SELECT count(*) FROM t").single() shouldBe 10L
                lease.connection().setAutoCommit(false)
                Faulty.c.fail("ConnectionRollback", status = 10)
            }
            Faulty.c.live(Live.CONNECTIONS) shouldBe 0
            pool.acquire().use { it.connection().close() }
            Faulty.c.live(Live.CONNECTIONS) shouldBe 0
        }
    }

    test("a transaction that is left open is rolled back with a driver that cannot report it [ADB-31]") {
        AdbcPool.of(Faulty.old.open(mapOf<String, Any>()), 1, Duration.ofSeconds(5)).use { pool ->
            pool.acquire().use { lease ->
                lease.connection().isAutoCommit shouldBe true
                lease.connection().setAutoCommit(false)
                lease.connection().isAutoCommit shouldBe false
                lease.connection().execute("DELETE FROM t")
            }
            pool.acquire().use { it.connection().query("SELECT count(*) FROM t").single() shouldBe 10L }
        }
    }

    test("an interrupt ends a check, and the wait for another thread that connects [ADB-31]") {
        Executors.newFixedThreadPool(2).use { threads ->
            pooled(size = 2) { pool ->
                pool.use()
                Faulty.c.hold("StatementExecuteQuery")
                val (checking, checked) = threads.startAcquiring(pool)
                awaitHeld()
                checking.interrupt()
                checked.error().shouldBeInstanceOf<InterruptedException>()
                Faulty.c.letGo()
                eventually("the connection is closed") { Faulty.c.live(Live.CONNECTIONS) == 0L }

                Faulty.c.hold("ConnectionInit")
                val first = threads.start { pool.acquire().close() }
                awaitHeld()
                val (second, connected) = threads.startAcquiring(pool)
                second.interrupt()
                connected.error().shouldBeInstanceOf<InterruptedException>()
                Faulty.c.letGo()
                first.get()
            }
        }
    }

    test("a closed pool stops waiting threads, and closes connections that are still in use later [ADB-31]") {
        Executors.newFixedThreadPool(2).use { threads ->
            pooled(size = 1) { pool ->
                val lease = pool.acquire()
                val waiting = List(2) { threads.startAcquiring(pool) }
                pool.close()
                for ((_, future) in waiting) {
                    future.error().shouldBeInstanceOf<IllegalStateException>().message shouldBe "the pool is closed"
                }
                lease.connection().query("SELECT ?", 1L).single() shouldBe 1L
                lease.close()
                shouldThrow<IllegalStateException> { pool.acquire() }
            }
        }
    }

    test("threads share the connections, never more than the size at once [ADB-31]") {
        val now = AtomicInteger()
        val most = AtomicInteger()
        val sum = AtomicLong()
        Executors.newFixedThreadPool(6).use { threads ->
            pooled(size = 3) { pool ->
                val tasks = List(6) {
                    threads.start {
                        repeat(20) {
                            pool.acquire().use { lease ->
                                most.accumulateAndGet(now.incrementAndGet(), Math::max)
                                sum.addAndGet(lease.connection().query("SELECT ?", 1L).single() as Long)
                                now.decrementAndGet()
                            }
                        }
                    }
                }
                for (task in tasks) task.get()
                (Faulty.c.calls("ConnectionNew") <= 3) shouldBe true
            }
        }
        (most.get() <= 3) shouldBe true
        sum.get() shouldBe 120L
    }

    test("an invalid connection whose close fails is logged, and another one replaces it [ADB-31]") {
        val pool = AdbcPool.of(AdbcDriver.load(FaultyDriver.plain.file).open(mapOf<String, Any>()),
            AdbcPoolOptions.of(1, Duration.ZERO).aliveBypassWindow(Duration.ZERO))
        pool.use()
        FaultyDriver.plain.fail("StatementExecuteQuery", status = 10)
        FaultyDriver.plain.fail("ConnectionRelease", status = 10)
        val logged = logged("org.arbalest.device.adbc", atLeast = 1) { pool.use() }
        logged.single().let {
            it.message shouldBe "closing a connection that failed its check failed; the $pool continues without it"
            (it.thrown as AdbcException).operation() shouldBe "AdbcConnectionRelease"
        }
        // the driver keeps the connection that it has not released
        shouldThrow<AdbcException> { pool.close() }.operation() shouldBe "AdbcDatabaseRelease"
        FaultyDriver.plain.reset()
    }

    test("a pool whose connections fail to close closes all of them, and throws the first failure [ADB-31]") {
        val c = FaultyDriver.plain
        val pool = AdbcPool.of(AdbcDriver.load(c.file).open(mapOf<String, Any>()), 3, Duration.ZERO)
        val leases = List(3) { pool.acquire() }
        leases.forEach(AdbcPool.Lease::close)
        c.fail("ConnectionRelease", status = 10)
        c.fail("ConnectionRelease", nth = 3, status = 9)
        val failure = shouldThrow<AdbcException> { pool.close() }
        failure.status() shouldBe AdbcStatus.IO
        failure.suppressed.map { (it as AdbcException).operation() } shouldBe
            listOf("AdbcConnectionRelease", "AdbcDatabaseRelease") // the driver keeps two connections of its database
        c.calls("ConnectionRelease") shouldBe 3
        pool.close()
        c.reset()
    }

    test("a time limit of more than 292 years is a limit of 292 years [ADB-31]") {
        pooled(size = 1, limit = Duration.ofSeconds(Long.MAX_VALUE)) { pool -> pool.acquire().close() }
    }

    test("an interrupt ends the wait for a connection [ADB-31]") {
        Executors.newSingleThreadExecutor().use { threads ->
            pooled(size = 1) { pool ->
                pool.acquire().use {
                    val (thread, future) = threads.startAcquiring(pool)
                    thread.interrupt()
                    future.error().shouldBeInstanceOf<InterruptedException>()
                }
            }
        }
    }

    test("each new connection executes SQL, and each check does, or is closed if that fails [ADB-39]") {
        val options = AdbcPoolOptions.of(1, Duration.ofSeconds(5)).aliveBypassWindow(Duration.ZERO)
            .connectionInitSql("CREATE TABLE begun AS SELECT 7 AS x").connectionTestQuery("SELECT x FROM begun")
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), options).use { pool ->
            pool.acquire().use { it.connection().query("SELECT x FROM begun").single() shouldBe 7 }
            pool.acquire().use { it.connection().execute("DROP TABLE begun") }
            pool.acquire().close() // the check fails, and another connection makes the table
            with(pool.statistics()) { listOf(created(), validationFailures()) } shouldBe listOf(2L, 1L)
        }
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), options.connectionInitSql("no SQL")).use { pool ->
            shouldThrow<AdbcException> { pool.acquire() }.operation() shouldBe "AdbcStatementExecuteQuery"
            Faulty.c.live(Live.CONNECTIONS) shouldBe 0
        }
    }

    test("after a lease, its connection, statements and results throw, and another lease has the connection [ADB-40]") {
        pooled(size = 1) { pool ->
            val lease = pool.acquire()
            val connection = lease.connection()
            val statement = connection.createStatement()
            val result = statement.query("SELECT * FROM t")
            val other = connection.query("SELECT * FROM batches(3, 2)").also { it.next()!!.close() }
            val partition = connection.createStatement().use { parts ->
                parts.setSqlQuery("SELECT * FROM t")
                parts.executePartitions().partitions().first()
            }
            val part = connection.readPartition(partition)
            lease.close()
            pool.acquire().use { next ->
                Faulty.c.calls("ConnectionNew") shouldBe 1
                for (call in listOf<() -> Any?>(
                    { connection.query("SELECT 42") }, { connection.isAutoCommit }, { connection.cancel() },
                    { connection.setOption("adbc.connection.db_schema", "main") }, { connection.createStatement() },
                    { statement.executeQuery() }, { statement.cancel() }, { statement.affectedRows() },
                    { result.next() }, { other.next() }, { part.next() }, { lease.connection() },
                )) shouldThrow<IllegalStateException> { call() }
                for (closed in listOf(connection, statement, result, other, part)) closed.close()
                next.connection().query("SELECT 42").single() shouldBe 42
            }
            shouldThrow<IllegalStateException> { connection.execute("DELETE FROM t") }.message shouldBe
                "the connection was closed with its lease; another thread may use the connection"
            shouldThrow<IllegalStateException> { statement.prepare() }.message shouldBe
                "the statement was closed with its lease; another thread may use the connection"
            with(pool.statistics()) { listOf(created(), closed()) } shouldBe listOf(1L, 0L)
        }
    }

    test("a connection whose call runs at the end of the lease keeps its place until the call ends [ADB-31, ADB-40]") {
        lettingGo(Executors.newFixedThreadPool(2)) { threads ->
            pooled(size = 1) { pool ->
                val lease = pool.acquire()
                Faulty.c.hold("StatementExecuteQuery")
                val running = threads.start { lease.connection().execute("DELETE FROM t") }
                awaitHeld()
                lease.close() // does not wait
                pool.statistics().borrowed() shouldBe 1
                val (_, next) = threads.startAcquiring(pool)
                Faulty.c.letGo()
                running.get(5, SECONDS) shouldBe 10L
                next.get(5, SECONDS).close()
                with(pool.statistics()) { listOf(created(), closed()) } shouldBe listOf(2L, 1L)
            }
        }
    }

    test("the end of a lease ends a pull in another thread, an async stream and a set of results [ADB-40]") {
        Executors.newSingleThreadExecutor().use { threads ->
            AdbcPool.of(Faulty.draft.open(mapOf<String, Any>()), 1, Duration.ofSeconds(5)).use { pool ->
                val lease = pool.acquire()
                val result = lease.connection().query("SELECT * FROM waits(3, 2, 1)").also { it.next()!!.close() }
                val pull = threads.start { result.next() }
                awaitHeld()
                lease.close()
                pull.error()
                shouldThrow<IllegalStateException> { result.next() }
                result.close()
                val second = pool.acquire()
                val statement = second.connection().createStatement()
                statement.setSqlQuery("SELECT 1; SELECT 2")
                val results = statement.executeMulti()
                second.close()
                shouldThrow<IllegalStateException> { results.next() }
                results.close()
            }
            eventually("all is closed") { Faulty.c.live(Live.CONNECTIONS) == 0L }
        }
    }

    test("the warnings of a lease's handler end with it [ADB-40]") {
        val warnings = CopyOnWriteArrayList<String>()
        AdbcPool.of(Faulty.draft.open(mapOf<String, Any>()), 1, Duration.ofSeconds(5)).use { pool ->
            Faulty.c.warn(1)
            pool.acquire().use { lease ->
                lease.connection().setWarningHandler { warnings += it.message() }
                lease.connection().query("SELECT 42").single()
                eventually("the warning comes") { warnings.size == 1 }
            }
            pool.use()
            pool.acquire().use { it.connection().query("SELECT 42").single() }
            warnings.size shouldBe 1
            pool.statistics().created() shouldBe 1
        }
    }

    test("options that a lease sets are restored, and a connection whose driver cannot is closed [ADB-40]") {
        pooled(size = 1) { pool ->
            pool.acquire().use { lease ->
                lease.connection().execute("CREATE SCHEMA s")
                shouldThrow<AdbcException> { lease.connection().setOption("no.such.option", "x") }
                for (schema in listOf("s", "main", "s")) lease.connection().setCurrentDbSchema(schema)
            }
            pool.acquire().use { lease ->
                lease.connection().currentDbSchema() shouldBe "main"
                pool.statistics().created() shouldBe 1
                lease.connection().setReadOnly(true) // the driver does not report it
            }
            pool.statistics().closed() shouldBe 1
            val lease = pool.acquire()
            lease.connection().setCurrentDbSchema("main")
            Faulty.c.fail("ConnectionSetOption", status = 10)
            logged("org.arbalest.device.adbc") { lease.close() }.single().message shouldBe
                "resetting a connection of a pool failed; the connection is closed"
            pool.statistics().closed() shouldBe 2
        }
    }

    test("SQL resets each connection after its use, and one that fails it is closed [ADB-39]") {
        val options = AdbcPoolOptions.of(1, Duration.ofSeconds(5)).connectionResetSql("SET VARIABLE who = 'no one'")
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), options).use { pool ->
            pool.acquire().use { it.connection().execute("SET VARIABLE who = 'Ann'") }
            pool.acquire().use { it.connection().query("SELECT getvariable('who')").single() shouldBe "no one" }
            val lost = pool.acquire()
            Faulty.c.fail("StatementExecuteQuery", status = 10)
            logged("org.arbalest.device.adbc") { lost.close() }.single().message shouldBe
                "resetting a connection of a pool failed; the connection is closed"
            Faulty.c.live(Live.CONNECTIONS) shouldBe 0
        }
    }

    test("the first SQL is executed again after the SQL that resets a connection [ADB-39]") {
        val options = AdbcPoolOptions.of(1, Duration.ofSeconds(5)).connectionInitSql("SET VARIABLE who = 'init'")
            .connectionResetSql("RESET VARIABLE who")
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), options).use { pool ->
            repeat(2) {
                pool.acquire().use { it.connection().query("SELECT getvariable('who')").single() shouldBe "init" }
            }
            val lost = pool.acquire()
            Faulty.c.fail("StatementExecuteQuery", nth = 2, status = 10)
            logged("org.arbalest.device.adbc") { lost.close() } shouldHaveSize 1
            Faulty.c.live(Live.CONNECTIONS) shouldBe 0
        }
    }

    test("a transaction that SQL begins on SQLite is rolled back, so that the next user's writes stay [ADB-31]") {
        Faulty.c.bindAsSqlite()
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            AdbcPool.of(database, 1, Duration.ofSeconds(5)).use { pool ->
                pool.acquire().use { lease ->
                    lease.connection().execute("BEGIN TRANSACTION")
                    lease.connection().execute("DELETE FROM t WHERE id < 5")
                }
                pool.acquire().use { lease ->
                    lease.connection().query("SELECT count(*) FROM t").single() shouldBe 10L
                    lease.connection().execute("DELETE FROM t WHERE id = 9")
                }
                with(pool.statistics()) { listOf(created(), closed()) } shouldBe listOf(1L, 0L)
                database.connect().use { it.query("SELECT count(*) FROM t").single() shouldBe 9L }
                val lost = pool.acquire()
                Faulty.c.fail("StatementExecuteQuery", status = 10)
                logged("org.arbalest.device.adbc") { lost.close() } shouldHaveSize 1
                pool.statistics().closed() shouldBe 1
            }
        }
    }

    test("a connection that is closed for an option which the driver does not report is logged once [ADB-40]") {
        pooled(size = 1) { pool ->
            fun logs(): List<String> = pool.acquire().let { lease ->
                lease.connection().setIsolation(AdbcIsolation.SNAPSHOT)
                logged("org.arbalest.device.adbc") { lease.close() }.map { it.message }
            }
            logs().single() shouldBe "the driver libadbc_driver_faulty.so does not report the option " +
                "adbc.connection.transaction.isolation_level, so that a connection on which a lease sets it is closed"
            logs() shouldHaveSize 0
            pool.statistics().closed() shouldBe 2
        }
    }

    test("a result that is open at the end of its lease is cancelled, also in a transaction [ADB-28]") {
        pooled(size = 1) { pool ->
            for (isAutoCommit in listOf(false, true)) {
                val lease = pool.acquire()
                lease.connection().isAutoCommit = isAutoCommit
                lease.connection().query("SELECT * FROM batches(9, 2)").use { result ->
                    result.next()!!.close()
                    lease.close()
                }
            }
            Faulty.c.calls("StatementCancel") shouldBe 2
            pool.statistics().created() shouldBe 1
        }
    }

    test("the schema is restored with the catalog, whose setting changes it in DuckDB [ADB-40]") {
        Faulty.c.queryForOptions()
        for (sets in listOf<(AdbcConnection) -> Unit>(
            { it.setCurrentCatalog("attic") },
            {
                it.setCurrentDbSchema("main")
                it.setCurrentCatalog("attic")
            },
        )) {
            val options = AdbcPoolOptions.of(1, Duration.ofSeconds(5)).connectionInitSql("USE memory.aux")
            AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), options).use { pool ->
                pool.acquire().use { sets(it.connection()) }
                pool.acquire().use { lease ->
                    lease.connection().query("SELECT current_catalog()").single() shouldBe "memory"
                    lease.connection().query("SELECT current_schema()").single() shouldBe "aux"
                }
                pool.statistics().created() shouldBe 1
            }
        }
    }

    test("the current schema of PostgreSQL is restored with the whole search path [ADB-40]") {
        Faulty.c.bindAsPostgreSql()
        val path = "memory.s,memory.main"
        val options = AdbcPoolOptions.of(1, Duration.ofSeconds(5))
            .connectionInitSql("CREATE SCHEMA IF NOT EXISTS s; SET search_path = '$path'")
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), options).use { pool ->
            fun AdbcPool.Lease.path() = connection().query("SELECT current_setting('search_path')").single()
            pool.acquire().use { lease ->
                lease.path() shouldBe path
                for (schema in listOf("main", "aux")) lease.connection().setCurrentDbSchema(schema)
                lease.path() shouldBe "memory.aux"
            }
            pool.acquire().use { it.path() shouldBe path }
            pool.statistics().created() shouldBe 1
        }
    }

    test("a pool of several databases opens connections side by side, and closes all databases [ADB-31]") {
        Executors.newFixedThreadPool(3).use { threads ->
            val pool = AdbcPool.of({ Faulty.driver.open(mapOf<String, Any>()) },
                AdbcPoolOptions.of(3, Duration.ofSeconds(5)).maximumDatabases(2))
            pool.toString() shouldBe "pool of 3 connections by a driver that is not loaded yet"
            Faulty.c.calls("DatabaseNew") shouldBe 0
            repeat(3) { Faulty.c.hold("ConnectionInit", nth = 1L + it) }
            val leases = List(3) { threads.start { pool.acquire() } }
            awaitHeld(2) // the third connection waits for one of the databases
            eventually("the third thread waits") { pool.statistics().waiting() == 3 }
            Faulty.c.held shouldBe 2
            Faulty.c.calls("DatabaseNew") shouldBe 2
            Faulty.c.letGo()
            eventually("two connections are open") { pool.statistics().created() == 2L }
            awaitHeld() // the third
            Faulty.c.letGo()
            leases.forEach { it.get().close() }
            pool.toString() shouldBe "pool of 3 connections by ${Faulty.driver.name()}"
            pool.close()
            // a thread that has opened a connection may still return its database
            eventually("all connections and databases are closed") {
                Faulty.c.live(Live.CONNECTIONS) + Faulty.c.live(Live.DATABASES) == 0L
            }
        }
    }

    test("a database whose connect fails is closed, and the supplier opens the next one [ADB-31]") {
        val opened = AtomicInteger()
        val options = AdbcPoolOptions.of(2, Duration.ofSeconds(5))
        val supplier = { Faulty.driver.open(mapOf<String, Any>()).also { opened.incrementAndGet() } }
        AdbcPool.of(supplier, options).use { pool ->
            pool.acquire().use { lease ->
                Faulty.c.fail("ConnectionInit", status = 13) // a token that has expired
                shouldThrow<AdbcException> { pool.acquire() }.status() shouldBe AdbcStatus.UNAUTHENTICATED
                pool.acquire().close()
                opened.get() shouldBe 2
                lease.connection().query("SELECT 42").single() shouldBe 42
                Faulty.c.live(Live.DATABASES) shouldBe 2
            }
        }
        eventually("all are closed") { Faulty.c.live(Live.DATABASES) == 0L }
    }

    test("a database that fails to open is a failure to connect, which another attempt may mend [ADB-31]") {
        val uri = AtomicReference("fake://refused")
        val options = AdbcPoolOptions.of(1, Duration.ZERO)
        AdbcPool.of({ Faulty.driver.open(mapOf("uri" to uri.get())) }, options).use { pool ->
            shouldThrow<TimeoutException> { pool.acquire() }.cause.shouldBeInstanceOf<AdbcException>()
                .sqlState() shouldBe "08001"
            uri.set("fake://here")
            pool.acquire().close()
        }
        Faulty.c.live(Live.DATABASES) shouldBe 0
    }

    test("a pool without a place or with a negative limit is an error [ADB-31]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            shouldThrow<IllegalArgumentException> { AdbcPool.of(database, 0, Duration.ZERO) }.message shouldBe
                "a pool needs at least 1 connection, not 0"
            shouldThrow<IllegalArgumentException> { AdbcPool.of(database, 1, Duration.ofMillis(-1)) }
        }
        val options = AdbcPoolOptions.of(2, Duration.ZERO)
        for (wrong in listOf<(AdbcPoolOptions) -> AdbcPoolOptions>(
            { it.maximumDatabases(0) },
            { it.minimumIdle(-1) },
            { it.minimumIdle(3) },
            { it.idleTimeout(Duration.ofNanos(-1)) },
            { it.maxLifetime(Duration.ofNanos(-1)) },
            { it.aliveBypassWindow(Duration.ofNanos(-1)) },
            { it.leakDetectionThreshold(Duration.ofNanos(-1)) },
        )) {
            shouldThrow<IllegalArgumentException> { wrong(options) }
        }
    }
})

/** Starts to acquire a connection in a call that waits; returns its thread and future. */
private fun ExecutorService.startAcquiring(pool: AdbcPool): Pair<Thread, Future<AdbcPool.Lease>> {
    val thread = AtomicReference<Thread>()
    val future = start {
        thread.set(Thread.currentThread())
        pool.acquire()
    }
    eventually("the thread waits") { thread.get()?.state in setOf(Thread.State.WAITING, Thread.State.TIMED_WAITING) }
    return thread.get() to future
}
