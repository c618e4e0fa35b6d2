// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.BinaryType
import org.arbalest.device.types.FlatType.BinaryViewType
import org.arbalest.device.types.FlatType.BoolType
import org.arbalest.device.types.FlatType.DateType
import org.arbalest.device.types.FlatType.DateUnit
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.FloatType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.IntervalType
import org.arbalest.device.types.FlatType.LargeBinaryType
import org.arbalest.device.types.FlatType.LargeUtf8Type
import org.arbalest.device.types.FlatType.NullType
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.FlatType.Utf8Type
import org.arbalest.device.types.FlatType.Utf8ViewType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.LargeListViewType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import java.math.BigInteger
import java.nio.ByteBuffer
import kotlin.random.Random

/**
 * Random arrays of random types that are valid to the last byte, but untidy. They have offsets at every level, elements
 * in front and behind that nothing refers to, and children that are longer than necessary. Garbage lies under nulls and
 * at every other place where the format allows it.
 */
internal class SoundArrays(private val random: Random) {
    /**
     * Returns an array of a random type with at most [levels] nested levels. The array has about [most] elements at
     * most.
     */
    fun array(levels: Int = 3, most: Int = 12): RawArray =
        of(field("a", type(levels)), random.nextInt(most), random.nextInt(4) == 0)

    private fun field(name: String, type: DataType) = Field.of(name, type).withNullable(random.nextInt(6) > 0)

    private fun type(depth: Int): DataType {
        fun item(name: String = "x") = field(name, type(depth - 1))
        val nested = listOf<() -> DataType>(
            { ListType(item()) }, { LargeListType(item()) }, { ListViewType(item()) }, { LargeListViewType(item()) },
            { FixedSizeListType(item(), random.nextInt(if (depth == 3) 4 else 3)) },
            { StructType(List(random.nextInt(4)) { item("f$it") }) },
            {
                MapType(
                    field("e", StructType(listOf(Field.of("k", keys.random(random)).withNullable(false), item()))),
                    false,
                )
            },
            { UnionType(UnionMode.SPARSE, listOf(0, 5), listOf(item("p"), item("q"))) },
            { UnionType(UnionMode.DENSE, listOf(3, 127), listOf(item("p"), item("q"))) },
            {
                RunEndEncodedType(Field.of("r", IntType(listOf(16, 32, 64).random(random), true))
                    .withNullable(false), item())
            },
            { DictionaryType(IntType(listOf(8, 16, 32, 64).random(random), random.nextBoolean()), item(), false) },
        )
        return if (depth > 0 && random.nextInt(5) < 3) nested.random(random)() else leaves.random(random)
    }

    /** Returns an array of at least [atLeast] elements. */
    private fun of(
        field: Field,
        atLeast: Int,
        exact: Boolean = false,
        allValid: Boolean = !field.isNullable,
    ): RawArray {
        val length = atLeast + if (exact) 0 else random.nextInt(3)
        return Maker(field, length, if (exact) 0 else random.nextInt(10), allValid).make()
    }

    private inner class Maker(val field: Field, val length: Int, val offset: Int, private val allValid: Boolean) {
        val type: DataType = field.type()
        val end = offset + length
        val isValid = BooleanArray(end) { it < offset && random.nextBoolean() || allValid || random.nextInt(4) > 0 }
        val buffers = mutableListOf<ByteBuffer?>()

        /** Returns whether the element is visible and not null, so that its bytes must be right. */
        fun counts(i: Int) = i >= offset && isValid[i]

        fun make(): RawArray = when (type) {
            is NullType -> RawArray(field, length, listOf(-1L, 0L, length.toLong()).random(random), offset, buffers)
            is Utf8Type -> variable(4) { text() }
            is LargeUtf8Type -> variable(8) { text() }
            is BinaryType -> variable(4) { garbage(random.nextInt(6)) }
            is LargeBinaryType -> variable(8) { garbage(random.nextInt(6)) }
            is Utf8ViewType -> views { text() }
            is BinaryViewType -> views { garbage(random.nextInt(30)) }
            is ListType -> list(4, type.item())
            is LargeListType -> list(8, type.item())
            is MapType -> list(4, type.children().single(), noNulls = true)
            is ListViewType -> listViews(4, type.item())
            is LargeListViewType -> listViews(8, type.item())
            is FixedSizeListType -> withValidity(of(type.item(), end * type.size()))
            is StructType -> withValidity(*type.fields().map { of(it, end) }.toTypedArray())
            is UnionType -> union(type)
            is RunEndEncodedType -> runs(type)
            is DictionaryType -> dictionary(type)
            is BoolType -> withValues(RawArray.bytes(*garbage(end / 8 + 1)))
            else -> withValues(RawArray.bytes(*garbage(end * width(type)))
                .also { values -> for (i in 0 until end) if (counts(i)) value(type, values, i) })
        }

        private fun withValues(values: ByteBuffer, dictionary: RawArray? = null): RawArray {
            validity()
            return RawArray(field, length, nulls(), offset, buffers.apply { add(values) }, dictionary = dictionary)
        }

        private fun withValidity(vararg children: RawArray, then: () -> Unit = {}): RawArray {
            validity()
            then()
            return RawArray(field, length, nulls(), offset, buffers, children.toList())
        }

        private fun validity() {
            val none = (offset until end).all { isValid[it] }
            buffers += if (none && random.nextBoolean()) null else RawArray.bytes(*garbage(end / 8 + 1))
                .also { bits -> isValid.forEachIndexed { i, valid -> bits.setBit(i, valid) } }
        }

        private fun nulls(): Long {
            val nulls = (offset until end).count { !isValid[it] }.toLong()
            return if (random.nextBoolean()) -1 else nulls
        }

        private fun variable(width: Int, value: () -> ByteArray): RawArray {
            var data = garbage(random.nextInt(3))
            val first = data.size
            val offsets = RawArray.blank((end + 1) * width)
            for (i in 0..end) {
                offsets.setInteger(width, i, if (i < offset) 0 else data.size.toLong())
                if (i in offset until end) data += if (isValid[i]) value() else garbage(random.nextInt(4))
            }
            return withValidity {
                buffers += listOf(
                    offsets,
                    if ((data.isEmpty() || (offset == 0 && data.size == first)) && random.nextBoolean()) null
                    else RawArray.bytes(*data),
                )
            }
        }

        private fun views(value: () -> ByteArray): RawArray {
            val data = Array(random.nextInt(1, 3)) { garbage(random.nextInt(3)) }
            val views = RawArray.bytes(*garbage(16 * end))
            for (i in offset until end) {
                if (!isValid[i]) continue
                val bytes = value()
                views.putInt(16 * i, bytes.size).put(16 * i + 4, bytes.copyOf(12))
                if (bytes.size <= 12) continue
                val index = random.nextInt(data.size)
                views.putInt(16 * i + 8, index).putInt(16 * i + 12, data[index].size)
                data[index] += bytes
            }
            val sizes = RawArray.longs(*LongArray(data.size) { data[it].size.toLong() })
            return withValidity { buffers += listOf(views) + data.map { RawArray.bytes(*it) } + sizes }
        }

        private fun list(width: Int, item: Field, noNulls: Boolean = false): RawArray {
            var at = random.nextLong(3)
            val offsets = RawArray.blank((end + 1) * width)
            for (i in 0..end) {
                offsets.setInteger(width, i, if (i < offset) 0 else at)
                if (i in offset until end) at += random.nextLong(3)
            }
            val items = of(item, at.toInt(), allValid = noNulls || !item.isNullable)
            return withValidity(items) { buffers += offsets }
        }

        private fun listViews(width: Int, item: Field): RawArray {
            val items = of(item, random.nextInt(6))
            val (offsets, sizes) = RawArray.bytes(*garbage(end * width)) to RawArray.bytes(*garbage(end * width))
            for (i in offset until end) {
                val first = random.nextInt(items.length + 1)
                offsets.setInteger(width, i, first.toLong())
                sizes.setInteger(width, i, random.nextLong(items.length - first + 1L).coerceAtMost(3))
            }
            return withValidity(items) { buffers += listOf(offsets, sizes) }
        }

        private fun union(type: UnionType): RawArray {
            val which = List(end) { random.nextInt(type.fields().size) }
            buffers += RawArray.bytes(
                *ByteArray(end) { if (it < offset) random.nextInt().toByte() else type.typeIds()[which[it]].toByte() },
            )
            val isDense = type.mode() == UnionMode.DENSE
            val next = IntArray(type.fields().size) { random.nextInt(2) }
            if (isDense) {
                buffers += RawArray.bytes(*garbage(4 * end)).also { offsets ->
                    for (i in offset until end) {
                        offsets.putInt(4 * i, next[which[i]])
                        next[which[i]] += random.nextInt(1, 3)
                    }
                }
            }
            val children = type.fields().mapIndexed { i, child -> of(child, if (isDense) next[i] else end) }
            return RawArray(field, length, listOf(0L, -1L).random(random), offset, buffers, children)
        }

        private fun runs(type: RunEndEncodedType): RawArray {
            val ends = mutableListOf<Int>()
            while ((ends.lastOrNull() ?: 0) < end || random.nextInt(3) == 0) ends += (ends.lastOrNull() ?: 0) +
                random.nextInt(1, 4)
            val width = (type.runEnds().type() as IntType).bits() / 8
            val skipped = random.nextInt(4)
            val values = RawArray.bytes(*garbage((skipped + ends.size) * width)).also { buffer ->
                ends.forEachIndexed { i, value -> buffer.setInteger(width, skipped + i, value.toLong()) }
            }
            val runEnds = RawArray(type.runEnds(), ends.size, 0, skipped, mutableListOf(null, values))
            return RawArray(field, length, listOf(0L, -1L).random(random), offset, buffers,
                listOf(runEnds, of(type.values(), ends.size)))
        }

        private fun dictionary(type: DictionaryType): RawArray {
            val values = of(type.values(), if (allValid) 1 else random.nextInt(4), allValid = false)
            val known = values.length
            val indices = RawArray.bytes(*garbage(end * type.index().bits() / 8))
            for (i in offset until end) {
                if (known == 0) isValid[i] = false
                if (isValid[i]) indices.setInteger(type.index().bits() / 8, i, random.nextLong(known.toLong()))
            }
            return withValues(indices, values)
        }
    }

    private fun garbage(size: Int): ByteArray = random.nextBytes(size)

    private fun text(): ByteArray = List(random.nextInt(5)) { words.random(random) }.joinToString("")
        .encodeToByteArray()

    private fun value(type: DataType, values: ByteBuffer, index: Int) {
        when (type) {
            is DateType -> if (type.unit() == DateUnit.MILLISECOND)
                values.putLong(8 * index, random.nextLong(-100_000, 100_000) * 86_400_000)
            is TimeType -> values.setInteger(width(type), index,
                listOf(0L, day(type) - 1, random.nextLong(day(type))).random(random))
            is DecimalType -> decimal(values, type.bits() / 8, index, listOf(most(type), most(type).negate(),
                most(type).shiftRight(random.nextInt(type.bits()))).random(random))
            else -> Unit
        }
    }

    companion object {
        private val words = listOf(
            "a", "word ", "\u00e9", "\u0416", "\u65e5\u672c", "\uD83D\uDE00", "\u0000", "\u007f", "\u0080", "\u07ff",
            "\u0800", "\ud7ff", "\ue000", "\uffff",
            "\uD800\uDC00", "\uDBFF\uDFFF",
        )

        val leaves: List<DataType> = listOf(
            DataType.NULL, DataType.BOOL, DataType.INT8, DataType.UINT8, DataType.INT16, DataType.UINT16,
            DataType.INT32, DataType.UINT32, DataType.INT64, DataType.UINT64, DataType.FLOAT16, DataType.FLOAT32,
            DataType.FLOAT64, DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW, DataType.BINARY,
            DataType.LARGE_BINARY, DataType.BINARY_VIEW, FixedSizeBinaryType(0), FixedSizeBinaryType(3),
            DataType.decimal32(9, 2), DataType.decimal32(1, 0), DataType.decimal64(18, 0), DataType.decimal128(38, -3),
            DataType.decimal128(18, 0), DataType.decimal128(19, 0), DataType.decimal128(5, 0),
            DataType.decimal256(76, 5), DataType.decimal256(40, 0), DataType.decimal256(7, 0), DataType.DATE32,
            DataType.DATE64, TimeType(ArrowTimeUnit.SECOND), TimeType(ArrowTimeUnit.MILLISECOND),
            TimeType(ArrowTimeUnit.MICROSECOND), TimeType(ArrowTimeUnit.NANOSECOND),
            TimestampType(ArrowTimeUnit.NANOSECOND, "UTC"), TimestampType(ArrowTimeUnit.SECOND, null),
            DurationType(ArrowTimeUnit.SECOND), DataType.INTERVAL_YEAR_MONTH,
            DataType.INTERVAL_DAY_TIME, DataType.INTERVAL_MONTH_DAY_NANO,
        )

        private val keys = leaves - DataType.NULL

        /** Returns the bytes of a value of fixed width. */
        fun width(type: DataType): Int = when (type) {
            is IntType -> type.bits() / 8
            is FloatType -> type.bits() / 8
            is DecimalType -> type.bits() / 8
            is FixedSizeBinaryType -> type.width()
            is DateType -> if (type.unit() == DateUnit.DAY) 4 else 8
            is TimeType -> if (type.unit() == ArrowTimeUnit.SECOND || type.unit() == ArrowTimeUnit.MILLISECOND) 4 else 8
            is IntervalType -> mapOf('M' to 4, 'D' to 8, 'n' to 16).getValue(type.format().last())
            is DictionaryType -> type.index().bits() / 8
            else -> 8
        }

        fun day(type: TimeType): Long = 86_400 * mapOf(
            ArrowTimeUnit.SECOND to 1L, ArrowTimeUnit.MILLISECOND to 1_000L, ArrowTimeUnit.MICROSECOND to 1_000_000L,
            ArrowTimeUnit.NANOSECOND to 1_000_000_000L,
        ).getValue(type.unit())

        /** Returns the greatest unscaled value. */
        fun most(type: DecimalType): BigInteger = BigInteger.TEN.pow(type.precision()) - BigInteger.ONE

        /** Writes an unscaled decimal. */
        fun decimal(values: ByteBuffer, width: Int, index: Int, value: BigInteger) {
            for (i in 0 until width) values.put(width * index + i, value.shiftRight(8 * i).toByte())
        }
    }
}
