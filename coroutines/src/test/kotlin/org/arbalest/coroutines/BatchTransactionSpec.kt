// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.Device
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.ResourceCountersExtension

private class Planned : Exception()

class BatchTransactionSpec : FunSpec({
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    /** Builds a batch in which every lambda and every block calls [step]. */
    fun Device.everything(step: () -> Unit): RecordBatch = batch(rows = 3) {
        step()
        int64("a", longArrayOf(1, 2, 3), isNull = { step(); it == 0 })
        utf8("b") { row -> step(); "text ".repeat(100 * row) }
        list("c", { row -> step(); List(row) { it } }) { all ->
            step()
            struct {
                step()
                float64("x") { step(); all[it].toDouble() }
                list("y", { step(); listOf("p", null) }) { texts -> dictionary { step(); texts[it] } }
                step()
            }
            step()
        }
        list("d") { step(); listOf("q") }
        step()
    }

    test("an exception at any point of the block leaves nothing allocated") {
        val before = ResourceCounters.now()
        var places = 0
        cpu.everything { places++ }.close()
        places shouldBeGreaterThan 25
        for (place in 0 until places) {
            var steps = 0
            shouldThrow<Planned> { cpu.everything { if (steps++ == place) throw Planned() } }
            ResourceCounters.now().since(before).isZero shouldBe true
        }
    }

    test("a builder that runs out of memory frees its earlier allocations") {
        val before = ResourceCounters.now()
        val error = shouldThrow<DeviceException> {
            cpu.batch(1_000_000_000) {
                int8("a", byteArrayOf(1))
                fixedSizeBinary("b", Int.MAX_VALUE) { null }
            }
        }
        error.errno() shouldBe Errno.ENOMEM
        ResourceCounters.now().since(before).isZero shouldBe true
    }

    test("a return out of the block leaves nothing allocated") {
        val before = ResourceCounters.now()
        fun leave(): String {
            cpu.batch(1) {
                int64("a", longArrayOf(1))
                utf8("b") { return "left" }
            }.close()
            return "built"
        }
        leave() shouldBe "left"
        ResourceCounters.now().since(before).isZero shouldBe true
    }
})
