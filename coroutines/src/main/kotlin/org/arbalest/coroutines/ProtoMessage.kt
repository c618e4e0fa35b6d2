// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

/** A message of Protocol Buffers: its fields by their numbers. What is not there is 0. */
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

    /** Whether there is a number in a field. */
    fun has(field: Int): Boolean = field in numbers

    /** A number. */
    fun int(field: Int): Int = (numbers[field] ?: 0).toInt()

    /** A bit of a number. */
    fun flag(field: Int, bit: Int): Boolean = int(field) shr bit and 1 != 0

    /** The numbers of a field that has all of them in one piece. */
    fun numbers(field: Int): List<Int> = messages[field].orEmpty().flatMap { range ->
        val packed = ProtoMessage(bytes, range.first, range.first)
        buildList { while (packed.at <= range.last) add(packed.varint().toInt()) }
    }

    /** A text, or null. */
    fun text(field: Int): String? = messages[field]?.first()?.let { String(bytes, it.first, it.last + 1 - it.first) }

    /** The messages of a field that may be there several times. */
    fun messages(field: Int): List<ProtoMessage> = messages[field].orEmpty().map {
        ProtoMessage(bytes, it.first, it.last + 1)
    }

    /** The message of a field, or null. */
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

        /** A message, which has its size in front, and the one that is behind it. */
        fun two(bytes: ByteArray): Pair<ProtoMessage, ProtoMessage> {
            val size = ProtoMessage(bytes, 0, 0)
            val first = size.varint().toInt()
            val end = size.at + first
            return ProtoMessage(bytes, size.at, end) to ProtoMessage(bytes, end, bytes.size)
        }
    }
}
