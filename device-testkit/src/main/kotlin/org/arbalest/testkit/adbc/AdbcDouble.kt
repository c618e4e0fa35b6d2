// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.adbc

import org.arbalest.testkit.Arguments
import org.arbalest.testkit.NativeLibrary
import org.arbalest.testkit.textAt
import org.arbalest.testkit.withArguments
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle
import java.nio.file.Path

/**
 * An ADBC driver in C, over tables in memory: all of `adbc.h` 1.1.0, in its 1.0.0 form too, and whatever may go wrong, when a test asks for it.
 *
 * Load [file] as any driver. It is compiled at first use and loaded already; whoever loads it again gets the same one, so what is asked of it here befalls
 * the calls of whoever uses it. It counts each struct that it gives out, and what was done to it that `adbc.h` forbids.
 *
 * Functions go by their names in `struct AdbcDriver`, such as `StatementExecuteQuery`; and by `get_schema`, `get_next`, `get_last_error`, `stream.release`,
 * `stream.unfinished` (a stream released before its end), `error.release`, `partitions.release`, `driver.release`, `init` (an entry point). What SQL it speaks, and which options it has, is in `c/adbc/sql/tree.h`
 * and the files beside it. Any thread may call what is here.
 */
public class AdbcDouble private constructor(main: String) {
    /** What is live in the driver. Without [DRIVERS], and what the process keeps, all are zero when everything is released. */
    public enum class Live(internal val kind: Int) {
        /** Blocks of memory of whatever is below, and of what databases store. */
        ALLOCATIONS(-1),

        /** Arrays, children among them. */
        ARRAYS(0),

        /** Schemas, children among them. */
        SCHEMAS(1),

        /** Results. */
        STREAMS(2),

        /** Errors of calls that are not released. */
        ERRORS(8),

        /** Tables of functions that were filled, and not released. */
        DRIVERS(9),

        /** Databases. */
        DATABASES(10),

        /** Connections. */
        CONNECTIONS(11),

        /** Statements. */
        STATEMENTS(12),

        /** Sets of partitions. */
        PARTITIONS(13),
    }

    /** How entry points behave. */
    public enum class Init {
        /** As `adbc.h` says. */
        NORMAL,

        /** A driver of 1.0.0: asked for another version it says NOT_IMPLEMENTED. */
        OLD,

        /** NOT_IMPLEMENTED, whatever the version. */
        REFUSES,

        /** IO, with a message. */
        FAILS,

        /** INTERNAL; neither error nor table is touched. */
        SILENT,

        /** 200, which is no status, with a message. */
        ODD_STATUS,

        /** OK, and all of the table is NULL. */
        EMPTY,

        /** OK, whatever the version, but only 1.0.0's part of the table is written. */
        IGNORES_VERSION,

        /** As `adbc.h` says, but `ConnectionGetInfo` says that the driver's version is -7. */
        ODD_VERSION,

        /** IO, with a message, but the table is filled, and is to be released. */
        FAILS_LATE,
    }

    /** What errors look like, where it is not the usual. */
    public enum class Style(internal val bit: Int) {
        /** The message is NULL. */
        NO_MESSAGE(0x1),

        /** Message and release are of another library, which counts them in [foreignErrors]. */
        FOREIGN(0x2),

        /** `vendor_code` is 4711 though there is room for details, of which there are none then. */
        VENDOR_CODE(0x4),

        /** Five zeros. */
        NO_SQLSTATE(0x8),

        /** No details, though there is room for them. */
        NO_DETAILS(0x10),

        /** A byte in the middle of the message is 0xFF. */
        NOT_UTF8(0x20),

        /** The message has 65,536 bytes, dots at its end. */
        LONG(0x40),

        /** `get_last_error` of a result is NULL. */
        NO_LAST_ERROR(0x80),

        /** `ErrorFromArrayStream` is NULL. */
        NO_STREAM_ERROR(0x100),

        /** The second detail has -1 bytes. */
        ODD_DETAIL(0x200),
    }

    /** What counts as one object, which two threads may not be in at once. */
    public enum class Threads {
        /** Each handle and each result, as `adbc.h` asks for. */
        OBJECT,

        /** A connection with its statements and results. */
        CONNECTION,

        /** Nothing. */
        ANY,
    }

    private val library: NativeLibrary = NativeLibrary.compile("adbc/$main.c", *SOURCES)
    private val resetFunction by function("adbc_double_reset", null)
    private val liveFunction by function("adbc_double_live", JAVA_LONG, JAVA_INT)
    private val callsFunction by function("adbc_double_calls", JAVA_LONG, ADDRESS)
    private val failFunction by function("adbc_double_fail", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT)
    private val holdFunction by function("adbc_double_hold", JAVA_INT, ADDRESS, JAVA_LONG)
    private val letGoFunction by function("adbc_double_let_go", null)
    private val heldFunction by function("adbc_double_held", JAVA_LONG)
    private val outstandingFunction by function("adbc_double_outstanding", JAVA_INT)
    private val errorsFunction by function("adbc_double_errors", null, JAVA_INT)
    private val initFunction by function("adbc_double_init", null, JAVA_INT)
    private val threadsFunction by function("adbc_double_threads", null, JAVA_INT)
    private val bindOnThreadFunction by function("adbc_double_bind_on_thread", null, JAVA_INT)
    private val bindingEndsFailedFunction by function("adbc_double_binding_ends_failed", null, JAVA_INT)
    private val missingFunction by function("adbc_double_missing", null, ADDRESS)
    private val loseFunction by function("adbc_double_lose", null, JAVA_LONG)
    private val foreignFunction by function("adbc_double_foreign", null, ADDRESS)
    private val enteredFunction by function("adbc_double_entered", ADDRESS)
    private val enteredVersionFunction by function("adbc_double_entered_version", JAVA_INT)
    private val doubleReleasesFunction by function("adbc_double_double_releases", JAVA_LONG)
    private val violationsFunction by function("adbc_double_violations", JAVA_LONG)
    private val violationFunction by function("adbc_double_violation", ADDRESS)
    private val racesFunction by function("adbc_double_races", JAVA_LONG)
    private val raceFunction by function("adbc_double_race", ADDRESS)
    private val layoutFunction by function("adbc_layout", ADDRESS)

    /** Where the library lies. */
    public val file: Path get() = library.file

    /** Forgets what tests have asked for and what was counted, revives the server, lets go who waits. What is live stays so. While nobody else is in a call. */
    public fun reset() {
        resetFunction.invoke()
    }

    /** How many there are now. */
    public fun live(what: Live): Long = liveFunction.invoke(what.kind) as Long

    /** All of [live]. */
    public fun live(): Map<Live, Long> = Live.entries.associateWith(::live)

    /** How often a function was called since [reset]; of an empty name, how often any was. */
    public fun calls(name: String = ""): Long = withArguments { callsFunction.invoke(text(name)) as Long }

    /**
     * Lets the [nth] call of a function from now on fail: with a status, or an errno if it is a result's. An empty [name] is any function but those that release.
     */
    public fun fail(name: String, nth: Long = 1, status: Int): Unit = rule(name) { failFunction.invoke(text(name), nth, status, 0) as Int }

    /** Like [fail], that call and all after it. */
    public fun failFrom(name: String, nth: Long = 1, status: Int): Unit = rule(name) { failFunction.invoke(text(name), nth, status, 1) as Int }

    /** Lets the [nth] call of a function from now on wait inside, until [letGo], or until it is cancelled, if it can be. */
    public fun hold(name: String, nth: Long = 1): Unit = rule(name) { holdFunction.invoke(text(name), nth) as Int }

    /** Lets go those who wait now, by [hold] or in a query that waits. */
    public fun letGo() {
        letGoFunction.invoke()
    }

    /** How many wait now. */
    public val held: Long get() = heldFunction.invoke() as Long

    /** How many of what [fail] and [hold] asked for have not come. */
    public val outstanding: Int get() = outstandingFunction.invoke() as Int

    /** Says what errors look like from now on. */
    public fun errors(vararg styles: Style) {
        if (Style.FOREIGN in styles) foreignFunction.invoke(foreign.findOrThrow("foreign_fill"))
        errorsFunction.invoke(styles.fold(0) { bits, style -> bits or style.bit })
    }

    /** Says how entry points behave from now on. */
    public fun init(how: Init) {
        initFunction.invoke(how.ordinal)
    }

    /** Lets members of the table of functions be NULL, such as `StatementCancel` or `release`. */
    public fun missing(vararg members: String): Unit = withArguments { missingFunction.invoke(text(members.joinToString(",", ",", ","))) }

    /** Lets the server be gone [after] so many more calls: all but releases and those for options of errors then fail with IO, or EIO. */
    public fun loseServer(after: Long = 0) {
        loseFunction.invoke(after)
    }

    /** Takes [loseServer] back. */
    public fun reviveServer() {
        loseFunction.invoke(-1L)
    }

    /** Says what counts as one object for [races]. */
    public fun threads(mode: Threads) {
        threadsFunction.invoke(mode.ordinal)
    }

    /** Says whether a thread of the driver's own pulls, and releases, what is bound, while the execution waits for it. */
    public fun bindOnThread(isOn: Boolean = true) {
        bindOnThreadFunction.invoke(if (isOn) 1 else 0)
    }

    /** Says whether what is bound is at its end where it fails, with no word about that: so DuckDB takes it. */
    public fun endBindingsThatFail(isOn: Boolean = true) {
        bindingEndsFailedFunction.invoke(if (isOn) 1 else 0)
    }

    /** The entry point that was called last, or an empty text. */
    public val entered: String get() = (enteredFunction.invoke() as MemorySegment).textAt()

    /** The version that it was asked for. */
    public val version: Int get() = enteredVersionFunction.invoke() as Int

    /** Releases of what was released before. */
    public val doubleReleases: Long get() = doubleReleasesFunction.invoke() as Long

    /** What was done that `adbc.h` forbids: calls on what is released, a statement released before its result, handles that are not zeroed, and such. */
    public val violations: Long get() = violationsFunction.invoke() as Long

    /** The first of them, or an empty text. */
    public val violation: String get() = (violationFunction.invoke() as MemorySegment).textAt()

    /** Calls that came while another thread was in the same object. */
    public val races: Long get() = racesFunction.invoke() as Long

    /** The first of them, or an empty text. */
    public val race: String get() = (raceFunction.invoke() as MemorySegment).textAt()

    /** Lines `Struct.field offset` and `Struct size`, as the C compiler lays the structs of `adbc.h` out. */
    public val layout: String get() = (layoutFunction.invoke() as MemorySegment).textAt()

    /** The address of an entry point, or of another function that the library exports. */
    public fun address(name: String): MemorySegment = library.findOrThrow(name)

    private inline fun rule(name: String, crossinline add: Arguments.() -> Int): Unit =
        withArguments { check(add() == 1) { "the double has no room for one more rule, for $name" } }

    private fun function(name: String, result: MemoryLayout?, vararg parameters: MemoryLayout): Lazy<MethodHandle> = lazy {
        val type = if (result == null) FunctionDescriptor.ofVoid(*parameters) else FunctionDescriptor.of(result, *parameters)
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type)
    }

    public companion object {
        private val SOURCES = listOf(
            "peer" to "peer.h ledger.h ledger.c nodes.c",
            "adbc/core" to "adbc.h layout.c arena.h arena.c knobs.h knobs.c errors.h errors.c options.h options.c handles.h handles.c accessors.h accessors.c",
            "adbc/data" to "columns.h columns.c tables.h tables.c cells.h cells.c",
            "adbc/sql" to "tree.h sql.h sql.c lexer.h lexer.c ddl.h ddl.c",
            "adbc/query" to "results.h results.c views.h views.c bind.h bind.c values.h values.c picked.h picked.c generated.c select.h select.c keys.h keys.c " +
                "create.h create.c change.h change.c ingest.h ingest.c sample.h sample.c queries.h queries.c",
            "adbc" to "functions.h driver.h driver.c database.c connection.c statement.c execute.c partitions.c metadata.h metadata.c info.c objects.c statistics.c",
        ).flatMap { (folder, files) -> files.split(' ').map { "$folder/$it" } }.toTypedArray()

        private val foreign by lazy { NativeLibrary.compile("adbc/foreign.c", "adbc/core/adbc.h") }

        /** The driver as `libadbc_driver_double`, with an entry point for each way to be found and each way to fail: `adbc_driver_double.c` says which. */
        public val full: AdbcDouble by lazy { AdbcDouble("adbc_driver_double") }

        /** The driver as `libplain`, with `AdbcDriverInit` alone. It counts for itself. */
        public val plain: AdbcDouble by lazy { AdbcDouble("plain") }

        /** A library that has no entry point. */
        public val notADriver: Path by lazy { NativeLibrary.compile("adbc/not_a_driver.c").file }

        /** How many errors with [Style.FOREIGN] are not released. */
        public val foreignErrors: Long
            get() = Linker.nativeLinker().downcallHandle(foreign.findOrThrow("foreign_live"), FunctionDescriptor.of(JAVA_LONG)).invoke() as Long
    }
}
