package org.arbalest.interop.arrowcpp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Devices
import org.arbalest.testkit.LedgerExtension

class ArrowCppSubstraitSpec : FunSpec({
    extension(LedgerExtension)

    test("a batch goes through Arrow C++'s engine") {
        val batch = Devices.cpu().batchBuilder(3).use { it.int64("id", longArrayOf(1, 2, 39)).build() }
        Substrait.through(DeviceArrayReader.of(batch.schema(), listOf(batch))).use { reader ->
            reader.next()!!.use { it.column("id").toLongArray().toList() shouldBe listOf(1L, 2L, 39L) }
            reader.next() shouldBe null
        }
    }
})
