// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceIdentity
import java.util.UUID

/** The identity of a device on the PCI bus, as Linux reports it. */
class IdentitiesSpec : FunSpec({
    val folder = tempdir().toPath()

    fun node(id: String): Int {
        val method =
            Identities::class.java.getDeclaredMethod("numaNode", java.nio.file.Path::class.java, String::class.java)
        method.isAccessible = true
        return method.invoke(null, folder, id) as Int
    }

    test("the NUMA node is read from a file, and is unknown without the file or without a number [IPC-05]") {
        for ((id, text) in mapOf("0000:3b:00.0" to "1\n", "0000:3c:00.0" to "-1\n", "0000:3d:00.0" to "?")) {
            folder.resolve(id).toFile().mkdir()
            folder.resolve(id).resolve("numa_node").toFile().writeText(text)
        }
        node("0000:3b:00.0") shouldBe 1
        node("0000:3c:00.0") shouldBe -1
        node("0000:3d:00.0") shouldBe -1
        node("0000:99:00.0") shouldBe -1
        node("no\u0000name") shouldBe -1
    }

    test("a UUID has its bytes in order, and a PCI address is in lower case [IPC-05]") {
        val uuid = Identities.uuid(ByteArray(16) { it.toByte() })
        uuid shouldBe UUID.fromString("00010203-0405-0607-0809-0a0b0c0d0e0f")
        Identities.onPci(uuid, "0000:AF:00.0") shouldBe
            DeviceIdentity(uuid, "0000:af:00.0", Identities.onPci(null, "0000:af:00.0").numaNode())
    }
})
