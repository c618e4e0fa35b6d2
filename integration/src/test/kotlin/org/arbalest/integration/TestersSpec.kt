// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import kotlin.io.path.writeText

/** Tests that each function of the testers returns a difference or an error, and releases what it received. */
class TestersSpec : FunSpec({
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()
    val same = "${folder.resolve("same.json").also { it.writeText(Sample.text) }}"
    val value = "${folder.resolve("value.json").also { it.writeText(Sample.changed("yz!", "yy!")) }}"
    val key = "${folder.resolve("key.json").also { it.writeText(Sample.changed("\"lang\"", "\"tongue\"")) }}"
    val valueDifference = "batch 0, word: row 1: expected \"yy!\", found \"yz!\""
    val keyDifference = "schema, word, metadata \"lang\": expected none, found \"en\""

    fun with(allocate: (Arena) -> MemorySegment, block: (Long) -> Unit) {
        Arena.ofConfined().use { block(allocate(it).address()) }
    }

    test("the C tester returns the difference of a schema") {
        with(ArrowSchemaStruct::allocate) { struct ->
            CDataTester.exportSchemaFromJson(same, struct).shouldBeNull()
            CDataTester.importSchemaAndCompare(value, struct).shouldBeNull()
            CDataTester.exportSchemaFromJson(same, struct).shouldBeNull()
            CDataTester.importSchemaAndCompare(key, struct) shouldBe keyDifference
        }
    }

    test("the C tester returns the difference of a batch") {
        with(ArrowArrayStruct::allocate) { struct ->
            CDataTester.exportBatchFromJson(same, 0, struct).shouldBeNull()
            CDataTester.importBatchAndCompare(same, 0, struct).shouldBeNull()
            CDataTester.exportBatchFromJson(same, 0, struct).shouldBeNull()
            CDataTester.importBatchAndCompare(value, 0, struct) shouldBe valueDifference
        }
    }

    test("the C tester returns the difference of a stream") {
        with(ArrowArrayStreamStruct::allocate) { struct ->
            CDataTester.exportStreamFromJson(same, struct).shouldBeNull()
            CDataTester.importStreamAndCompare(value, struct) shouldBe valueDifference
            CDataTester.exportStreamFromJson(same, struct).shouldBeNull()
            CDataTester.importStreamAndCompare(key, struct) shouldBe keyDifference
        }
    }

    test("the device tester returns the difference of an array") {
        with(ArrowDeviceArrayStruct::allocate) { struct ->
            DeviceTester.exportBatchFromJson(same, 0, struct).shouldBeNull()
            DeviceTester.importBatchAndCompare(value, 0, struct) shouldBe valueDifference
        }
    }

    test("the device tester returns the difference of a stream") {
        with(ArrowDeviceArrayStreamStruct::allocate) { struct ->
            DeviceTester.exportStreamFromJson(same, struct).shouldBeNull()
            DeviceTester.importStreamAndCompare(key, struct) shouldBe keyDifference
        }
    }

    test("the device tester returns the difference of an async stream") {
        DeviceTester.importAsyncStreamAndCompare(value) { DeviceTester.exportAsyncStreamFromJson(same, it) } shouldBe
            valueDifference
    }

    test("the IPC tester returns the difference of a file, also after conversions") {
        val (first, second, third) = List(3) { "${folder.resolve("$it.arrow")}" }
        IpcTester.jsonToArrow(same, first).shouldBeNull()
        IpcTester.validate(value, first) shouldBe valueDifference
        IpcTester.fileToStream(first, second).shouldBeNull()
        IpcTester.streamToFile(second, third).shouldBeNull()
        IpcTester.validate(key, third) shouldBe keyDifference
        IpcTester.validate(same, second)!! shouldContain "IpcException"
    }

    test("the program returns 0, 1 after a difference, and 2 after wrong arguments") {
        val first = "${folder.resolve("program.arrow")}"
        val second = "${folder.resolve("program.arrows")}"
        fun run(vararg args: String): Pair<Int, String> {
            val errors = ByteArrayOutputStream()
            return IpcTester.run(PrintStream(errors), *args) to "$errors".trim()
        }
        run("JSON_TO_ARROW", same, first) shouldBe (0 to "")
        run("VALIDATE", same, first) shouldBe (0 to "")
        run("VALIDATE", value, first) shouldBe (1 to valueDifference)
        run("FILE_TO_STREAM", first, second) shouldBe (0 to "")
        run("STREAM_TO_FILE", second, first) shouldBe (0 to "")
        val usage = "usage: IpcTester JSON_TO_ARROW|VALIDATE|FILE_TO_STREAM|STREAM_TO_FILE FROM TO"
        run("VALIDATE", same) shouldBe (2 to usage)
        run("CONVERT", same, first) shouldBe (2 to usage)
    }

    test("only the lenient validation accepts a decimal with too many digits") {
        val text = Sample.changed("\"-12345\"", "\"1" + "0".repeat(20) + "\"")
        val json = "${folder.resolve("decimal.json").also { it.writeText(text) }}"
        val arrow = "${folder.resolve("decimal.arrow")}"
        IpcTester.jsonToArrow(json, arrow).shouldBeNull()
        IpcTester.validate(json, arrow)!! shouldContain "has more digits than the precision 20"
        IpcTester.validateQuirky(json, arrow).shouldBeNull()
    }

    test("a missing file is an error") {
        with(ArrowSchemaStruct::allocate) { struct ->
            CDataTester.exportSchemaFromJson("$folder/none", struct)!! shouldContain "NoSuchFileException"
        }
        IpcTester.jsonToArrow("$folder/none", "$folder/some")!! shouldContain "NoSuchFileException"
    }

    test("bytes and structs count until the release") {
        val bytes = CDataTester.liveBytes()
        val structs = CDataTester.liveStructs()
        with(ArrowArrayStruct::allocate) { struct ->
            CDataTester.exportBatchFromJson(same, 0, struct).shouldBeNull()
            CDataTester.liveBytes() shouldBeGreaterThan bytes
            CDataTester.liveStructs() shouldBeGreaterThan structs
            CDataTester.importBatchAndCompare(same, 0, struct).shouldBeNull()
        }
        CDataTester.liveBytes() shouldBe bytes
        CDataTester.liveStructs() shouldBe structs
    }
})
