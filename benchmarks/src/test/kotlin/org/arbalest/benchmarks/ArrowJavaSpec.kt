// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.apache.arrow.c.ArrowArray
import org.apache.arrow.c.ArrowArrayStream
import org.apache.arrow.c.ArrowSchema
import org.apache.arrow.c.CDataDictionaryProvider
import org.apache.arrow.c.Data
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.BigIntVector
import org.apache.arrow.vector.BitVector
import org.apache.arrow.vector.DecimalVector
import org.apache.arrow.vector.Float8Vector
import org.apache.arrow.vector.IntVector
import org.apache.arrow.vector.VarBinaryVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.complex.ListVector
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.math.BigDecimal

private const val ROWS = 100

/** Returns true if row `i` is null, which is the case if `i % 5` is 3. */
private fun isNull(row: Int) = row % 5 == 3

/** Tests that arrow-java reads our exported batches, and that we read the batches that it exports. */
class ArrowJavaSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("arrow-java reads our batch") {
        RootAllocator().use { allocator ->
            ArrowArray.allocateNew(allocator).use { array ->
                ArrowSchema.allocateNew(allocator).use { schema ->
                    CData.exportArray(ours(), MemorySegment.ofAddress(array.memoryAddress()),
                        CExport.DATA.schemaTo(MemorySegment.ofAddress(schema.memoryAddress())))
                    CDataDictionaryProvider().use { dictionaries ->
                        Data.importVectorSchemaRoot(allocator, array, schema, dictionaries).use { root ->
                            root.rowCount shouldBe ROWS
                            for (row in 0 until ROWS) root.fieldVectors.associate {
                                it.name to plain(it.getObject(row))
                            } shouldBe expected(row)
                        }
                    }
                }
            }
        }
    }

    test("we read arrow-java's batch") {
        RootAllocator().use { allocator ->
            theirs(allocator).use { root ->
                ArrowArray.allocateNew(allocator).use { array ->
                    ArrowSchema.allocateNew(allocator).use { schema ->
                        Data.exportVectorSchemaRoot(allocator, root, null, array, schema)
                        imported(array, schema).use { it shouldReadAs 0 }
                    }
                }
            }
        }
    }

    test("a slice of arrow-java's batch has the values of the slice") {
        RootAllocator().use { allocator ->
            theirs(allocator).use { root ->
                ArrowArray.allocateNew(allocator).use { array ->
                    ArrowSchema.allocateNew(allocator).use { schema ->
                        Data.exportVectorSchemaRoot(allocator, root, null, array, schema)
                        imported(array, schema).use { whole ->
                            whole.slice(17, 50).use { it shouldReadAs 17 }
                        }
                    }
                }
            }
        }
    }

    test("our stream passes to arrow-java and comes back through arrow-java's stream") {
        RootAllocator().use { allocator ->
            ArrowArrayStream.allocateNew(allocator).use { out ->
                val first = ours()
                CData.exportStream(RecordBatchReader.of(first.schema(), listOf(first, ours(), ours())),
                    MemorySegment.ofAddress(out.memoryAddress()), CExport.DATA)
                ArrowArrayStream.allocateNew(allocator).use { back ->
                    Data.exportArrayStream(allocator, Data.importArrayStream(allocator, out), back) // closes the stream
                    CData.importStream(MemorySegment.ofAddress(back.memoryAddress()), CImport.DATA).use { ours ->
                        repeat(3) { ours.next()!!.use { it shouldReadAs 0 } }
                        ours.next() shouldBe null
                    }
                }
            }
        }
    }
})

private fun expected(row: Int): Map<String, Any?> = if (isNull(row)) NAMES.associateWith { null } else mapOf(
    "bool" to (row % 2 == 0),
    "int32" to row * 3L,
    "int64" to row * 10_000_000_019L,
    "float64" to row / 7.0,
    "utf8" to "r\u00e9$row",
    "binary" to listOf(row.toByte(), 1),
    "decimal" to BigDecimal("$row.25"),
    "list" to List(row % 4) { row + it.toLong() },
)

private val NAMES = listOf("bool", "int32", "int64", "float64", "utf8", "binary", "decimal", "list")

/** Converts the values of both libraries to the same classes, so that they can be compared. */
private fun plain(value: Any?): Any? = when (value) {
    is Int -> value.toLong()
    is ByteArray -> value.toList()
    is List<*> -> value.map(::plain)
    is org.apache.arrow.vector.util.Text -> value.toString()
    else -> value
}

private fun imported(array: ArrowArray, schema: ArrowSchema): RecordBatch =
    CData.importBatch(MemorySegment.ofAddress(array.memoryAddress()),
        CImport.DATA.schema(MemorySegment.ofAddress(schema.memoryAddress())))

private infix fun RecordBatch.shouldReadAs(from: Int) {
    for (row in 0 until length()) {
        NAMES.associateWith { plain(column(it).get(row)) } shouldBe expected(from + row.toInt())
    }
}

private fun ours(): RecordBatch = BatchBuilder.of(Devices.cpu(), ROWS).use { batch ->
    val types = listOf(
        DataType.BOOL, DataType.INT32, DataType.INT64, DataType.FLOAT64, DataType.UTF8, DataType.BINARY,
        DataType.decimal128(20, 2),
        ListType(Field.of("item", DataType.INT64)),
    )
    for ((name, type) in NAMES.zip(types)) {
        val column = batch.column(Field.of(name, type))
        for (row in 0 until ROWS) {
            when (val value = expected(row).getValue(name)) {
                null -> column.appendNull()
                is Boolean -> column.append(value)
                is Long -> column.append(value)
                is Double -> column.append(value)
                is String -> column.append(value)
                is BigDecimal -> column.append(value)
                is List<*> if name == "binary" -> column.append(value.map { it as Byte }.toByteArray())
                is List<*> -> column.appendList(value.size).items().appendAll(value.map { it as Long }.toLongArray())
                else -> error("cannot append $value: its class has no case here")
            }
        }
    }
    batch.build()
}

private fun theirs(allocator: RootAllocator): VectorSchemaRoot {
    val bool = BitVector("bool", allocator).apply { allocateNew() }
    val int32 = IntVector("int32", allocator).apply { allocateNew() }
    val int64 = BigIntVector("int64", allocator).apply { allocateNew() }
    val float64 = Float8Vector("float64", allocator).apply { allocateNew() }
    val utf8 = VarCharVector("utf8", allocator).apply { allocateNew() }
    val binary = VarBinaryVector("binary", allocator).apply { allocateNew() }
    val decimal = DecimalVector("decimal", allocator, 20, 2).apply { allocateNew() }
    val list = ListVector.empty("list", allocator).apply { allocateNew() }
    val lists = list.writer
    for (row in 0 until ROWS) {
        if (isNull(row)) continue
        bool.setSafe(row, if (row % 2 == 0) 1 else 0)
        int32.setSafe(row, row * 3)
        int64.setSafe(row, row * 10_000_000_019L)
        float64.setSafe(row, row / 7.0)
        utf8.setSafe(row, "r\u00e9$row".encodeToByteArray())
        binary.setSafe(row, byteArrayOf(row.toByte(), 1))
        decimal.setSafe(row, BigDecimal("$row.25"))
        lists.position = row
        lists.startList()
        repeat(row % 4) { lists.writeBigInt(row + it.toLong()) }
        lists.endList()
    }
    val vectors = listOf(bool, int32, int64, float64, utf8, binary, decimal, list)
    vectors.forEach { it.valueCount = ROWS }
    return VectorSchemaRoot(vectors).apply { rowCount = ROWS }
}
