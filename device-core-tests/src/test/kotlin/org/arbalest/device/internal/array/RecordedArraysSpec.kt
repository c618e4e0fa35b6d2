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
 * What goes wrong while an event is told changes nothing of what has happened: an array that came in is there, one that
 * went out is C's.
 */
class RecordedArraysSpec : FunSpec({
    extension(Balanced)

    /** Of an event for which there is no room. */
    class NoRoom(private val at: String) : Recorded.OfArray {
        var asked = 0

        override fun isOver(): Boolean {
            asked++
            if (at == "isOver") throw OutOfMemoryError("no room, for this test")
            return true
        }

        override fun describe(rows: Long, bytes: Long, device: Any, type: String) {
            asked++
            throw StackOverflowError("no room, for this test")
        }
    }

    for ((at, asked) in mapOf("isOver" to 1, "tell" to 2)) {
        test("an event of an array that fails in $at throws nothing [OWN-09]") {
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

    test("a wait that cannot be told goes on with what it waited for") {
        class Unnamed {
            override fun toString(): String = throw OutOfMemoryError("no room, for this test")
        }
        Recording().use { recording ->
            recording.enable("org.arbalest.Wait").withThreshold(Duration.ZERO)
            recording.start()
            Recorded.aWait()!!.describe("task", Unnamed())
        }
    }
})
