// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.shouldBe
import org.arbalest.device.internal.exit.MemoryMap.Mapping
import java.lang.foreign.Arena
import java.lang.foreign.Linker
import java.nio.file.Files
import java.nio.file.Path

class MemoryMapSpec : FunSpec({
    val map = MemoryMap(
        listOf(
            Mapping(0x1000, 0x2000, "r-xp", "/lib/a.so"),
            Mapping(0x2000, 0x3000, "rw-p", "/lib/a.so"),
            Mapping(-0x2000, -0x1000, "rw-p", ""), // above half of all addresses
        ),
    )

    test("an address belongs to the mapping that contains it") {
        map.fileAt(0x1000) shouldBe "/lib/a.so"
        map.fileAt(0x1fff) shouldBe "/lib/a.so"
        map.fileAt(0xfff) shouldBe ""
        map.fileAt(0x3000) shouldBe ""
    }

    test("memory is mapped if a single mapping of the file and access contains all its bytes") {
        map.isMapped(0x2ff8, 8, "/lib/a.so", "rw") shouldBe true
        map.isMapped(0x2ff9, 8, "/lib/a.so", "rw") shouldBe false
        map.isMapped(0x1ffc, 8, "/lib/a.so", "r") shouldBe false
        map.isMapped(0x1000, 8, "/lib/a.so", "rw") shouldBe false
        map.isMapped(0x2000, 8, "/lib/b.so", "rw") shouldBe false
        map.isMapped(-0x1008, 8, "", "rw") shouldBe true
    }

    val isLinux = Files.exists(Path.of("/proc/self/maps"))
    test("the map of this process contains its memory and its libraries").config(enabled = isLinux) {
        Arena.ofConfined().use { arena ->
            val address = arena.allocate(8).address()
            val function = Linker.nativeLinker().defaultLookup().findOrThrow("malloc").address()
            val read = MemoryMap.read("") // each line contains the empty text
            read.mappings.any { it.start <= address && address < it.end && it.access.startsWith("rw") } shouldBe true
            read.isMapped(function, 1, read.fileAt(function), "r-x") shouldBe true
            Files.exists(Path.of(read.fileAt(function))) shouldBe true
            val libjvm = MemoryMap.read("libjvm").mappings
            libjvm shouldContainExactly read.mappings.filter { "libjvm" in it.file }
            libjvm.shouldNotBeEmpty()
        }
    }
})
