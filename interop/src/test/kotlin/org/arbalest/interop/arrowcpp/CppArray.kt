// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.DeviceArray
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.interop.I32
import org.arbalest.interop.I64
import org.arbalest.interop.PTR
import org.arbalest.interop.function
import org.arbalest.interop.orWords
import java.lang.foreign.MemorySegment

/** A reference to an `arrow::Array`. */
internal class CppArray private constructor(private val held: MemorySegment) : AutoCloseable {
    /** Throws the fault that Arrow C++'s validation finds, which includes the content of the buffers. */
    fun validate() {
        orWords { text -> Unit.takeIf { validate.invoke(held, text) == 0 } }
    }

    fun isEqualTo(other: CppArray): Boolean = equals.invoke(held, other.held) == 1

    fun slice(from: Long, count: Long): CppArray = CppArray(slice.invoke(held, from, count) as MemorySegment)

    /** Returns this array and another one concatenated, in memory of Arrow C++. */
    fun plus(other: CppArray): CppArray = orWords { text -> hold(concatenate.invoke(held, other.held, text)) }

    /** Returns the value of a row as Arrow C++ prints it. */
    fun value(row: Long): String = orWords { text ->
        if (value.invoke(held, row, text) == 0) text.getString(0) else null
    }

    /** Exports the array, and returns it as a device array that shares the buffers. */
    fun export(): DeviceArray = orWords { text ->
        val (array, schema) = allocate(ArrowArrayStruct.LAYOUT) to allocate(ArrowSchemaStruct.LAYOUT)
        if (export.invoke(held, array, schema, text) == 0)
            CData.importArray(array, CImport.DATA.schema(schema)) else null
    }

    /** Returns the statistics that Arrow C++ has for a struct, as an array of the statistics schema. */
    fun statistics(): CppArray = orWords { text -> hold(statistics.invoke(held, text)) }

    override fun close() {
        free.invoke(held)
    }

    fun closeOnThread() {
        freeOnThread.invoke(held)
    }

    companion object {
        private val shim = ArrowCpp.compile("arrays.cpp", "arrow_own.h", "arrays.map")
        private val import = shim.function("arrays_import", PTR, PTR, PTR, PTR)
        private val export = shim.function("arrays_export", I32, PTR, PTR, PTR, PTR)
        private val validate = shim.function("arrays_validate", I32, PTR, PTR)
        private val equals = shim.function("arrays_equals", I32, PTR, PTR)
        private val slice = shim.function("arrays_slice", PTR, PTR, I64, I64)
        private val concatenate = shim.function("arrays_concatenate", PTR, PTR, PTR, PTR)
        private val value = shim.function("arrays_value", I32, PTR, I64, PTR)
        private val statistics = shim.function("arrays_statistics", PTR, PTR, PTR)
        private val free = shim.function("arrays_free", null, PTR)
        private val freeOnThread = shim.function("arrays_free_on_thread", null, PTR)
        private val importStream = shim.function("arrays_import_stream", PTR, PTR, PTR)
        private val exportStream = shim.function("arrays_export_stream", I32, PTR, PTR, PTR)
        private val validateStream = shim.function("arrays_validate_stream", I32, PTR, PTR)
        private val columnsEqual = shim.function("arrays_columns_equal", I32, PTR, I64, I64, PTR)
        private val leaveStream = shim.function("arrays_leave_stream", I32, PTR, PTR)
        private val freeStream = shim.function("arrays_free_stream", null, PTR)

        /** Passes one of our arrays to Arrow C++; the handle is consumed. */
        fun of(array: DeviceArray): CppArray = orWords { text ->
            val (out, schema) = allocate(ArrowArrayStruct.LAYOUT) to allocate(ArrowSchemaStruct.LAYOUT)
            array.use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
            hold(import.invoke(out, schema, text))
        }

        private fun hold(pointer: Any?): CppArray? = (pointer as MemorySegment).takeIf { it.address() != 0L }
            ?.let(::CppArray)
    }

    /** A reference to an `arrow::ChunkedArray` that contains all batches of a stream. */
    internal class Chunks private constructor(private val held: MemorySegment) : AutoCloseable {
        fun validate() {
            orWords { text -> Unit.takeIf { validateStream.invoke(held, text) == 0 } }
        }

        /** Returns true if two columns of structs are equal, also if their chunks differ. */
        fun areEqual(column: Long, other: Long): Boolean = orWords { text ->
            (columnsEqual.invoke(held, column, other, text) as Int).takeIf { it >= 0 }?.let { it == 1 }
        }

        /** Exports the chunks as a stream that may be pulled and released after this object is closed. */
        fun export(out: MemorySegment) {
            orWords { text -> Unit.takeIf { exportStream.invoke(held, out, text) == 0 } }
        }

        override fun close() {
            freeStream.invoke(held)
        }

        companion object {
            /** Takes over a stream, and releases it before its first batch. */
            fun leave(stream: MemorySegment) {
                orWords { text -> Unit.takeIf { leaveStream.invoke(stream, text) == 0 } }
            }

            /** Pulls a stream to its end, and releases it. */
            fun of(stream: MemorySegment): Chunks = orWords { text ->
                (importStream.invoke(stream, text) as MemorySegment).takeIf { it.address() != 0L }?.let(::Chunks)
            }
        }
    }
}
