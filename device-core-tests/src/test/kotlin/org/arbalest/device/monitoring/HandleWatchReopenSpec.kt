// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.internal.array.DeviceArrayImpl
import org.arbalest.device.internal.device.DeviceBufferImpl
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.duel
import org.arbalest.device.support.spinOrSleep

private const val ROUNDS = 4_000

/**
 * A handle that is reopened because its consumer failed, while another thread closes it. The watch must count it as
 * closed, too.
 */
class HandleWatchReopenSpec : FunSpec({
    extension(Balanced)

    fun until(isOpen: () -> Boolean) {
        var spins = 0
        while (!isOpen()) spinOrSleep(++spins)
    }

    test("a buffer that its owner takes back, and another thread closes at once, is not a leak [OWN-21]") {
        HandleWatch.start().use { watch ->
            val buffers = List(ROUNDS) { DeviceBufferImpl.unwrap(Devices.cpu().allocate(8)).also { it.take() } }
            duel(
                ROUNDS,
                one = { buffers[it].untake() },
                other = {
                    until(buffers[it]::isOpen)
                    buffers[it].close()
                },
            )
            watch.open().map { it.what() }.shouldBeEmpty()
        }
    }

    test("an array that its owner takes back, and another thread closes before or after, is not a leak [OWN-09, " +
        "OWN-21]") {
        HandleWatch.start().use { watch ->
            val arrays = List(ROUNDS) { DeviceArrayImpl.unwrap(batch(1)) }
            val owners = arrays.map { it.borrow() }
            duel(ROUNDS, one = { arrays[it].takeBack(owners[it]) }, other = { arrays[it].close() })
            arrays.count { it.isOpen } shouldBe 0
            watch.open().map { it.what() }.shouldBeEmpty()
        }
    }
})
