// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.ipc.IpcException
import java.nio.ByteBuffer
import java.nio.ByteOrder
import kotlin.random.Random

/** After the check no accessor of a changed message throws, and the number of values has a limit. */
class VerifierMutationsSpec : FunSpec() {
    private class Subject(
        val name: String,
        val bytes: ByteArray,
        val verify: (ByteBuffer, Long) -> Unit,
        val walk: Walk.(ByteArray) -> Unit,
    ) {
        /** Walks through the message, if it verifies, and returns whether it does. */
        fun accepts(changed: ByteArray): Boolean {
            try {
                verify(ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN), 0)
            } catch (rejected: IpcException) {
                check(rejected.position() in 0..changed.size) { rejected }
                return false
            }
            val walk = Walk()
            walk.walk(changed)
            // the walk visits each value at most three times
            check(walk.visits < 3L * Verifier.SHARING * changed.size) { walk.visits }
            return true
        }
    }

    private val schemas = Messages.types.mapIndexed { number, bytes ->
        Subject("schema of types (${number + 1})", bytes, Verifier::message, Walk::message)
    }

    private val subjects = schemas + listOf(
        Subject("nested schema", Messages.nested, Verifier::message, Walk::message),
        Subject("batch", Messages.batch, Verifier::message, Walk::message),
        Subject("dictionary batch", Messages.dictionaryBatch, Verifier::message, Walk::message),
        Subject("footer", Messages.footer, Verifier::footer, Walk::footer),
    )

    init {
        for (subject in subjects) {
            val bytes = subject.bytes

            test("a whole ${subject.name} verifies") {
                subject.accepts(bytes) shouldBe true
            }

            test("a truncated ${subject.name} verifies only if all that it lacks is padding") {
                val used = bytes.indexOfLast { it != 0.toByte() } + 1 // the last string ends here
                bytes.decodeToString(used - 3, used) shouldBe "end"
                for (size in 0..bytes.size) {
                    withClue(size) { subject.accepts(bytes.copyOf(size)) shouldBe (size >= used) }
                }
            }

            test("a ${subject.name} with one changed byte is rejected or readable") {
                var accepted = 0L
                var rejected = 0L
                var change = ""
                withClue({ change }) {
                    for (position in bytes.indices) {
                        val changed = bytes.copyOf()
                        for (new in setOf(0, 1, 0x7f, 0x80, 0xff, bytes[position] + 1, bytes[position] - 1)) {
                            change = "byte $position is $new"
                            changed[position] = new.toByte()
                            if (subject.accepts(changed)) accepted++ else rejected++
                        }
                    }
                }
                accepted shouldBeGreaterThan 100
                rejected shouldBeGreaterThan 100
            }

            test("a ${subject.name} with random changes is rejected or readable") {
                var accepted = 0L
                var rejected = 0L
                var round = 0
                val random = Random(42)
                withClue({ "round $round" }) {
                    while (round++ < 3_000) {
                        val changed = bytes.copyOf()
                        repeat(random.nextInt(1, 6)) {
                            val new = if (random.nextBoolean()) 4 * random.nextInt(8) else random.nextInt()
                            changed[random.nextInt(changed.size)] = new.toByte()
                        }
                        if (subject.accepts(changed)) accepted++ else rejected++
                    }
                }
                accepted shouldBeGreaterThan 100
                rejected shouldBeGreaterThan 100
            }
        }
    }
}
