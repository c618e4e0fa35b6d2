// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

/** A Protocol Buffers message: its fields by their numbers. An absent number is 0. */
internal class ProtoMessage private constructor(
    private val bytes: ByteArray,
    private var at: Int,
    private val end: Int,
) {
    private val numbers = mutableMapOf<Int, Long>()
    private val messages = mutableMapOf<Int, MutableList<IntRange>>()

    init {
        while (at < end) {
            val tag = varint()
            val field = (tag ushr 3).toInt()
            when (val kind = (tag and 7).toInt()) {
                VARINT -> numbers[field] = varint()
                FIXED_64 -> at += Long.SIZE_BYTES
                FIXED_32 -> at += Int.SIZE_BYTES
                DELIMITED -> {
                    val size = varint().toInt()
                    messages.getOrPut(field, ::mutableListOf) += at until at + size
                    at += size
                }
                else -> throw IllegalArgumentException(
                    "kotlinc's metadata of a class has a field of an unknown kind, $kind",
                )
            }
        }
    }

    /** Returns whether a field contains a number. */
    fun has(field: Int): Boolean = field in numbers

    /** Returns the number in a field, or 0 if the field is absent. */
    fun int(field: Int): Int = (numbers[field] ?: 0).toInt()

    /** Returns a bit of the number in a field. */
    fun flag(field: Int, bit: Int): Boolean = int(field) shr bit and 1 != 0

    /** Returns the numbers of a packed field. */
    fun numbers(field: Int): List<Int> = messages[field].orEmpty().flatMap { range ->
        val packed = ProtoMessage(bytes, range.first, range.first)
        buildList { while (packed.at <= range.last) add(packed.varint().toInt()) }
    }

    /** Returns the text in a field, or null if the field is absent. */
    fun text(field: Int): String? = messages[field]?.first()?.let { String(bytes, it.first, it.last + 1 - it.first) }

    /** Returns the messages of a repeated field. */
    fun messages(field: Int): List<ProtoMessage> = messages[field].orEmpty().map {
        ProtoMessage(bytes, it.first, it.last + 1)
    }

    /** Returns the message in a field, or null if the field is absent. */
    fun message(field: Int): ProtoMessage? = messages(field).firstOrNull()

    private fun varint(): Long {
        var value = 0L
        var shift = 0
        while (true) {
            val byte = bytes[at++].toLong()
            value = value or ((byte and 0x7F) shl shift)
            if (byte >= 0) return value
            shift += 7
        }
    }

    companion object {
        private const val VARINT = 0
        private const val FIXED_64 = 1
        private const val DELIMITED = 2
        private const val FIXED_32 = 5

        /** Returns a message that is preceded by its size, and the message that follows it. */
        fun two(bytes: ByteArray): Pair<ProtoMessage, ProtoMessage> {
            val size = ProtoMessage(bytes, 0, 0)
            val first = size.varint().toInt()
            val end = size.at + first
            return ProtoMessage(bytes, size.at, end) to ProtoMessage(bytes, end, bytes.size)
        }
    }
}
