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
 * A thin ADBC driver in C: DuckDB's functions with faults, and canned answers for what DuckDB lacks.
 *
 * Load [file] as any driver. It is compiled and loaded at first use; a second load in the process returns the same
 * library, so the faults reach everybody who uses it. It counts each struct that it gives out, and each call that
 * `adbc.h` forbids.
 *
 * Functions have the names of `struct AdbcDriver`, such as `StatementExecuteQuery`; others are `get_schema`,
 * `get_next`, `get_last_error`, `stream.release`, `stream.unfinished` (a stream released before its end),
 * `error.release`, `partitions.release`, `driver.release` and `init` (an entry point). Its tables are in
 * `c/adbc/duck.c`. Canned queries are `SELECT * FROM batches(n, rows)`, `fails(n, rows, at)`, which fails at that
 * batch, `waits(n, rows, at)`, which waits there, and `stuck()`, whose execution waits. Any thread may call what is
 * here.
 */
class FaultyDriver private constructor(main: String) {
    /** What is live in the driver. Except [DRIVERS], all are zero when the caller has released everything. */
    enum class Live(val kind: Int) {
        /** Arrays; those of canned queries count their children too. */
        ARRAYS(0),

        /** Schemas; those of canned queries count their children too. */
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
    }

    /** How entry points behave. */
    enum class Init {
        /** As `adbc.h` says. */
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

        /** As `adbc.h` says, but `ConnectionGetInfo` returns -7 as the driver's version. */
        ODD_VERSION,

        /** IO, with a message, but the table is filled, and is to be released. */
        FAILS_LATE,
    }

    /** What errors look like. */
    enum class Style {
        /** The message is NULL. */
        NO_MESSAGE,

        /** Message and release are of another library, which counts them in [foreignErrors]. */
        FOREIGN,

        /** `vendor_code` is 4711 though there is room for details, and there are no details. */
        VENDOR_CODE,

        /** Five zeros. */
        NO_SQLSTATE,

        /** No details, though there is room for them. */
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

    /** What counts as one object, which two threads may not be in at once. */
    enum class Threads {
        /** Each handle and each result, as `adbc.h` requires. */
        OBJECT,

        /** A connection with its statements and results. */
        CONNECTION,

        /** Nothing. */
        ANY,
    }

    private enum class Setting { STYLE, INIT, THREADS, BIND_ON_THREAD, BINDINGS_END, OPTIONS_QUERY, CANCEL_ABORTS }

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

    /** Where the library is. */
    val file: Path get() = library.file

    /**
     * Removes all faults and zeroes all counts except the live ones, brings the server back, lets waiting calls go on,
     * and waits until no call runs.
     *
     * @throws IllegalStateException if a call still runs after five seconds
     */
    fun reset(): Unit = check(reset(5.seconds)) { STUCK }

    /**
     * Like [reset], but returns false if a call still runs after [patience]. The driver does not free what that call
     * may use before a later reset.
     */
    fun reset(patience: Duration): Boolean = reset.invoke(patience.inWholeMilliseconds) as Int != 0

    private val baseline = Baseline(Live.entries.size) { Live.entries.map { live.invoke(it.kind) as Long } }

    /** Counts [live] and [foreignErrors] from zero. */
    fun forgetLive() {
        baseline.begin()
        foreignBaseline.begin()
    }

    /**
     * How many there are now, without those that earlier tests have left: [FaultyDriverExtension] counts each test from
     * zero.
     */
    fun live(what: Live): Long = baseline.now()[what.ordinal]

    /** All of [live]. */
    fun live(): Map<Live, Long> = Live.entries.zip(baseline.now()).toMap()

    /** How often a function was called since [reset]; for an empty name, how often any was. */
    fun calls(name: String = ""): Long = withText(name) { calls.invoke(it) as Long }

    /**
     * Lets the [nth] call of a function from now on fail, with a status, or an errno for a result's function. An empty
     * [name] is each function that releases nothing.
     */
    fun fail(name: String, nth: Long = 1, status: Int): Unit = rule(name, nth, status, 0)

    /** Like [fail], for that call and all after it. */
    fun failFrom(name: String, nth: Long = 1, status: Int): Unit = rule(name, nth, status, 1)

    /**
     * Lets the [nth] call of a function from now on wait inside, until [letGo], or until it is cancelled, if it can be.
     */
    fun hold(name: String, nth: Long = 1): Unit = rule(name, nth, 0, 0)

    /** Lets calls go on that wait now, by [hold] or in a query that waits. */
    fun letGo() {
        letGo.invoke()
    }

    /** How many calls wait now. */
    val held: Long get() = number(0)

    /** How many of the faults of [fail] and [hold] have not come. */
    val outstanding: Int get() = number(1).toInt()

    /** The functions of [outstanding] faults, or an empty text. */
    val outstandingFunctions: String get() = text(3)

    /** Calls that came while another thread was in the same object, as [threads] defines it. */
    val races: Long get() = number(2)

    /** The first of [races], or an empty text. */
    val race: String get() = text(0)

    /**
     * Calls that came while another thread was in the same connection, or in a statement or result of it. No failure by
     * itself.
     */
    val overlaps: Long get() = number(3)

    /** Releases of what was released before. */
    val doubleReleases: Long get() = number(4)

    /**
     * Calls that `adbc.h` forbids: calls on what is released, a statement released before its result, handles that are
     * not zeroed, and such.
     */
    val violations: Long get() = number(5)

    /** The first of [violations], or an empty text. */
    val violation: String get() = text(1)

    /** The entry point that was called last, or an empty text. */
    val entered: String get() = text(2)

    /** The version that the entry point was asked for. */
    val version: Int get() = number(6).toInt()

    /** Sets what errors look like from now on. */
    fun errors(vararg styles: Style) {
        if (Style.FOREIGN in styles) foreignFiller.invoke(foreign.findOrThrow("foreign_fill"))
        set(Setting.STYLE, styles.fold(0) { bits, style -> bits or (1 shl style.ordinal) })
    }

    /** Sets how entry points behave from now on. */
    fun init(how: Init): Unit = set(Setting.INIT, how.ordinal)

    /** Sets what counts as one object for [races]. */
    fun threads(mode: Threads): Unit = set(Setting.THREADS, mode.ordinal)

    /** Sets whether a thread of the driver's own pulls and releases what is bound, while the execution waits for it. */
    fun bindOnThread(isOn: Boolean = true): Unit = set(Setting.BIND_ON_THREAD, if (isOn) 1 else 0)

    /** Sets whether the driver takes a failure of what is bound for its end, without a word, as DuckDB does. */
    fun endBindingsThatFail(isOn: Boolean = true): Unit = set(Setting.BINDINGS_END, if (isOn) 1 else 0)

    /**
     * Sets whether the driver runs a query for `GetOption`, as DuckDB and PostgreSQL do: the call is then one of its
     * connection, and fails while another thread is in that.
     */
    fun queryForOptions(isOn: Boolean = true): Unit = set(Setting.OPTIONS_QUERY, if (isOn) 1 else 0)

    /**
     * Sets whether a cancel within a transaction aborts it, as PostgreSQL does: statements fail until a rollback, and a
     * commit rolls back.
     */
    fun abortOnCancel(isOn: Boolean = true): Unit = set(Setting.CANCEL_ABORTS, if (isOn) 1 else 0)

    /** Lets members of the table of functions be NULL, such as `StatementCancel` or `release`. */
    fun missing(vararg members: String): Unit = withText(members.joinToString(",", ",", ",")) { missing.invoke(it) }

    /** Lets the server be gone [after] so many more calls: all except releases then fail with IO, or EIO. */
    fun loseServer(after: Long = 0) {
        lose.invoke(after)
    }

    /** Takes [loseServer] back. */
    fun reviveServer() {
        lose.invoke(-1L)
    }

    /** Lines `Struct.field offset` and `Struct size`, as the C compiler lays out the structs of `adbc.h`. */
    val layout: String get() = (layoutLines.invoke() as MemorySegment).reinterpret(Long.MAX_VALUE).getString(0)

    /** The address of an entry point, or of another function that the library exports. */
    fun address(name: String): MemorySegment = library.findOrThrow(name)

    private fun rule(name: String, nth: Long, code: Int, lasts: Int): Unit =
        withText(name) {
            check(rule.invoke(it, nth, code, lasts) as Int == 1) {
                "the driver has no room for one more rule, for $name"
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
            "peer" to "peer.h ledger.h ledger.c nodes.c streams.c",
            "adbc" to "functions.h adbc.h driver.h faults.c errors.c options.c calls.c accessors.c duck.c bound.c " +
                "results.c statement.c partitions.c " +
                "connection.c metadata.c table.c layout.c",
        ).flatMap { (folder, files) -> files.split(' ').map { "$folder/$it" } }.toTypedArray()

        private val foreign by lazy { NativeLibrary.compile("adbc/foreign.c", "adbc/adbc.h", "adbc/functions.h") }

        /** Why there can be no driver here: no C compiler, or no DuckDB. Null if there can be one. */
        val missing: String? get() = NativeLibrary.missing ?: DuckDbLibrary.missing

        /**
         * Skips the tests of a spec, with the reason, where there can be no driver. With `CI=true` in the environment
         * they fail instead.
         */
        val needed: SkipWithout = SkipWithout { missing?.takeUnless { System.getenv("CI") == "true" } }

        /** What is said of a call that does not end. */
        const val STUCK: String = "a call of the driver still runs, though nothing holds it"

        /**
         * The driver as `libadbc_driver_faulty`, with an entry point for each way to be found and each way to fail: see
         * `adbc_driver_faulty.c`.
         */
        val full: FaultyDriver by lazy { FaultyDriver("adbc_driver_faulty") }

        /** The driver as `libplain`, with `AdbcDriverInit` alone. It has counts and faults of its own. */
        val plain: FaultyDriver by lazy { FaultyDriver("plain") }

        /** A library that has no entry point. */
        val notADriver: Path by lazy { NativeLibrary.compile("adbc/not_a_driver.c").file }

        private val foreignLive by lazy {
            Linker.nativeLinker().downcallHandle(foreign.findOrThrow("foreign_live"), FunctionDescriptor.of(JAVA_LONG))
        }
        private val foreignBaseline = Baseline(1) { listOf(foreignLive.invoke() as Long) }

        /** How many errors with [Style.FOREIGN] are not released, without those that earlier tests have left. */
        val foreignErrors: Long get() = foreignBaseline.now().single()
    }
}
