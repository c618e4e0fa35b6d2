// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.interop.Batches
import org.arbalest.interop.EngineContract
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types

internal class AceroSpec : EngineContract(AceroEngine) {
    init {
        val int64 = Types.all.first { it.name == "int64" }

        test("a query that is closed early releases the batches that it took in [STR-05]") {
            val reader = Batches.stream(int64) { batch -> if (batch < 1000) Batches.built(int64, batch, 1) else null }
            Substrait.through(reader).use { it.next()!!.close() }
        }

        test("a query that fails in the middle ends its stream with Arrow C++'s message [STR-09]") {
            val reader = Batches.stream(int64) { batch ->
                if (batch < 100) Batches.built(int64, 1000 * batch, 1000) else null
            }
            Substrait.through(reader, Substrait.dividedBy("i")).use {
                shouldThrow<DeviceException> { while (true) it.next()?.close() ?: break }.message shouldContain
                    "divide by zero"
            }
        }

        test("Arrow C++'s filter finds v equal to w in every row that is not null") {
            val reader = Batches.stream(int64) { batch ->
                if (batch < 3) Batches.laid(int64, 100 * batch, 100) else null
            }
            Substrait.through(reader, Substrait.whereEqual("v", "w")).use(Batches::read) shouldBe
                Batches.expected(int64, (0 until 300).filterNot(TypeCase::isNull))
        }
    }
}
