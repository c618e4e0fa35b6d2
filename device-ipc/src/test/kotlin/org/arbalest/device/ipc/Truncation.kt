// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.matchers.collections.shouldContain
import org.apache.arrow.flatbuf.Message
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Streams that end too early. */
internal object Truncation {
    /** Reads the streams of the subjects up to every [step]th byte. */
    fun of(subjects: List<Subjects.Subject>, input: Inputs, step: Int) {
        for (subject in subjects.filter { it.inputs == Inputs.streams }) {
            val bytes = subject.bytes
            val starts = starts(bytes)
            starts shouldContain bytes.size - 8 // of the end mark
            for (size in (bytes.indices step step) + starts) withClue("${subject.name}: $size") {
                val truncated = bytes.copyOf(size)
                if (size > 0 && size in starts) {
                    input.read(truncated)
                } else {
                    val thrown = shouldThrow<IpcException> { input.read(truncated) {} }
                    check(thrown.position() in 0..size) { thrown }
                }
            }
        }
    }

    /** Returns the positions of the messages and of the end mark. */
    private fun starts(bytes: ByteArray): Set<Int> {
        val data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
        val starts = mutableSetOf<Int>()
        var at = 0
        while (true) {
            starts += at
            check(data.getInt(at) == -1) { "no message at $at" }
            val size = data.getInt(at + 4)
            if (size == 0) return starts
            val header = ByteBuffer.wrap(bytes, at + 8, size).slice().order(ByteOrder.LITTLE_ENDIAN)
            at += 8 + size + Message.getRootAsMessage(header).bodyLength().toInt()
        }
    }
}
