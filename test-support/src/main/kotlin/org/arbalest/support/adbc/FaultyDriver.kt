// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import org.arbalest.support.NativeLibrary
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.Baseline
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.file.Path
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * A thin ADBC driver in C: DuckDB's functions with faults, and fixed results for features that DuckDB lacks.
 *
 * Load [file] as any driver. It is compiled and loaded at first use. A second load in the process returns the same
 * library, so the faults affect all its users. It counts each struct that it returns, and each call that `adbc.h`
 * forbids.
 *
 * Functions have the names of `struct AdbcDriver`, such as `StatementExecuteQuery`. The others are `get_schema`,
 * `get_next`, `get_last_error`, `stream.release`, `stream.unfinished` (a stream released before its end),
 * `error.release`, `partitions.release`, `driver.release` and `init` (an entry point). The tables are in
 * `c/adbc/duck.c`.
 *
 * Queries with fixed results are `SELECT * FROM batches(n, rows)`, `fails(n, rows, at)`, which fails at that batch,
 * `waits(n, rows, at)`, which waits there, and `stuck()`, whose execution waits. Any thread may call the functions of
 * this class.
 */
class FaultyDriver private constructor(main: String) {
    /**
     * The kinds of live objects in the driver. Except [DRIVERS], all counts are zero when the caller has released
     * everything.
     */
    enum class Live(val kind: Int) {
        /** Arrays; arrays of queries with fixed results include their children. */
        ARRAYS(0),

        /** Schemas; schemas of queries with fixed results include their children. */
        SCHEMAS(1),

        /** Errors of calls that are not released. */
        ERRORS(8),

        /** Tables of functions that were filled and not released. */
        DRIVERS(9),

        /** Databases. */
        DATABASES(10),

        /** Connections. */
        CONNECTIONS(11),

        /** Statements. */
        STATEMENTS(12),

        /** Sets of partitions. */
        PARTITIONS(13),

        /** Results. */
        STREAMS(14),

        /** Sets of several results. */
        MULTI_RESULT_SETS(15),
    }

    /** The behaviour of entry points. */
    enum class Init {
        /** Follows `adbc.h`. */
        NORMAL,

        /** A driver of 1.0.0: NOT_IMPLEMENTED for another version. */
        OLD,

        /** NOT_IMPLEMENTED for each version. */
        REFUSES,

        /** IO, with a message. */
        FAILS,

        /** INTERNAL; error and table are not touched. */
        SILENT,

        /** 200, which is no status, with a message. */
        ODD_STATUS,

        /** OK, and the whole table is NULL. */
        EMPTY,

        /** OK for each version, but only 1.0.0's part of the table is written. */
        IGNORES_VERSION,

        /** Follows `adbc.h`, but `ConnectionGetInfo` returns -7 as the driver's version. */
        ODD_VERSION,

        /** IO, with a message, but the table is filled, and the caller must release it. */
        FAILS_LATE,

        /** A driver of 1.1.0: NOT_IMPLEMENTED for a later version. */
        NO_DRAFT,
    }

    /** The form of errors. */
    enum class Style {
        /** The message is NULL. */
        NO_MESSAGE,

        /** Message and release come from another library, which counts them in [foreignErrors]. */
        FOREIGN,

        /** `vendor_code` is 4711 although there is space for details, and there are no details. */
        VENDOR_CODE,

        /** The SQLSTATE is five zeros. */
        NO_SQLSTATE,

        /** No details, although there is space for them. */
        NO_DETAILS,

        /** A byte in the middle of the message is 0xFF. */
        NOT_UTF8,

        /** The message has 65,536 bytes, with dots at its end. */
        LONG,

        /** `get_last_error` of a result returns NULL. */
        NO_LAST_ERROR,

        /** `ErrorFromArrayStream` returns NULL. */
        NO_STREAM_ERROR,

        /** The second detail has -1 bytes. */
        ODD_DETAIL,
    }

    /** The unit that only one thread may use at a time. */
    enum class Threads {
        /** Each handle and each result, as `adbc.h` requires. */
        OBJECT,

        /** A connection with its statements and results. */
        CONNECTION,

        /** No unit: any thread may use anything at any time. */
        ANY,
    }

    private enum class Setting {
        STYLE, INIT, THREADS, BIND_ON_THREAD, BINDINGS_END, OPTIONS_QUERY, CANCEL_ABORTS, ONE_COPY,
        WARNINGS, NULL_WARNING, PG_BOUND, SQLITE_BOUND,
    }

    private val library: NativeLibrary =
        NativeLibrary.compile(listOf("-O0", "-DDUCKDB=\"${DuckDbLibrary.file}\""), "adbc/$main.c", *SOURCES)
    private val reset by function("faulty_reset", JAVA_INT, JAVA_LONG)
    private val live by function("faulty_live", JAVA_LONG, JAVA_INT)
    private val calls by function("faulty_calls", JAVA_LONG, ADDRESS)
    private val rule by function("faulty_rule", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT)
    private val letGo by function("faulty_let_go", null)
    private val number by function("faulty_number", JAVA_LONG, JAVA_INT)
    private val text by function("faulty_text", ADDRESS, JAVA_INT)
    private val set by function("faulty_set", null, JAVA_INT, JAVA_INT)
    private val missing by function("faulty_missing", null, ADDRESS)
    private val lose by function("faulty_lose", null, JAVA_LONG)
    private val foreignFiller by function("faulty_foreign", null, ADDRESS)
    private val layoutLines by function("adbc_layout", ADDRESS)

    /** The path of the library. */
    val file: Path get() = library.file

    /**
     * Removes all faults and sets all counts to zero except the live ones. Revives the server, lets waiting calls
     * continue, and waits until no call runs.
     *
     * @throws IllegalStateException if a call still runs after five seconds
     */
    fun reset(): Unit = check(reset(5.seconds)) { STUCK }

    /**
     * Resets like the other `reset`, but returns false if a call still runs after [patience]. The driver frees the
     * memory that this call may use only in a later reset.
     */
    fun reset(patience: Duration): Boolean = reset.invoke(patience.inWholeMilliseconds) as Int != 0

    private val baseline = Baseline(Live.entries.size) { Live.entries.map { live.invoke(it.kind) as Long } }

    /** Counts [live] and [foreignErrors] from zero. */
    fun forgetLive() {
        baseline.begin()
        foreignBaseline.begin()
    }

    /**
     * Returns the number of live objects of a kind, without those that earlier tests have left: [FaultyDriverExtension]
     * counts each test from zero.
     */
    fun live(what: Live): Long = baseline.now()[what.ordinal]

    /** Returns the numbers of live objects of all kinds. */
    fun live(): Map<Live, Long> = Live.entries.zip(baseline.now()).toMap()

    /** Returns the number of calls of a function since [reset]; for an empty name, of all functions. */
    fun calls(name: String = ""): Long = withText(name) { calls.invoke(it) as Long }

    /**
     * Makes the [nth] call of a function from now on fail, with a status, or with an errno for a result's function. An
     * empty [name] stands for each function that releases nothing.
     */
    fun fail(name: String, nth: Long = 1, status: Int): Unit = rule(name, nth, status, 0)

    /** Makes that call and all later calls fail; see [fail]. */
    fun failFrom(name: String, nth: Long = 1, status: Int): Unit = rule(name, nth, status, 1)

    /**
     * Makes the [nth] call of a function from now on wait inside, until [letGo], or until it is cancelled, if that is
     * possible.
     */
    fun hold(name: String, nth: Long = 1): Unit = rule(name, nth, 0, 0)

    /** Lets all calls continue that wait now, by [hold] or in a query that waits. */
    fun letGo() {
        letGo.invoke()
    }

    /** The number of calls that wait now. */
    val held: Long get() = number(0)

    /** The number of faults of [fail] and [hold] that have not occurred yet. */
    val outstanding: Int get() = number(1).toInt()

    /** The functions of [outstanding] faults, or an empty text. */
    val outstandingFunctions: String get() = text(3)

    /** The number of calls that came while another thread was in the same object, as [threads] defines it. */
    val races: Long get() = number(2)

    /** The first of [races], or an empty text. */
    val race: String get() = text(0)

    /**
     * The number of calls that came while another thread was in the same connection, or in a statement or result of it.
     * This alone is not a failure.
     */
    val overlaps: Long get() = number(3)

    /** The number of releases of objects that were released before. */
    val doubleReleases: Long get() = number(4)

    /**
     * The number of calls that `adbc.h` forbids: calls on a released object, a statement released before its result,
     * handles that are not zeroed, and similar calls.
     */
    val violations: Long get() = number(5)

    /** The first of [violations], or an empty text. */
    val violation: String get() = text(1)

    /** The last entry point that was called, or an empty text. */
    val entered: String get() = text(2)

    /** The version that the caller of the entry point requested. */
    val version: Int get() = number(6).toInt()

    /** Sets the form of errors from now on. */
    fun errors(vararg styles: Style) {
        if (Style.FOREIGN in styles) foreignFiller.invoke(foreign.findOrThrow("foreign_fill"))
        set(Setting.STYLE, styles.fold(0) { bits, style -> bits or (1 shl style.ordinal) })
    }

    /** Sets the behaviour of entry points from now on. */
    fun init(how: Init): Unit = set(Setting.INIT, how.ordinal)

    /** Sets the unit of [races]. */
    fun threads(mode: Threads): Unit = set(Setting.THREADS, mode.ordinal)

    /** Sets whether one of the driver's threads pulls and releases the bound data, while the execution waits for it. */
    fun bindOnThread(isOn: Boolean = true): Unit = set(Setting.BIND_ON_THREAD, if (isOn) 1 else 0)

    /** Sets whether the driver silently treats a failure of the bound data as its end, as DuckDB does. */
    fun endBindingsThatFail(isOn: Boolean = true): Unit = set(Setting.BINDINGS_END, if (isOn) 1 else 0)

    /**
     * Sets whether the driver runs a query for `GetOption` of a connection, as DuckDB and PostgreSQL do. The call then
     * counts as a call of its connection, and fails while another thread is in the connection.
     */
    fun queryForOptions(isOn: Boolean = true): Unit = set(Setting.OPTIONS_QUERY, if (isOn) 1 else 0)

    /**
     * Sets whether a cancel within a transaction aborts it, as PostgreSQL does: statements fail until a rollback, and a
     * commit rolls back.
     */
    fun abortOnCancel(isOn: Boolean = true): Unit = set(Setting.CANCEL_ABORTS, if (isOn) 1 else 0)

    /**
     * Sets whether a connection has one open result, as in PostgreSQL's driver, which reads results by `COPY`. The next
     * execution, metadata call or queried option ends it. A pull of an ended result reads the rows of the open one. The
     * option `adbc.postgresql.use_copy` of a statement is then `true`. Unless it is set to `false`, `EXPLAIN`, `SHOW`
     * and a query with a comment at its end fail, and abort the transaction.
     */
    fun oneCopy(isOn: Boolean = true): Unit = set(Setting.ONE_COPY, if (isOn) 1 else 0)

    /**
     * Sets whether bound data are handled as by PostgreSQL's driver: for times with a zone it begins a transaction, and
     * sets the session's zone to UTC, until all bound rows were executed; it forgets the nulls of lists' items. `BEGIN`
     * is a transaction of its own. After a query, the state of the transaction is `active`. The connection's options
     * `adbc.postgresql.transaction_status` and `fake.zone` (`UTC` or `local`) report both. Sources and details are in
     * `c/adbc/foibles.c`.
     */
    fun bindAsPostgreSql(isOn: Boolean = true): Unit = set(Setting.PG_BOUND, if (isOn) 1 else 0)

    /** Sets whether bound dates are stored as by SQLite's driver, modulo 2 to the power of 32 seconds. */
    fun bindAsSqlite(isOn: Boolean = true): Unit = set(Setting.SQLITE_BOUND, if (isOn) 1 else 0)

    /**
     * Sets the number of warnings that each execution sends to the connection's handler; a negative number sends each
     * from another thread.
     */
    fun warn(count: Int): Unit = set(Setting.WARNINGS, count)

    /** Passes NULL to the handler before the warnings of each execution. */
    fun warnOfNothing(): Unit = set(Setting.NULL_WARNING, 1)

    /** Sets members of the table of functions to NULL, such as `StatementCancel` or `release`. */
    fun missing(vararg members: String): Unit = withText(members.joinToString(",", ",", ",")) { missing.invoke(it) }

    /**
     * Simulates the loss of the server [after] this number of further calls: all calls except releases then fail with
     * IO, or EIO.
     */
    fun loseServer(after: Long = 0) {
        lose.invoke(after)
    }

    /** Ends [loseServer]. */
    fun reviveServer() {
        lose.invoke(-1L)
    }

    /** Lines `Struct.field offset` and `Struct size`: the layout of the structs of `adbc.h` by the C compiler. */
    val layout: String get() = (layoutLines.invoke() as MemorySegment).reinterpret(Long.MAX_VALUE).getString(0)

    /** Returns the address of an entry point, or of another function that the library exports. */
    fun address(name: String): MemorySegment = library.findOrThrow(name)

    private fun rule(name: String, nth: Long, code: Int, lasts: Int): Unit =
        withText(name) {
            check(rule.invoke(it, nth, code, lasts) as Int == 1) {
                "no rule for $name: the driver's table of rules is full; call reset"
            }
        }

    private fun number(which: Int): Long = number.invoke(which) as Long

    private fun text(which: Int): String =
        (text.invoke(which) as MemorySegment).reinterpret(Long.MAX_VALUE).getString(0)

    private fun set(setting: Setting, value: Int) {
        set.invoke(setting.ordinal, value)
    }

    private fun <T> withText(text: String, call: (MemorySegment) -> T): T =
        Arena.ofConfined().use { call(it.allocateFrom(text)) }

    private fun function(name: String, result: MemoryLayout?, vararg parameters: MemoryLayout) = lazy {
        val type = if (result == null) FunctionDescriptor.ofVoid(*parameters)
        else FunctionDescriptor.of(result, *parameters)
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type)
    }

    companion object {
        private val SOURCES = listOf(
            "peer" to "peer.h tracker.h tracker.c nodes.c streams.c",
            "async" to "async.h metadata.h producer.h source.h metadata.c producer.c source.c driver.c",
            "adbc" to "functions.h adbc.h adbc_draft.h driver.h faults.c errors.c options.c calls.c accessors.c " +
                "duck.c bound.c foibles.c results.c warnings.c statement.c partitions.c connection.c metadata.c " +
                "multi.c draft.c table.c layout.c",
        ).flatMap { (folder, files) -> files.split(' ').map { "$folder/$it" } }.toTypedArray()

        private val foreign by lazy { NativeLibrary.compile("adbc/foreign.c", "adbc/adbc.h", "adbc/functions.h") }

        /** The reason why there is no driver here: no C compiler, or no DuckDB. Null if there is one. */
        val missing: String? get() = NativeLibrary.missing ?: DuckDbLibrary.missing

        /**
         * Skips the tests of a spec, with the reason, if there is no driver. With `CI=true` in the environment they
         * fail instead.
         */
        val needed: SkipWithout = SkipWithout { missing?.takeUnless { System.getenv("CI") == "true" } }

        /** The message about a call that does not end. */
        const val STUCK: String = "a call of the driver still runs, though nothing holds it"

        /**
         * The driver as `libadbc_driver_faulty`, with an entry point for each way to find one and each way to fail: see
         * `adbc_driver_faulty.c`.
         */
        val full: FaultyDriver by lazy { FaultyDriver("adbc_driver_faulty") }

        /** The driver as `libplain`, with `AdbcDriverInit` alone. It has its own counts and faults. */
        val plain: FaultyDriver by lazy { FaultyDriver("plain") }

        /** A library without an entry point. */
        val notADriver: Path by lazy { NativeLibrary.compile("adbc/not_a_driver.c").file }

        private val foreignLive by lazy {
            Linker.nativeLinker().downcallHandle(foreign.findOrThrow("foreign_live"), FunctionDescriptor.of(JAVA_LONG))
        }
        private val foreignBaseline = Baseline(1) { listOf(foreignLive.invoke() as Long) }

        /**
         * The number of errors with [Style.FOREIGN] that are not released, without those that earlier tests have left.
         */
        val foreignErrors: Long get() = foreignBaseline.now().single()
    }
}
