// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import kotlin.random.Random

/** Random changes of files and streams, each of which is rejected with the documented error, or read. */
internal class Mutation(
    seed: Long,
    level: Validation = Validation.FULL,
    private val use: (RecordBatch) -> Unit = Inputs::readEveryValue,
) {
    private val options = IpcReadOptions.defaults().withValidation(level).withMaxAllocation(1L shl 24)
    private val random = Random(seed)
    var accepted = 0
        private set
    var rejected = 0
        private set
    private var change = ""

    /** Changes a subject, and reads it in one of the ways. Another exception than [IpcException] fails. */
    fun round(subject: Subjects.Subject, inputs: List<Inputs> = subject.inputs) {
        val bytes = changed(subject.bytes)
        val input = inputs.random(random)
        try {
            input.read(bytes, options, use)
            accepted++
        } catch (e: IpcException) {
            check(e.position() in 0..bytes.size) { "the position is outside of ${bytes.size} bytes: $e" }
            rejected++
        } catch (t: Throwable) {
            throw AssertionError("${subject.name} by $input with $change: $t", t)
        }
    }

    private fun changed(bytes: ByteArray): ByteArray {
        val changed = bytes.copyOf()
        change = ""
        repeat(random.nextInt(1, 4)) {
            // numbers are at positions that 4 divides; sizes and offsets are small, or hostile
            val at = random.nextInt(changed.size / 4) * 4
            when (random.nextInt(6)) {
                0 -> put(changed, at + random.nextInt(4), random.nextInt().toByte())
                1 -> put(changed, at, (changed[at] + random.nextInt(-9, 9)).toByte())
                2 -> number(changed, at, HOSTILE.random(random), 4)
                3 -> number(changed, at, HOSTILE.random(random), 8)
                4 -> number(changed, at, random.nextLong(64), 8)
                else -> {
                    val from = random.nextInt(changed.size / 4) * 4
                    for (i in 0 until 8) if (maxOf(at, from) + i < bytes.size) put(changed, at + i, bytes[from + i])
                }
            }
        }
        return changed
    }

    private fun number(bytes: ByteArray, at: Int, number: Long, width: Int) {
        for (i in 0 until width) put(bytes, at + i, (number shr 8 * i).toByte())
    }

    private fun put(bytes: ByteArray, at: Int, value: Byte) {
        if (at >= bytes.size) return
        if (bytes[at] != value) change += " [$at]=$value"
        bytes[at] = value
    }

    companion object {
        private val HOSTILE = listOf(
            0, 1, -1, Int.MAX_VALUE.toLong(), Int.MIN_VALUE.toLong(), Long.MAX_VALUE, Long.MIN_VALUE,
            1L shl 31, 1L shl 32, 1L shl 40, 1L shl 56, 1L shl 61, Long.MAX_VALUE - 7,
        )

        /** Returns subjects with every type: compressed and not, files and streams. */
        fun subjects(): List<Subjects.Subject> = IpcCompression.entries.flatMap {
            Subjects.someTypes(it) + Subjects.everyType(it) + Subjects.deltas(it)
        }
    }
}
