// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.gdal

import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.interop.EngineException
import org.arbalest.interop.F64
import org.arbalest.interop.I32
import org.arbalest.interop.I64
import org.arbalest.interop.PTR
import org.arbalest.interop.function
import org.arbalest.interop.text
import java.lang.foreign.Arena
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.file.Path

/** The part of GDAL's C API that writes layers of vector data and reads them as Arrow streams. */
internal object Gdal {
    private const val LIBRARY = "libgdal.so.32"
    private val answer by lazy { runCatching { SymbolLookup.libraryLookup(LIBRARY, Arena.global()) } }

    val missing: String? get() = answer.exceptionOrNull()?.let { "no GDAL: no $LIBRARY (on Debian, libgdal32)" }

    private val gdal by lazy { answer.getOrThrow().also { it.function("GDALAllRegister", null).invoke() } }
    private val getDriver by lazy { gdal.function("GDALGetDriverByName", PTR, PTR) }
    private val create by lazy { gdal.function("GDALCreate", PTR, PTR, PTR, I32, I32, I32, I32, PTR) }
    private val open by lazy { gdal.function("GDALOpenEx", PTR, PTR, I32, PTR, PTR, PTR) }
    private val close by lazy { gdal.function("GDALClose", null, PTR) }
    private val createLayer by lazy { gdal.function("GDALDatasetCreateLayer", PTR, PTR, PTR, PTR, I32, PTR) }
    private val getLayer by lazy { gdal.function("GDALDatasetGetLayer", PTR, PTR, I32) }
    private val lastError by lazy { gdal.function("CPLGetLastErrorMsg", PTR) }
    private val createFieldDefinition by lazy { gdal.function("OGR_Fld_Create", PTR, PTR, I32) }
    private val setSubType by lazy { gdal.function("OGR_Fld_SetSubType", null, PTR, I32) }
    private val destroyFieldDefinition by lazy { gdal.function("OGR_Fld_Destroy", null, PTR) }
    private val createField by lazy { gdal.function("OGR_L_CreateField", I32, PTR, PTR, I32) }
    private val definition by lazy { gdal.function("OGR_L_GetLayerDefn", PTR, PTR) }
    private val newFeature by lazy { gdal.function("OGR_F_Create", PTR, PTR) }
    private val createFeature by lazy { gdal.function("OGR_L_CreateFeature", I32, PTR, PTR) }
    private val destroyFeature by lazy { gdal.function("OGR_F_Destroy", null, PTR) }
    private val arrowStream by lazy { gdal.function("OGR_L_GetArrowStream", I32, PTR, PTR, PTR) }

    /**
     * Returns a function that sets a field of a feature. The first two arguments of the function are the feature and
     * the field's index; [arguments] are the layouts of the other ones.
     */
    fun setter(name: String, vararg arguments: MemoryLayout) = gdal.function(name, null, PTR, I32, *arguments)

    /** A kind of field: its type and subtype in OGR, and the function that sets row `i` of it. */
    class FieldKind(
        val name: String,
        val type: Int,
        val subType: Int = 0,
        val set: Arena.(MemorySegment, Int, Int) -> Unit,
    )

    class Dataset(private val handle: MemorySegment) : AutoCloseable {
        private val layer get() = Gdal.getLayer.invoke(handle, 0) as MemorySegment

        fun addLayer(kinds: List<FieldKind>, rows: Int): Unit = Arena.ofConfined().use { arena ->
            val layer = orFail(
                createLayer.invoke(handle, arena.allocateFrom("layer"), MemorySegment.NULL, POINT, MemorySegment.NULL),
            )
            for (kind in kinds) {
                val field = createFieldDefinition.invoke(arena.allocateFrom(kind.name), kind.type) as MemorySegment
                setSubType.invoke(field, kind.subType)
                check(createField.invoke(layer, field, 1) == 0) { "GDAL cannot create field ${kind.name}: ${words()}" }
                destroyFieldDefinition.invoke(field)
            }
            for (row in 0 until rows) {
                val feature = newFeature.invoke(definition.invoke(layer)!!) as MemorySegment
                kinds.forEachIndexed { i, kind -> arena.(kind.set)(feature, i, row) }
                check(createFeature.invoke(layer, feature) == 0) { "GDAL cannot create feature $row: ${words()}" }
                destroyFeature.invoke(feature)
            }
        }

        /** Returns the layer as a stream, which must be released before the dataset is closed. */
        fun stream(batchRows: Int): RecordBatchReader = Arena.ofConfined().use { arena ->
            val options = arena.allocate(PTR, 2).also {
                it.set(PTR, 0, arena.allocateFrom("MAX_FEATURES_IN_BATCH=$batchRows"))
            }
            val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
            check(arrowStream.invoke(layer, stream, options) == 1) { "GDAL cannot create the stream: ${words()}" }
            CData.importStream(stream, CImport.DATA)
        }

        override fun close() {
            Gdal.close.invoke(handle)
        }
    }

    private const val POINT = 1
    private const val VECTOR = 4

    /** Creates a dataset of a driver, with one layer of points. */
    fun create(
        driver: String,
        path: String,
        kinds: List<FieldKind>,
        rows: Int,
    ): Dataset = Arena.ofConfined().use { arena ->
        val found = orFail(getDriver.invoke(arena.allocateFrom(driver)))
        Dataset(orFail(create.invoke(found, arena.allocateFrom(path), 0, 0, 0, 0, MemorySegment.NULL)))
            .also { it.addLayer(kinds, rows) }
    }

    fun open(path: Path): Dataset = Arena.ofConfined().use { arena ->
        Dataset(orFail(open.invoke(arena.allocateFrom("$path"), VECTOR, MemorySegment.NULL, MemorySegment.NULL,
            MemorySegment.NULL)))
    }

    private fun orFail(pointer: Any?): MemorySegment = (pointer as MemorySegment).also {
        if (it.address() == 0L) throw EngineException("${words()}")
    }

    private fun words(): String? = (lastError.invoke() as MemorySegment).text()

    /** All kinds of fields that OGR has; [value] returns the expected value of each row. */
    val kinds: List<FieldKind> by lazy {
        val integer = setter("OGR_F_SetFieldInteger", I32)
        val integer64 = setter("OGR_F_SetFieldInteger64", I64)
        val double = setter("OGR_F_SetFieldDouble", F64)
        val string = setter("OGR_F_SetFieldString", PTR)
        val binary = setter("OGR_F_SetFieldBinary", I32, PTR)
        val dateTime = setter("OGR_F_SetFieldDateTime", I32, I32, I32, I32, I32, I32, I32)
        val integers = setter("OGR_F_SetFieldIntegerList", I32, PTR)
        val integers64 = setter("OGR_F_SetFieldInteger64List", I32, PTR)
        val doubles = setter("OGR_F_SetFieldDoubleList", I32, PTR)
        val strings = setter("OGR_F_SetFieldStringList", PTR)
        val none = setter("OGR_F_SetFieldNull")
        fun kind(name: String, type: Int, subType: Int = 0, set: Arena.(MemorySegment, Int, Int) -> Unit) =
            FieldKind(name, type, subType) { feature, i, row ->
                if (row % 5 == 3) none.invoke(feature, i) else set(feature, i, row)
            }
        listOf(
            kind("bool", 0, 1) { f, i, row -> integer.invoke(f, i, row % 2) },
            kind("int16", 0, 2) { f, i, row -> integer.invoke(f, i, row * 7) },
            kind("int32", 0) { f, i, row -> integer.invoke(f, i, row * 100003) },
            kind("int64", 12) { f, i, row -> integer64.invoke(f, i, row * 10_000_000_019L) },
            kind("float32", 2, 3) { f, i, row -> double.invoke(f, i, row / 8.0) },
            kind("float64", 2) { f, i, row -> double.invoke(f, i, row / 7.0) },
            kind("text", 4) { f, i, row -> string.invoke(f, i, allocateFrom("row \u00b5$row")) },
            kind("binary", 8) { f, i, row -> binary.invoke(f, i, 2, allocateFrom(JAVA_BYTE, row.toByte(), 0)) },
            kind("date", 9) { f, i, row -> dateTime.invoke(f, i, 1970, 1, 1 + row % 28, 0, 0, 0, 0) },
            kind("time", 10) { f, i, row -> dateTime.invoke(f, i, 0, 0, 0, 1, 2, row % 60, 0) },
            kind("timestamp", 11) { f, i, row -> dateTime.invoke(f, i, 1970, 1, 1 + row % 28, 0, 0, row % 60, 0) },
            kind("int32s", 1) { f, i, row ->
                integers.invoke(f, i, row % 3, allocateFrom(I32, *IntArray(3) { row + it }))
            },
            kind("int64s", 13) { f, i, row ->
                integers64.invoke(f, i, row % 3, allocateFrom(I64, *LongArray(3) { row + it * 10_000_000_019L }))
            },
            kind("float64s", 3) { f, i, row ->
                doubles.invoke(f, i, row % 3, allocateFrom(F64, *DoubleArray(3) { row / 8.0 + it }))
            },
            kind("texts", 5) { f, i, row ->
                val list = allocate(PTR, 3)
                repeat(row % 3) { list.setAtIndex(PTR, it.toLong(), allocateFrom("t$row.$it")) }
                strings.invoke(f, i, list)
            },
        )
    }

    /** Returns the expected value of a field of a row, as a column returns it. */
    fun value(kind: String, row: Int): Any? = if (row % 5 == 3) null else when (kind) {
        "bool" -> row % 2 == 1
        "int16" -> row * 7L
        "int32" -> row * 100003L
        "int64" -> row * 10_000_000_019L
        "float32" -> row / 8.0
        "float64" -> row / 7.0
        "text" -> "row \u00b5$row"
        "binary" -> listOf(row.toByte(), 0.toByte())
        "date" -> row % 28L
        "time" -> 3_720_000L + row % 60 * 1000
        "timestamp" -> row % 28 * 86_400_000L + row % 60 * 1000
        "int32s" -> List(row % 3) { row + it.toLong() }
        "int64s" -> List(row % 3) { row + it * 10_000_000_019L }
        "float64s" -> List(row % 3) { row / 8.0 + it }
        "texts" -> List(row % 3) { "t$row.$it" }
        else -> error("no expected values: unknown field kind $kind")
    }
}
