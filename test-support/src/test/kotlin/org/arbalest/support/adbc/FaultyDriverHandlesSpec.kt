// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.support.CCompiler
import org.arbalest.support.NativeLibrary
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.testkit.SkipWithout
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_DOUBLE
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.file.Path

/** Tests of the simulated driver: its entry points, its table, its handles and their options. */
class FaultyDriverHandlesSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())
    extension(FaultyDriverExtension { FaultyDriver.plain })

    fun <T> driver(use: AdbcCalls.() -> T): T = AdbcCalls(FaultyDriver.full).use(use)

    fun live() = FaultyDriver.full.live().filter { (_, count) -> count != 0L }

    test("the structs have the layout of adbc.h") {
        val layout = FaultyDriver.full.layout.lines()
        layout.filter {
            it.startsWith("AdbcError ") || it.startsWith("AdbcDriver ") || it.startsWith("AdbcPartitions ")
        } shouldContainExactly
            listOf("AdbcError 48", "AdbcPartitions 40", "AdbcDriver 464")
        layout.first { it.startsWith("AdbcDriver.ErrorGetDetailCount") } shouldBe "AdbcDriver.ErrorGetDetailCount 232"
        layout.first { it.startsWith("AdbcDriver.StatementSetOptionInt") } shouldBe
            "AdbcDriver.StatementSetOptionInt 456"
        layout.filter { it.startsWith("AdbcDriver.") }.size shouldBe 58
    }

    test("each entry point is found, and is recorded by name") {
        for (entry in listOf("AdbcDriverFaultyInit", "AdbcDriverInit", "arbalest_custom_entry"))
            AdbcCalls(FaultyDriver.full, entry).use {
                it.started.status shouldBe Status.OK
                FaultyDriver.full.entered shouldBe entry
                FaultyDriver.full.version shouldBe V110
                FaultyDriver.full.live(Live.DRIVERS) shouldBe 1
            }
        FaultyDriver.full.live(Live.DRIVERS) shouldBe 0
        FaultyDriver.full.calls("init") shouldBe 3
        AdbcCalls(FaultyDriver.plain).use { it.open().query("SELECT 1").size shouldBe 1 }
        FaultyDriver.full.calls("init") shouldBe 3
        FaultyDriver.plain.calls("init") shouldBe 1
        fun lookup(file: Path, name: String) = SymbolLookup.libraryLookup(file, Arena.global()).find(name).isPresent
        lookup(FaultyDriver.full.file, "AdbcDriverInit") shouldBe true
        FaultyDriver.plain.file.fileName.toString() shouldStartWith "libplain"
        lookup(FaultyDriver.plain.file, "AdbcPlainInit") shouldBe false
        lookup(FaultyDriver.notADriver, "AdbcDriverInit") shouldBe false
        lookup(FaultyDriver.notADriver, "not_a_driver") shouldBe true
    }

    test("a 1.0.0 driver rejects 1.1.0, and writes only the 1.0.0 part of the table") {
        for (how in listOf("AdbcFaultyOldInit", "AdbcDriverInit")) {
            if (how == "AdbcDriverInit") FaultyDriver.full.init(FaultyDriver.Init.OLD)
            AdbcCalls(FaultyDriver.full, how).use {
                it.started.status shouldBe Status.NOT_IMPLEMENTED
                it.started.message shouldBe "$how: that version is not supported"
                it.isUntouched("DatabaseNew") shouldBe true
            }
            AdbcCalls(FaultyDriver.full, how, V100).use {
                it.open().query("SELECT id FROM t WHERE id = 3") shouldBe listOf(mapOf("id" to 3L))
                it.isUntouched("StatementSetSubstraitPlan") shouldBe false
                it.isUntouched("ErrorGetDetailCount") shouldBe true
                it.isUntouched("StatementSetOptionInt") shouldBe true
                val refused = it.run("SELECT * FROM nothing")
                refused shouldBe Outcome(Status.NOT_FOUND, refused.message, "42P01", 4711, emptyList(), refused.rawSize)
            }
        }
        FaultyDriver.full.version shouldBe V100
    }

    test("an entry point fails in each planned way") {
        fun start(entry: String = "AdbcDriverInit", version: Int = V110) =
            AdbcCalls(FaultyDriver.full, entry, version).use { it.started to it.isUntouched("release") }
        start("AdbcFaultyFailingInit").let { (said, untouched) ->
            said.copy(rawSize = 0) shouldBe
                Outcome(Status.IO, "AdbcFaultyFailingInit: there is no licence", "58000", Int.MIN_VALUE, emptyList())
            untouched shouldBe true
        }
        start("AdbcFaultyFailingInit", V100).first.vendor shouldBe 4711
        start("AdbcFaultySilentInit") shouldBe
            Pair(Outcome(Status.INTERNAL, null, "", Int.MIN_VALUE, emptyList()), true)
        FaultyDriver.full.init(FaultyDriver.Init.REFUSES)
        listOf(V110, V100).map { start(version = it).first.status } shouldBe
            listOf(Status.NOT_IMPLEMENTED, Status.NOT_IMPLEMENTED)
        FaultyDriver.full.init(FaultyDriver.Init.ODD_STATUS)
        start().first.status shouldBe 200
        FaultyDriver.full.init(FaultyDriver.Init.NORMAL)
        start(version = 1003000).first.status shouldBe Status.NOT_IMPLEMENTED
        FaultyDriver.full.fail("init", status = Status.TIMEOUT)
        start().first.status shouldBe Status.TIMEOUT
    }

    test("the table can be empty, lack functions, or have the 1.0.0 functions for any version") {
        FaultyDriver.full.init(FaultyDriver.Init.EMPTY)
        AdbcCalls(FaultyDriver.full).let {
            it.started.status shouldBe Status.OK
            it.table.toArray(JAVA_BYTE).all { byte -> byte == 0.toByte() } shouldBe true
            it.close()
        }
        FaultyDriver.full.init(FaultyDriver.Init.NORMAL)
        FaultyDriver.full.missing("StatementCancel", "ConnectionGetStatistics")
        driver {
            listOf("StatementCancel", "ConnectionGetStatistics").forEach { member(it).address() shouldBe 0 }
            (member("ConnectionCancel").address() == 0L) shouldBe false
        }
        FaultyDriver.full.missing()
        FaultyDriver.full.init(FaultyDriver.Init.IGNORES_VERSION)
        driver {
            started.status shouldBe Status.OK
            isUntouched("StatementSetSubstraitPlan") shouldBe false
            isUntouched("ErrorGetDetailCount") shouldBe true
        }
        FaultyDriver.full.init(FaultyDriver.Init.NORMAL)
        FaultyDriver.full.missing("release")
        AdbcCalls(FaultyDriver.full).use { first ->
            first.member("release").address() shouldBe 0
            FaultyDriver.full.missing()
            driver { call("release", first.table).status shouldBe Status.OK }
        }
    }

    test("live objects are counted until they are released") {
        driver {
            live() shouldBe mapOf(Live.DRIVERS to 1L)
            open()
            live() shouldBe
                mapOf(Live.DRIVERS to 1L, Live.DATABASES to 1L, Live.CONNECTIONS to 1L, Live.STATEMENTS to 1L)
            val stream = execute("SELECT * FROM batches(2, 5)")
            live()[Live.STREAMS] shouldBe 1
            AdbcCalls.rows(stream).size shouldBe 10
            live()[Live.STREAMS] shouldBe null
        }
        live() shouldBe emptyMap()
    }

    test("each call at the wrong time fails with INVALID_STATE and the reason") {
        driver {
            fun refused(name: String, vararg arguments: Any?) = call(name, *arguments).let {
                it.status shouldBe Status.INVALID_STATE
                it.sqlstate shouldBe "HY010"
                it.message!!
            }
            val nothing = "there is nothing behind the handle; its New comes first"
            refused("DatabaseRelease", database) shouldBe "DatabaseRelease: $nothing"
            refused("DatabaseInit", database) shouldBe "DatabaseInit: $nothing"
            refused("ConnectionRelease", connection) shouldBe "ConnectionRelease: $nothing"
            refused("StatementRelease", statement) shouldBe "StatementRelease: $nothing"
            refused("StatementCancel", statement) shouldBe "StatementCancel: $nothing"
            ok("DatabaseNew", database)
            ok("ConnectionNew", connection)
            refused("ConnectionInit", connection, database) shouldBe
                "ConnectionInit: its parent is not initialized"
            ok("DatabaseInit", database)
            refused("DatabaseInit", database) shouldBe "DatabaseInit: the database is initialized already"
            refused("StatementNew", connection, statement) shouldBe
                "StatementNew: its parent is not initialized"
            refused("ConnectionCommit", connection) shouldBe "ConnectionCommit: its Init comes first"
            ok("ConnectionInit", connection, database)
            refused("ConnectionInit", connection, database) shouldBe
                "ConnectionInit: the connection is initialized already"
            ok("StatementNew", connection, statement)
            refused("StatementExecuteQuery", statement, null, null) shouldBe "StatementExecuteQuery: no query is set"
            refused("StatementPrepare", statement) shouldBe "StatementPrepare: no query is set"
            refused("StatementGetParameterSchema", statement, MemorySegment.NULL) shouldBe
                "StatementGetParameterSchema: the statement is not prepared"
            refused("StatementCancel", statement) shouldBe "StatementCancel: there is nothing to cancel"
            refused("ConnectionCancel", connection) shouldBe "ConnectionCancel: there is nothing to cancel"
            refused("ConnectionRelease", connection) shouldBe
                "ConnectionRelease: the connection has 1 open statements and 0 open streams"
            refused("DatabaseRelease", database) shouldBe "DatabaseRelease: the database has 1 open connections"
        }
    }

    test("an open stream of a connection prevents the release of the connection") {
        driver {
            open()
            ok("StatementRelease", statement)
            val stream = stream()
            ok("ConnectionGetTableTypes", connection, stream)
            call("ConnectionRelease", connection).message shouldBe
                "ConnectionRelease: the connection has 0 open statements and 1 open streams"
            AdbcCalls.rows(stream).size shouldBe 1
        }
    }

    test("calls that break a rule of adbc.h are counted, with a description of the first") {
        val faulty = FaultyDriver.full
        fun broken(text: String, release: AdbcCalls.() -> Unit) {
            driver { open(); release() }
            faulty.violations shouldBe 1
            faulty.violation shouldBe text
            faulty.reset()
        }
        broken("StatementPrepare was called with a released handle") {
            val copy = arena.allocate(16, 8).copyFrom(statement)
            ok("StatementRelease", statement)
            call("StatementPrepare", copy).status shouldBe Status.INVALID_STATE
        }
        broken("StatementNew was called after its parent was released") {
            ok("StatementRelease", statement)
            val copy = arena.allocate(16, 8).copyFrom(connection)
            ok("ConnectionRelease", connection)
            call("StatementNew", copy, statement).status shouldBe Status.INVALID_STATE
        }
        broken("StatementNew was given a handle that is not zeroed") {
            call("StatementNew", connection, statement).status shouldBe Status.INVALID_STATE
        }
        broken("StatementPrepare was called with another kind of handle") {
            call("StatementPrepare", connection).status shouldBe Status.INVALID_STATE
        }
        broken("a statement was released before its result") {
            val stream = execute("SELECT * FROM t")
            ok("StatementRelease", statement)
            AdbcCalls.failure(stream).message shouldContain "get_schema: the statement was released"
        }
        broken("a driver was released twice") {
            ok("StatementRelease", statement)
            ok("ConnectionRelease", connection)
            ok("DatabaseRelease", database)
            val release = member("release")
            ok("release", table)
            table.set(ADDRESS, offset("AdbcDriver.release"), release)
            call("release", table).status shouldBe Status.INVALID_STATE
            table.set(ADDRESS, offset("AdbcDriver.release"), MemorySegment.NULL)
        }
    }

    test("options of each type are read back from each handle, in the requested type") {
        driver {
            open()
            for ((kind, handle) in listOf(
                "Database" to database, "Connection" to connection, "Statement" to statement,
            )) {
                val size = arena.allocate(8, 8)
                val room = arena.allocate(64, 8)
                fun text(key: String, bytes: Long, function: String = "GetOption"): Pair<Int, String> {
                    size.set(JAVA_LONG, 0, bytes)
                    room.fill(0x55)
                    val status = call("$kind$function", handle, key, room, size).status
                    val length = size.get(JAVA_LONG, 0)
                    return status to "$length:" + (0 until minOf(length, 64)).joinToString("") {
                        "%02x".format(room.get(JAVA_BYTE, it))
                    }
                }
                ok("${kind}SetOption", handle, "fake.user.a", "h\u00e9")
                text("fake.user.a", 64) shouldBe Pair(Status.OK, "4:68c3a900")
                text("fake.user.a", 3) shouldBe Pair(Status.OK, "4:55555555")
                text("fake.user.a", 4) shouldBe Pair(Status.OK, "4:68c3a900")
                ok("${kind}SetOptionBytes", handle, "fake.user.b", arena.allocateFrom(JAVA_BYTE, 0, 1, -1), 3L)
                text("fake.user.b", 64, "GetOptionBytes") shouldBe Pair(Status.OK, "3:0001ff")
                text("fake.user.b", 2, "GetOptionBytes") shouldBe Pair(Status.OK, "3:555555")
                text("fake.user.b", 64).first shouldBe Status.NOT_FOUND
                ok("${kind}SetOptionInt", handle, "fake.user.i", Long.MIN_VALUE)
                ok("${kind}GetOptionInt", handle, "fake.user.i", room)
                room.get(JAVA_LONG, 0) shouldBe Long.MIN_VALUE
                text("fake.user.i", 64) shouldBe Pair(Status.OK,
                    "21:" + "-9223372036854775808".map { "%02x".format(it.code) }.joinToString("") + "00")
                ok("${kind}SetOptionDouble", handle, "fake.user.d", 0.1)
                ok("${kind}GetOptionDouble", handle, "fake.user.d", room)
                room.get(JAVA_DOUBLE, 0) shouldBe 0.1
                call("${kind}GetOptionInt", handle, "fake.user.d", room).status shouldBe Status.NOT_FOUND
                ok("${kind}SetOption", handle, "fake.user.d", "another")
                text("fake.user.d", 64) shouldBe
                    Pair(Status.OK, "8:" + "another".map { "%02x".format(it.code) }.joinToString("") + "00")
                call("${kind}SetOption", handle, "nonsense", "x").let {
                    it.status shouldBe Status.NOT_IMPLEMENTED
                    it.message shouldBe "${kind}SetOption: there is no option nonsense"
                }
                call("${kind}GetOption", handle, "nonsense", room, size).let {
                    it.status shouldBe Status.NOT_FOUND
                    it.sqlstate shouldBe "02000"
                }
            }
        }
    }

    test("DatabaseInit fails if the server rejects the address or the password") {
        driver {
            ok("DatabaseNew", database)
            ok("DatabaseSetOption", database, "uri", "fake://refused")
            call("DatabaseInit", database).let { it.status shouldBe Status.IO; it.sqlstate shouldBe "08001" }
            ok("DatabaseSetOption", database, "uri", "fake://here")
            ok("DatabaseSetOption", database, "username", "nobody")
            ok("DatabaseSetOption", database, "password", "wrong")
            call("DatabaseInit", database).let {
                it.status shouldBe Status.UNAUTHENTICATED
                it.sqlstate shouldBe "28000"
            }
            ok("DatabaseSetOption", database, "password", "right")
            ok("DatabaseInit", database)
        }
    }

    val withoutHeader = SkipWithout {
        "set ADBC_HEADER to a folder with arrow-adbc/adbc.h in it".takeIf { System.getenv("ADBC_HEADER") == null }
    }
    test("the structs of Apache's header have the layout of our header")
        .config(extensions = listOf(CCompiler.commandNeeded, withoutHeader)) {
            val compiler = CCompiler.answer as CCompiler.Found
            val source = checkNotNull(NativeLibrary::class.java.getResource("/org/arbalest/support/c/adbc/layout.c"))
                .readText()
            val file = tempdir().toPath().resolve("layout.c").also { it.toFile().writeText(source) }
            val flags = listOf("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I${System.getenv("ADBC_HEADER")}",
                "-DADBC_HEADER=<arrow-adbc/adbc.h>")
            val process = ProcessBuilder(listOf("${compiler.path}") + flags + listOf("-c", "$file", "-o", "$file.o"))
                .redirectErrorStream(true).start()
            val words = process.inputReader().readText()
            Pair(process.waitFor(), words) shouldBe Pair(0, "")
        }
})
