// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import jdk.jfr.Recording
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.support.Balanced
import java.time.Duration
import org.arbalest.device.internal.recording.Recording as Recorded

/**
 * Failures while an event is recorded, which change no result: an imported array is there, and an exported one belongs
 * to C.
 */
class RecordedArraysSpec : FunSpec({
    extension(Balanced)

    /** An event whose methods run out of memory or stack. */
    class NoRoom(private val at: String) : Recorded.OfArray {
        var asked = 0

        override fun isOver(): Boolean {
            asked++
            if (at == "isOver") throw OutOfMemoryError("simulated lack of memory")
            return true
        }

        override fun describe(rows: Long, bytes: Long, device: Any, type: String) {
            asked++
            throw StackOverflowError("simulated lack of stack")
        }
    }

    for ((at, asked) in mapOf("isOver" to 1, "describe" to 2)) {
        test("recording an array throws nothing if the event fails in $at [OWN-09]") {
            BatchBuilder.of(Devices.cpu(), 1).use { it.int64("n", longArrayOf(7)).build() }.use { array ->
                val handle = DeviceArrayImpl.unwrap(array)
                val events = listOf<(Recorded.OfArray) -> Unit>(
                    { RecordedArrays.describe(it, array) },
                    { RecordedArrays.describe(it, Devices.cpu(), array) },
                    {
                        val owner = handle.share()
                        RecordedArrays.describe(it, handle, owner)
                        owner.release()
                    },
                    { RecordedArrays.describe(it, handle, 8L) },
                )
                for (describe in events) NoRoom(at).also(describe).asked shouldBe asked
                array.column(0).getLong(0) shouldBe 7
            }
            Balanced.held().isZero shouldBe true
        }
    }

    test("recording a wait throws nothing if the toString of its subject fails") {
        class Unnamed {
            override fun toString(): String = throw OutOfMemoryError("simulated lack of memory")
        }
        Recording().use { recording ->
            recording.enable("org.arbalest.Wait").withThreshold(Duration.ZERO)
            recording.start()
            Recorded.aWait()!!.describe("task", Unnamed())
        }
    }
})
