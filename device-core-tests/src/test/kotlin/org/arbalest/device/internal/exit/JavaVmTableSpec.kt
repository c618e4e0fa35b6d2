// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.internal.exit.MemoryMap.Mapping
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG

private const val LIBJVM = "/jdk/lib/server/libjvm.so"

class JavaVmTableSpec : FunSpec({
    test("this JVM's function table has the known structure [OWN-17]").config(enabled = AffectedJvm.whyNot() == null) {
        JavaVmTable.find().functions().get(JAVA_LONG, 0) shouldBe 0
    }

    test("a structure like HotSpot's is accepted, and its functions are found in their places [OWN-17]") {
        val table = FakeJvm().table()
        table.functions().get(JAVA_LONG, JavaVmTable.DETACH.toLong()) shouldBe table.getEnv() - 8
    }

    fun refused(what: String, difference: String, change: FakeJvm.() -> Unit) =
        test("a JVM is rejected if its $what [OWN-17]") {
            val jvm = FakeJvm().apply(change)
            val message = shouldThrow<UnsupportedOperationException> { jvm.table() }.message!!
            message shouldStartWith "the JVM's structure is not the known one: "
            message shouldContain difference
        }

    refused("JavaVM cannot be written to", "JavaVM is not in writable memory") { vmAccess = "r--p" }
    refused("JavaVM is outside libjvm", "JavaVM is not in writable memory") { vmFile = "" }
    refused("JavaVM is at an odd address", "JavaVM is not in writable memory") { vmOffset = 4 }
    refused("table is not mapped", "table of functions is not in memory of libjvm") { vm.set(JAVA_LONG, 0, 8) }
    refused("table is outside libjvm", "table of functions is not in memory of libjvm") {
        tableFile = "/tmp/libagent.so"
    }
    refused("table is too short", "table of functions is not in memory of libjvm") { tableBytes = 56 }
    for (place in 0..16 step 8) {
        refused("reserved word at $place is not 0", "the word at $place in its table") {
            table.set(JAVA_LONG, place.toLong(), 1)
        }
    }
    for (place in 24..56 step 8) {
        refused("function at $place is missing", "the word at $place in its table") {
            table.set(JAVA_LONG, place.toLong(), 0)
        }
        refused("function at $place is not code of libjvm", "the word at $place in its table") {
            table.set(JAVA_LONG, place.toLong(), vm.address())
        }
    }
})

/** Memory with the structure of a JavaVM, and a list of its mappings. */
private class FakeJvm {
    private val memory: MemorySegment = Arena.global().allocate(256, 64)
    private val code = memory.asSlice(128, 64)
    val vm: MemorySegment = memory.asSlice(0, 16)
    val table: MemorySegment = memory.asSlice(64, 64)
    var vmOffset = 0L
    var vmAccess = "rw-p"
    var vmFile = LIBJVM
    var tableFile = LIBJVM
    var tableBytes = 64L

    init {
        vm.set(JAVA_LONG, 0, table.address())
        for (i in 3..7) table.setAtIndex(JAVA_LONG, i.toLong(), code.address() + 8 * i)
    }

    fun table(): JavaVmTable {
        val mappings = listOf(
            Mapping(vm.address(), vm.address() + 16, vmAccess, vmFile),
            Mapping(table.address(), table.address() + tableBytes, "r--p", tableFile),
            Mapping(code.address(), code.address() + 64, "r-xp", LIBJVM),
        )
        return JavaVmTable.of(vm.address() + vmOffset, LIBJVM, MemoryMap(mappings))
    }
}
