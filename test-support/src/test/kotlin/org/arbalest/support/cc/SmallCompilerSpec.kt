// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.support.CCompiler
import org.arbalest.support.I32
import org.arbalest.support.I64
import org.arbalest.support.NativeLibrary
import org.arbalest.support.PTR
import org.arbalest.support.PeerLibrary
import org.arbalest.support.textAt
import org.arbalest.testkit.SkipWithout
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_DOUBLE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.foreign.ValueLayout.JAVA_SHORT
import java.lang.invoke.MethodHandle
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.name
import kotlin.io.path.readText
import kotlin.io.path.walk

private val SMALL = MemoryLayout.structLayout(JAVA_LONG, JAVA_LONG)
private val LARGE = MemoryLayout.structLayout(JAVA_LONG, MemoryLayout.sequenceLayout(3, JAVA_LONG))
private const val C = "/org/arbalest/support/c/"

class SmallCompilerSpec : FunSpec({
    extension(SkipWithout { SmallCompiler.missing })

    fun compiled(sources: Map<String, String>, vararg flags: String): SymbolLookup {
        val file = tempdir().toPath().resolve("library.so")
        SmallCompiler.compile(sources, flags.toList(), file)
        return SymbolLookup.libraryLookup(file, Arena.global())
    }

    fun resource(name: String) = checkNotNull(SmallCompilerSpec::class.java.getResource(C + name)) { name }.readText()
    val sources = listOf("small/language.c", "small/language.h").associateWith(::resource)
    val bySmall by lazy { compiled(sources) }
    val byMachine by lazy { NativeLibrary.compile("small/language.c", "small/language.h") }
    val needed = listOf(CCompiler.commandNeeded)

    fun describe(library: SymbolLookup) = (library.call("describe", PTR)() as MemorySegment).textAt()

    test("the constructs of C give the expected results") {
        describe(bySmall) shouldBe resource("small/language.txt")
    }

    test("the machine's compiler gives the same results").config(extensions = needed) {
        describe(byMachine) shouldBe resource("small/language.txt")
    }

    for ((name, library) in listOf("the small compiler" to { bySmall }, "the machine's compiler" to { byMachine })) {
        val extensions = if (name == "the small compiler") emptyList() else needed

        test("structs, doubles and many arguments are passed as the platform requires, by $name")
            .config(extensions = extensions) {
                Arena.ofConfined().use { arena ->
                    val small = arena.allocateFrom(JAVA_LONG, 5, 6)
                    val sum = library().call("add_small", SMALL, SMALL, I64)(arena, small, 10L) as MemorySegment
                    sum.toArray(JAVA_LONG).toList() shouldBe listOf(15, 12)
                    val large = arena.allocateFrom(JAVA_LONG, 1, 2, 3, 4)
                    val more = library().call("add_large", LARGE, LARGE, SMALL, I32)(arena, large, sum, 100)
                    (more as MemorySegment).toArray(JAVA_LONG).toList() shouldBe listOf(16, 2, 115, 4)
                    large.toArray(JAVA_LONG).toList() shouldBe listOf(1, 2, 3, 4)
                    val ten = library().call("ten", I64, I64, JAVA_BYTE, JAVA_BYTE, JAVA_SHORT, JAVA_SHORT, JAVA_INT,
                        JAVA_INT, SMALL, JAVA_DOUBLE, JAVA_BYTE)
                    ten(1L, (-2).toByte(), (-3).toByte(), (-4).toShort(), (-5).toShort(), -6, -7, sum, 8.0,
                        (-9).toByte()) shouldBe
                        1 - 4 + 3 * 253 - 16 + 5 * 65531 - 36 + 7 * 4294967289 + 8 * 15 + 72 - 90 + 12
                    library().call("half", JAVA_DOUBLE, I64, JAVA_DOUBLE)(0L, 0.25) shouldBe 0.25
                    library().call("half", JAVA_DOUBLE, I64, JAVA_DOUBLE)(9L, 0.25) shouldBe 4.0
                }
            }

        test("a callback receives a struct by value, by $name").config(extensions = extensions) {
            Arena.ofConfined().use { arena ->
                val large = arena.allocateFrom(JAVA_LONG, 7, 0, 0, 0)
                val type = MethodType.methodType(Long::class.java, MemorySegment::class.java, MemorySegment::class.java)
                val target = MethodHandles.lookup().findStatic(Callback::class.java, "called", type)
                val stub = Linker.nativeLinker().upcallStub(target, FunctionDescriptor.of(I64, PTR, SMALL), arena)
                library().call("call_back", I64, PTR, PTR)(stub, large) shouldBe 7 + 34 + 7 + 1
            }
        }
    }

    fun files(root: Path) = root.walk().filter { it.extension in setOf("c", "h") }
        .associate { "${root.relativize(it)}" to it.readText() }

    val header = "arbalest/arrow_abi.h" to Path.of("../device-core/src/main/c/include/arbalest/arrow_abi.h").readText()
    val main = files(Path.of("src/main/resources$C")) + header
    val peer = main.filterKeys { it.substringBefore('/') in setOf("peer", "checks", "async", "arbalest") }

    test("the C peer passes its own tests") {
        val tests = Path.of("src/test/c/selftest").walk().filter { it.extension != "sh" && it.name != "main.c" }
        val library = compiled(peer + tests.associate { "selftest/${it.name}" to it.readText() })
        for (part in listOf("peer_tests", "async_tests")) {
            library.call(part, null)()
            withClue(part) { library.call("failures", I32)() shouldBe 0 }
        }
    }

    test("two peers, one by each compiler, read and release each other's batches").config(extensions = needed) {
        val libraries = listOf(compiled(peer), PeerLibrary.library)
        Arena.ofConfined().use { arena ->
            val sums = libraries.flatMap { maker ->
                val schema = arena.allocate(72)
                maker.call("peer_batch_schema", null, PTR)(schema)
                libraries.map { reader ->
                    val array = arena.allocate(80)
                    maker.call("peer_batch", null, PTR, I64, I64, I32)(array, 3L, 50L, 0x1000 or 0x8000)
                    val sum = reader.call("peer_array_checksum", I64, PTR, PTR)(array, schema)
                    reader.call("peer_release", I32, PTR, I32)(array, 0) shouldBe 1
                    sum to reader.call("peer_schema_checksum", I64, PTR)(schema)
                }.also { libraries[0].call("peer_release", I32, PTR, I32)(schema, 1) shouldBe 1 }
            }
            sums.toSet().size shouldBe 1
            libraries.map { it.call("peer_live_allocations", I64)() } shouldBe listOf(0L, 0L)
        }
    }

    test("each C file that the quick tests use is in the subset") {
        val modules = listOf("device-core-tests", "device-cuda", "device-rocm")
        val all = modules.fold(main) { all, module -> all + files(Path.of("../$module/src/test/resources$C")) }
        val others = setOf("checks/machine_code.c", "opencl/seccomp.c") // of the full tier
        for (unit in all.keys.filter { it.endsWith(".c") && it !in others }) withClue(unit) {
            val sources = all.filterKeys { it.endsWith(".h") || it == unit }
            SmallCompiler.compile(sources, listOf("-DGPU_DRIVER_VERSION=0"), tempdir().toPath().resolve("unit.so"))
        }
    }

    listOf(
        "int f(void) { goto end; end: return 1; }" to "unknown name goto",
        "struct s { int a : 3; };" to "a bit-field",
        "float f;" to "a type was expected, not 'float'",
        "int f(int a) { return f(a, 1); }" to "the function takes 1 arguments, not 2",
        "int f(void) { return g; }" to "unknown name g",
        "int a[2][2] = {1, 2, 3, 4};" to "an array needs braces here",
        "int g; int f = g;" to "the initializer is not constant",
        "int f(void) { return 1 }" to "';' was expected before '}'",
        "#include \"missing.h\"\n" to "no file \"missing.h\"",
        "#if 1\n" to "#endif is missing",
        "int f(double d) { return d + 1; }" to "'+' of type double",
    ).forEach { (source, message) ->
        test("code outside the subset is rejected with its place: $message") {
            shouldThrow<IllegalStateException> { compiled(mapOf("x.c" to source)) }.message!! shouldStartWith
                "x.c:1: $message"
        }
    }
})

private object Callback {
    @JvmStatic
    fun called(large: MemorySegment, small: MemorySegment): Long =
        large.reinterpret(8).get(JAVA_LONG, 0) + 10 * small.get(JAVA_LONG, 0) + small.get(JAVA_LONG, 8)
}

private class Function(private val handle: MethodHandle) {
    operator fun invoke(vararg arguments: Any): Any? = handle.invokeWithArguments(*arguments)
}

private fun SymbolLookup.call(name: String, result: MemoryLayout?, vararg parameters: MemoryLayout): Function {
    val type = if (result == null) FunctionDescriptor.ofVoid(*parameters)
    else FunctionDescriptor.of(result, *parameters)
    return Function(Linker.nativeLinker().downcallHandle(findOrThrow(name), type))
}
