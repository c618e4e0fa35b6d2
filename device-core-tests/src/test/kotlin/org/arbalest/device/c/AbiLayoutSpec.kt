// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.maps.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.testkit.SkipWithout
import java.lang.foreign.MemoryLayout.PathElement.groupElement
import java.lang.foreign.StructLayout
import java.nio.file.Files
import java.nio.file.Path
import kotlin.jvm.optionals.getOrNull

private val LAYOUTS = listOf(
    ArrowSchemaStruct.LAYOUT,
    ArrowArrayStruct.LAYOUT,
    ArrowArrayStreamStruct.LAYOUT,
    ArrowDeviceArrayStruct.LAYOUT,
    ArrowDeviceArrayStreamStruct.LAYOUT,
    ArrowAsyncTaskStruct.LAYOUT,
    ArrowAsyncProducerStruct.LAYOUT,
    ArrowAsyncHandlerStruct.LAYOUT,
)

private val cxx = CCompiler.find("c++", System.getenv("PATH").orEmpty())
private val needsCxx = SkipWithout { (cxx as? CCompiler.Missing)?.reason }

private val header = CCompiler::class.java.getResource("/META-INF/include/arbalest/arrow_abi.h")!!.readText()

class AbiLayoutSpec : FunSpec({
    test("the eight structs have the field offsets and sizes that the C compiler computes")
        .config(extensions = listOf(CCompiler.commandNeeded)) {
            val java = LAYOUTS.flatMap { offsets(it) }.toMap()
            val c = CPeer.layout.trim().lines().associate { line ->
                line.split(' ').let { (what, bytes) -> what to bytes.toLong() }
            }
            java shouldContainExactly c
        }

    test("the eight structs have the sizes of the frozen ABI on 64-bit platforms") {
        LAYOUTS.associate { it.name().get() to it.byteSize() } shouldBe mapOf(
            "ArrowSchema" to 72L,
            "ArrowArray" to 80L,
            "ArrowArrayStream" to 40L,
            "ArrowDeviceArray" to 128L,
            "ArrowDeviceArrayStream" to 48L,
            "ArrowAsyncTask" to 16L,
            "ArrowAsyncProducer" to 40L,
            "ArrowAsyncDeviceStreamHandler" to 48L,
        )
    }

    test("the header defines the schema flags with the values of ArrowSchemaStruct [SCH-07]") {
        defines("ARROW_FLAG_") shouldContainExactly mapOf(
            "DICTIONARY_ORDERED" to ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED.toInt(),
            "NULLABLE" to ArrowSchemaStruct.FLAG_NULLABLE.toInt(),
            "MAP_KEYS_SORTED" to ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED.toInt(),
        )
    }

    test("the header and DeviceType have the same device codes under the same names [DEV-09]") {
        val java = DeviceType::class.java.fields.filter { it.type == DeviceType::class.java }
            .associate { it.name to (it.get(null) as DeviceType).code() }
        java shouldContainExactly defines("ARROW_DEVICE_")
    }

    test("the header compiles alone as C11 without a warning").config(extensions = listOf(CCompiler.commandNeeded)) {
        compile(CCompiler.answer, "-std=c11", "x.c",
            "#include <arbalest/arrow_abi.h>\nstruct ArrowDeviceArray array;\n")
    }

    test("the header compiles alone as C++11 without a warning").config(extensions = listOf(needsCxx)) {
        compile(cxx, "-std=c++11", "x.cpp", "#include <arbalest/arrow_abi.h>\nArrowDeviceArray array;\n")
    }

    test("the header can be included twice, and after another header with the same structs")
        .config(extensions = listOf(CCompiler.commandNeeded)) {
            val before = """
                #define ARROW_C_DATA_INTERFACE
                struct ArrowSchema { int theirs; };
                struct ArrowArray { int theirs; };
                #include <arbalest/arrow_abi.h>
                #include <arbalest/arrow_abi.h>
                struct ArrowDeviceArray array;
                int theirs(void) { return array.array.theirs; }
            """.trimIndent()
            compile(CCompiler.answer, "-std=c11", "x.c", before + "\n")
        }
})

private fun offsets(layout: StructLayout): List<Pair<String, Long>> {
    val struct = layout.name().get()
    val fields = layout.memberLayouts().mapNotNull { it.name().getOrNull() }
    return fields.map { "$struct.$it" to layout.byteOffset(groupElement(it)) } + (struct to layout.byteSize())
}

private fun defines(prefix: String): Map<String, Int> =
    Regex("""#define $prefix(\w+) (\d+)""").findAll(header).associate { it.groupValues[1] to it.groupValues[2].toInt() }

private fun compile(compiler: CCompiler, standard: String, name: String, source: String) {
    val folder = Files.createTempDirectory("arbalest-header")
    Files.writeString(Files.createDirectories(folder.resolve("arbalest")).resolve("arrow_abi.h"), header)
    Files.writeString(folder.resolve(name), source)
    val path: Path = (compiler as CCompiler.Found).path
    val command =
        listOf("$path", standard, "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.", name)
    val process = ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start()
    val words = process.inputReader().readText()
    withClue(words) { process.waitFor() shouldBe 0 }
    folder.toFile().deleteRecursively()
}
