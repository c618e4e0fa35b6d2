// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.nio.file.Files
import java.nio.file.Path

class NativeLibrarySpec : FunSpec({
    extension(CCompiler.needed)

    test("a C source of the testkit is compiled against core's header, and called") {
        val address = NativeLibrary.compile("checks/layout.c", "checks/checks.h", "peer/peer.h").findOrThrow("arbalest_layout")
        val layout = Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(ValueLayout.ADDRESS))
        (layout.invoke() as MemorySegment).textAt() shouldContain "ArrowDeviceArray 128"
    }

    test("the same sources are compiled and loaded once") {
        NativeLibrary.compile("checks/layout.c", "checks/checks.h", "peer/peer.h") shouldBeSameInstanceAs NativeLibrary.compile("checks/layout.c", "checks/checks.h", "peer/peer.h")
    }

    test("a file that is there is not made again: another JVM of the module may have loaded it") {
        val file = tempdir().toPath().resolve("lib/one.so")
        made(file) { Files.writeString(it, "first") } shouldBe file
        made(file) { Files.writeString(it, "second") }
        Files.readString(file) shouldBe "first"
    }

    test("while one JVM makes a file, another one waits, and finds it") {
        val file = tempdir().toPath().resolve("one.so")
        lateinit var other: Process
        made(file) {
            other = ChildJvm.start(Maker::class, "$file")
            other.inputReader().readLine() shouldBe "begins"
            Files.writeString(it, "ours")
        }
        other.inputReader().readLine() shouldBe "ours"
        other.waitFor() shouldBe 0
    }
})

/** Makes the file that it is given, if it is not there, and says what is in it. */
private object Maker {
    @JvmStatic
    fun main(arguments: Array<String>) {
        println("begins")
        println(Files.readString(made(Path.of(arguments.single())) { Files.writeString(it, "theirs") }))
    }
}
