// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.apache.arrow.c.ArrowArray
import org.apache.arrow.c.ArrowSchema
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.ExtensionTypeVector
import org.apache.arrow.vector.FieldVector
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.compare.VectorEqualsVisitor
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.spi.ArrayBridge
import org.arbalest.device.spi.ForeignArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

private const val ROWS = 43

/** Tests every class of vectors in each shape: the conversion to an array, directly and through C, and back. */
class ArrowVectorsRoundTripSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** The shapes in which vectors are made; Arrow Java makes the slices in the way of [VectorSchemaRoot.slice]. */
    val shapes = mapOf<String, (VectorKind, BufferAllocator) -> FieldVector>(
        "whole" to { kind, allocator -> kind.filled(allocator, ROWS) },
        "without nulls" to { kind, allocator -> kind.filled(allocator, ROWS) { false } },
        "all null" to { kind, allocator -> kind.filled(allocator, ROWS) { true } },
        "empty" to { kind, allocator -> kind.filled(allocator, 0) },
        "never allocated" to { kind, allocator -> kind.empty(allocator) },
        "a slice at a byte" to { kind, allocator -> kind.filled(allocator, ROWS).part(8, 20) },
        "a slice within a byte" to { kind, allocator -> kind.filled(allocator, ROWS).part(5, 21) },
        "an empty slice" to { kind, allocator -> kind.filled(allocator, ROWS).part(7, 0) },
    )

    for ((shape, make) in shapes) {
        context("vectors of the shape '$shape' [ARJ-01]") {
            for (kind in VectorKind.all) {
                test("$kind ($shape) becomes an array and comes back equal [ARJ-01]") {
                    allocators { allocator, other ->
                        make(kind, allocator).use { vector ->
                            ArrowVectors.toDeviceArray(vector).use { array ->
                                array.validate(Validation.FULL)
                                array.length() shouldBe vector.valueCount
                                withClue("shared") {
                                    ArrowVectors.toVector(array, allocator).use { back -> back.shouldEqual(vector) }
                                }
                                withClue("wrapped") {
                                    ArrowVectors.toVector(array, other).use { back -> back.shouldEqual(vector) }
                                }
                                withClue("through C") {
                                    byC(vector, allocator).use {
                                        array.difference(it).shouldBeNull()
                                        ArrowVectors.toVector(it, other).use { back -> back.shouldEqual(vector) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    for (kind in VectorKind.all) {
        test("slices of an array of $kind become equal vectors [ARJ-03]") {
            allocators { allocator, other ->
                kind.filled(allocator, ROWS).use { vector ->
                    for ((target, rows) in listOf(allocator, other).flatMap { target ->
                        listOf(0 to ROWS, 8 to 20, 5 to 21, 7 to 0, 3 to 1, 1 to ROWS - 1, 0 to 9).map { target to it }
                    }) {
                        val (from, count) = rows
                        withClue("$count rows from $from on, ${if (target == allocator) "shared" else "wrapped"}") {
                            val slice = ArrowVectors.toDeviceArray(vector).use {
                                it.slice(from.toLong(), count.toLong())
                            }
                            val before = ArrowVectors.copiedBytes()
                            val back = slice.use { ArrowVectors.toVector(it, target) }
                            back.use {
                                it.valueCount shouldBe count
                                ArrowVectors.toDeviceArray(it).use { again ->
                                    again.validate(Validation.FULL)
                                    ArrowVectors.toDeviceArray(vector).use { whole ->
                                        whole.slice(from.toLong(), count.toLong()).use { part ->
                                            again.difference(part).shouldBeNull()
                                        }
                                    }
                                }
                                if (count > 0) kind.filled(allocator, ROWS).part(from, count)
                                    .use { part -> it.shouldEqual(part) }
                            }
                            if (from == 0 && count == ROWS) ArrowVectors.copiedBytes() shouldBe before
                        }
                    }
                }
            }
        }

        test("batches of $kind load into an existing root again and again [ARJ-03]") {
            allocators { allocator, other ->
                kind.filled(allocator, ROWS).use { vector ->
                    VectorSchemaRoot.of(vector).use { root ->
                        ArrowVectors.toRecordBatch(root).use { whole ->
                            for (target in listOf(allocator, other).map { ArrowVectors.toVectorSchemaRoot(whole, it) })
                                target.use {
                                    for ((from, count) in listOf(0 to ROWS, 5 to 21, 8 to 16, 2 to 0, 0 to ROWS)) {
                                        whole.slice(from.toLong(), count.toLong()).use { part ->
                                            ArrowVectors.loadInto(part, target)
                                            target.rowCount shouldBe count
                                            ArrowVectors.toRecordBatch(target).use { again ->
                                                again.validate(Validation.FULL)
                                                again.difference(part).shouldBeNull()
                                            }
                                        }
                                    }
                                }
                        }
                    }
                }
            }
        }
    }

    for (kind in VectorKind.nested) {
        test("slices of $kind load into new vectors and into an existing root [ARJ-03]") {
            allocators { allocator, other ->
                kind.filled(allocator, ROWS).use { vector ->
                    ArrowVectors.toRecordBatch(VectorSchemaRoot.of(vector))
                }.use { whole ->
                    whole.validate(Validation.FULL)
                    for (target in listOf(allocator, other)) {
                        ArrowVectors.toVectorSchemaRoot(whole, target).use { into ->
                            for ((from, count) in listOf(0 to ROWS, 5 to 21, 8 to 16, 2 to 0, 3 to 1, 0 to ROWS)) {
                                withClue(
                                    "$count rows from $from on, ${if (target == allocator) "shared" else "wrapped"}",
                                ) {
                                    whole.slice(from.toLong(), count.toLong()).use { part ->
                                        ArrowVectors.loadInto(part, into)
                                        ArrowVectors.toVectorSchemaRoot(part, target).use { fresh ->
                                            for (root in listOf(fresh, into)) {
                                                ArrowVectors.toRecordBatch(root).use { again ->
                                                    again.validate(Validation.FULL)
                                                    again.difference(part).shouldBeNull()
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    test("a conversion copies only bits that do not begin at a byte, and run ends [ARJ-03]") {
        fun copied(kind: VectorKind, from: Long, count: Long): Long = RootAllocator().use { allocator ->
            kind.filled(allocator, 1000).use { vector ->
                ArrowVectors.toDeviceArray(vector).use { it.slice(from, count) }.use { part ->
                    val before = ArrowVectors.copiedBytes()
                    ArrowVectors.toVector(part, allocator).close()
                    ArrowVectors.copiedBytes() - before
                }
            }
        }
        val kinds = VectorKind.all.associateBy { it.name }
        val int64 = kinds.getValue("Int(64, true)")
        copied(int64, 0, 1000) shouldBe 0
        copied(int64, 16, 900) shouldBe 0
        copied(int64, 3, 800) shouldBe 100
        copied(kinds.getValue("Bool"), 3, 800) shouldBe 200
        copied(kinds.getValue("Utf8"), 3, 800) shouldBe 100
        copied(kinds.getValue("List"), 3, 800) shouldBe 100
        copied(kinds.getValue("run ends of 32 bits"), 0, 1000) shouldBe 0
        copied(kinds.getValue("run ends of 32 bits"), 16, 100) shouldBe 200
    }

    test("a conversion reads no byte behind bits that do not begin at a byte [ARJ-03]") {
        RootAllocator().use { allocator ->
            val end = beforeGuardPage()
            for (bytes in 1L..20) {
                val bits = MemorySegment.ofAddress(end - bytes).reinterpret(bytes)
                for (i in 0 until bytes) bits.set(JAVA_BYTE, i, (0x9d * (i + 1)).toByte())
                val data = ForeignArray().array(8 * bytes, 0, 0).buffer(0, 0).buffer(end - bytes, bytes)
                ArrayBridge.wrap(Field.of("b", DataType.BOOL), data, Devices.cpu()) {}.use { whole ->
                    for (from in 1L..7) {
                        whole.slice(from, 8 * bytes - from).use { part ->
                            ArrowVectors.toVector(part, allocator).use { vector ->
                                List(part.length().toInt()) { vector.getObject(it) } shouldBe part.asColumn().toList()
                            }
                        }
                    }
                }
            }
        }
    }
})

private const val GUARDED = 65_536L // one or more pages

/** Returns the end address of readable memory, at which a page without access begins. */
private fun beforeGuardPage(): Long {
    val linker = Linker.nativeLinker()
    fun function(name: String, descriptor: FunctionDescriptor) =
        linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor)
    val mmap = function(
        "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG),
    )
    val mprotect = function("mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT))
    // The memory can be read and written, and is private and anonymous.
    val address = mmap.invokeWithArguments(0L, 2 * GUARDED, 3, 0x22, -1, 0L) as Long
    check(address != -1L)
    check(mprotect.invokeWithArguments(address + GUARDED, GUARDED, 0) as Int == 0)
    return address + GUARDED
}

/**
 * Runs [block] with two allocators. Arrays are made with the first one, so that vectors of the second one wrap foreign
 * memory. Each allocator fails a test that leaves memory allocated.
 */
private fun allocators(block: (BufferAllocator, BufferAllocator) -> Unit) = RootAllocator().use { allocator ->
    RootAllocator().use { other -> block(allocator, other) }
}

/** Returns the array that arrow-c-data exports for a vector. */
private fun byC(
    vector: FieldVector,
    allocator: BufferAllocator,
): DeviceArray = ArrowArray.allocateNew(allocator).use { array ->
    ArrowSchema.allocateNew(allocator).use { schema ->
        Data.exportVector(allocator, vector, null, array, schema)
        CData.importArray(MemorySegment.ofAddress(array.memoryAddress()),
            CImport.DATA.schema(MemorySegment.ofAddress(schema.memoryAddress())))
    }
}

/** Returns a slice in the way of [VectorSchemaRoot.slice], and closes this vector. */
internal fun FieldVector.part(from: Int, count: Int): FieldVector = use {
    val pair = getTransferPair(allocator)
    pair.splitAndTransfer(from, count)
    pair.to as FieldVector
}

/** Expects an equal vector. Arrow Java's slices of an extension type are vectors of the storage type. */
internal infix fun FieldVector.shouldEqual(other: FieldVector) {
    val mine = if (this is ExtensionTypeVector<*> && other !is ExtensionTypeVector<*>) underlyingVector else this
    withClue("$this\nand\n$other") { VectorEqualsVisitor.vectorEquals(mine, other, null) shouldBe true }
}
