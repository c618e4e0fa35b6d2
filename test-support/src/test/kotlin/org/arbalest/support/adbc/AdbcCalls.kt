// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_DOUBLE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

internal object Status {
    const val OK = 0
    const val NOT_IMPLEMENTED = 2
    const val NOT_FOUND = 3
    const val ALREADY_EXISTS = 4
    const val INVALID_ARGUMENT = 5
    const val INVALID_STATE = 6
    const val INVALID_DATA = 7
    const val INTEGRITY = 8
    const val INTERNAL = 9
    const val IO = 10
    const val CANCELLED = 11
    const val TIMEOUT = 12
    const val UNAUTHENTICATED = 13
}

internal const val V100 = 1000000
internal const val V110 = 1001000

/** The outcome of a call, whose error is released. */
internal data class Outcome(
    val status: Int,
    val message: String?,
    val sqlstate: String,
    val vendor: Int,
    val details: List<Pair<String, List<Byte>>>,
    val rawSize: Int = 0,
)

/**
 * A minimal caller of an ADBC driver. It calls each function by name, with an error struct as the last argument, which
 * it reads and releases. It enforces no rule of `adbc.h`, so that a test can break them.
 */
internal class AdbcCalls(
    val driver: FaultyDriver,
    entry: String = "AdbcDriverInit",
    val version: Int = V110,
) : AutoCloseable {
    val arena: Arena = Arena.ofShared()
    private val offsets = driver.layout.lines().filter { it.isNotEmpty() }.associate {
        it.substringBefore(' ') to it.substringAfter(' ').toLong()
    }

    /** The table of functions, filled with a pattern that is no valid pointer. */
    val table: MemorySegment = arena.allocate(offsets.getValue("AdbcDriver"), 8).fill(0x77)
    val database: MemorySegment = arena.allocate(16, 8)
    val connection: MemorySegment = arena.allocate(16, 8)
    val statement: MemorySegment = arena.allocate(16, 8)
    val started: Outcome = outcome { error ->
        downcall(driver.address(entry), JAVA_INT, ADDRESS, ADDRESS).invokeWithArguments(version, table, error) as Byte
    }

    private fun downcall(function: MemorySegment, vararg parameters: MemoryLayout) =
        Linker.nativeLinker().downcallHandle(function, FunctionDescriptor.of(JAVA_BYTE, *parameters))

    fun member(name: String): MemorySegment = table.get(ADDRESS, offsets.getValue("AdbcDriver.$name"))

    fun isUntouched(name: String): Boolean =
        table.get(JAVA_LONG, offsets.getValue("AdbcDriver.$name")) == 0x7777777777777777

    fun offset(what: String): Long = offsets.getValue(what)

    /**
     * Calls a function by name and returns its outcome. Strings become C strings, null becomes NULL, and an error
     * struct follows the arguments.
     */
    fun call(name: String, vararg arguments: Any?): Outcome = Arena.ofConfined().use { local ->
        val values = arguments.map { if (it is String) local.allocateFrom(it) else it ?: MemorySegment.NULL }
        outcome { error ->
            val handle = downcall(member(name), *values.map(::layoutOf).toTypedArray(), ADDRESS)
            handle.invokeWithArguments(values + error) as Byte
        }
    }

    /** Calls a function, and fails the test if the call does not succeed. */
    fun ok(name: String, vararg arguments: Any?) {
        val outcome = call(name, *arguments)
        if (outcome.status != Status.OK) throw AssertionError("$name: $outcome")
        outcome.message shouldBe null
    }

    private fun layoutOf(value: Any): MemoryLayout = when (value) {
        is MemorySegment -> ADDRESS
        is Long -> JAVA_LONG
        is Int -> JAVA_INT
        is Byte -> JAVA_BYTE
        is Double -> JAVA_DOUBLE
        else -> error("no layout for $value")
    }

    private fun outcome(call: (MemorySegment) -> Byte): Outcome = Arena.ofConfined().use { local ->
        val error = local.allocate(48, 8)
        if (version >= V110) error.set(JAVA_INT, 8, Int.MIN_VALUE)
        val status = call(error).toInt() and 0xFF
        if (version < V110) error.asSlice(32, 16).toArray(JAVA_BYTE).all { it == 0.toByte() } shouldBe true
        read(status, error).also { release(error) }
    }

    /** Returns the contents of an error. */
    fun read(status: Int, error: MemorySegment): Outcome {
        val message = error.get(ADDRESS, 0)
        val raw = if (message.address() == 0L) null
        else message.reinterpret(Long.MAX_VALUE).let { it.asSlice(0, length(it)).toArray(JAVA_BYTE) }
        val sqlstate = error.asSlice(12, 5).toArray(JAVA_BYTE).takeWhile { it != 0.toByte() }.toByteArray()
            .decodeToString()
        return Outcome(status, raw?.decodeToString(), sqlstate, error.get(JAVA_INT, 8), details(error), raw?.size ?: 0)
    }

    private fun length(text: MemorySegment): Long = generateSequence(0L) { it + 1 }.first {
        text.get(JAVA_BYTE, it) == 0.toByte()
    }

    private fun details(error: MemorySegment): List<Pair<String, List<Byte>>> {
        if (version < V110 || isUntouched("ErrorGetDetailCount") || member("ErrorGetDetailCount").address() == 0L)
            return emptyList()
        // such an error has no details, and the driver must not be queried for them
        if (error.get(JAVA_INT, 8) != Int.MIN_VALUE || error.get(ADDRESS, 32).address() == 0L) return emptyList()
        val linker = Linker.nativeLinker()
        val count = linker.downcallHandle(member("ErrorGetDetailCount"), FunctionDescriptor.of(JAVA_INT, ADDRESS))
            .invokeWithArguments(error) as Int
        val detail = MemoryLayout.structLayout(ADDRESS, ADDRESS, JAVA_LONG)
        val get = linker.downcallHandle(member("ErrorGetDetail"), FunctionDescriptor.of(detail, ADDRESS, JAVA_INT))
        fun at(i: Int) = get.invokeWithArguments(arena, error, i) as MemorySegment
        if (count > 0) listOf(-1, count).forEach {
            at(it).toArray(JAVA_BYTE).all { byte -> byte == 0.toByte() } shouldBe true
        }
        return (0 until count).map(::at).map {
            val size = it.get(JAVA_LONG, 16)
            it.get(ADDRESS, 0).reinterpret(Long.MAX_VALUE).getString(0) to it.get(ADDRESS, 8).reinterpret(size)
                .toArray(JAVA_BYTE).toList()
        }
    }

    private fun release(error: MemorySegment) {
        val release = error.get(ADDRESS, 24)
        if (release.address() == 0L) return
        Linker.nativeLinker().downcallHandle(release, FunctionDescriptor.ofVoid(ADDRESS)).invokeWithArguments(error)
        error.get(ADDRESS, 24).address() shouldBe 0
        error.get(ADDRESS, 0).address() shouldBe 0
    }

    // ---- calls in the usual order ----

    fun open(vararg options: Pair<String, String>): AdbcCalls {
        started.status shouldBe Status.OK
        ok("DatabaseNew", database)
        for ((key, value) in options) ok("DatabaseSetOption", database, key, value)
        ok("DatabaseInit", database)
        connect(connection)
        ok("StatementNew", connection, statement)
        return this
    }

    fun connect(handle: MemorySegment = arena.allocate(16, 8)): MemorySegment {
        ok("ConnectionNew", handle)
        ok("ConnectionInit", handle, database)
        return handle
    }

    fun stream(): MemorySegment = arena.allocate(ArrowArrayStreamStruct.LAYOUT.byteSize(), 8)

    /** Returns the rows of a call whose last argument receives a stream. */
    fun rows(name: String, vararg arguments: Any?): List<Map<*, *>> {
        val stream = stream()
        ok(name, *arguments, stream)
        return rows(stream)
    }

    fun execute(sql: String, on: MemorySegment = statement): MemorySegment {
        val stream = stream()
        ok("StatementSetSqlQuery", on, sql)
        ok("StatementExecuteQuery", on, stream, null)
        return stream
    }

    fun query(sql: String): List<Map<*, *>> = rows(execute(sql))

    /** Returns the outcome of a query that requests no result. */
    fun run(sql: String, on: MemorySegment = statement): Outcome {
        ok("StatementSetSqlQuery", on, sql)
        return call("StatementExecuteQuery", on, null, null)
    }

    fun update(sql: String): Long {
        val rows = arena.allocate(8, 8)
        ok("StatementSetSqlQuery", statement, sql)
        ok("StatementExecuteQuery", statement, null, rows)
        return rows.get(JAVA_LONG, 0)
    }

    /** Releases the live handles, children first. */
    override fun close() {
        if (started.status == Status.OK) {
            if (statement.isLive) ok("StatementRelease", statement)
            if (connection.isLive) ok("ConnectionRelease", connection)
            if (database.isLive) ok("DatabaseRelease", database)
            if (member("release").address() != 0L) ok("release", table)
        }
        arena.close()
    }

    private val MemorySegment.isLive get() = get(ADDRESS, 0).address() != 0L

    companion object {
        /** Returns all rows of a stream. Validates each batch in full. */
        fun rows(stream: MemorySegment): List<Map<*, *>> =
            CData.importStream(stream, CImport.DATA.validation(Validation.FULL)).use(::rows)

        fun rows(reader: RecordBatchReader): List<Map<*, *>> = buildList {
            reader.forEach { batch -> for (row in 0 until batch.length()) add(batch.asColumn().get(row) as Map<*, *>) }
        }

        /** Returns the exception with which a stream fails before its end. */
        fun failure(stream: MemorySegment): DeviceException =
            runCatching { rows(stream) }.exceptionOrNull() as DeviceException

        fun fields(schema: MemorySegment): List<Field> = Schema.ofStruct(CData.importSchema(schema)).fields()
    }
}
