package org.arbalest.testkit

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.Placeholder
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout

class NativeLibrarySpec : FunSpec({
    extension(CCompiler.needed)

    test("a C source of the testkit is compiled against core's header, and called") {
        val address = NativeLibrary.compile("placeholder.c").findOrThrow("placeholder_answer")
        val answer = Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(ValueLayout.JAVA_INT))
        answer.invokeWithArguments() shouldBe 42
    }

    test("the same sources are compiled and loaded once") {
        NativeLibrary.compile("placeholder.c") shouldBeSameInstanceAs NativeLibrary.compile("placeholder.c")
    }

    test("core is seen from outside") {
        Placeholder.named("") shouldBe null
    }
})
