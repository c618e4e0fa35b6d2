// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.Enabled
import io.kotest.matchers.collections.shouldContainInOrder
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.Availability
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.File
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

class ReadmeSpec : FunSpec({
    extension(ResourceCountersExtension)

    val prices = doubleArrayOf(1.5, 2.0, 4.25)
    val symbols = listOf("A", null, "C")

    test("the README's code is the code of Trades.kt and Readme.kt, TradesJava.java and ReadmeJava.java") {
        val sources =
            mapOf("kotlin" to listOf("Trades.kt", "Readme.kt"), "java" to listOf("TradesJava.java", "ReadmeJava.java"))
                .mapValues { (language, names) ->
                    names.joinToString("\n") {
                        File("src/main/$language/org/arbalest/samples/$it").readText().unindented()
                    }
                }
        val blocks = Regex("```(kotlin|java)\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(File("../README.md").readText()).toList()
        blocks shouldHaveSize 5
        for ((language, code) in blocks.map { it.destructured }) {
            if (!code.startsWith("import ")) {
                "\n${sources.getValue(language)}\n" shouldContain "\n${code.unindented()}\n"
                continue
            }
            // The imports, and what is done with them, stand apart in the source: whole lines each, in the same order.
            val (imports, rest) = code.unindented().split("\n\n", limit = 2)
            val source = "\n${sources.getValue(language)}\n"
            source shouldContain "\n$imports\n"
            source.substringAfter("\n$imports\n") shouldContain "\n$rest\n"
            imports.lines().all { it.startsWith("import ") } shouldBe true
        }
    }

    test("the README's Kotlin hands out a batch and takes in a stream") {
        Arena.ofConfined().use { arena ->
            val array = ArrowArrayStruct.allocate(arena)
            val schema = ArrowSchemaStruct.allocate(arena)
            readme(symbols, prices, array, schema) {
                val back = CData.importArray(array, CImport.DATA.schema(schema))
                ArrowArrayStreamStruct.allocate(arena).also {
                    CData.exportStream(DeviceArrayReader.of(back.schema(), listOf(back)), it, CExport.DATA)
                }
            } shouldBe 7.75
        }
        eventually("nothing is left") { Held.now().isZero }
    }

    test("the README's rows are objects, and a table") {
        val printed = captured {
            0.also { dear(listOf(Trade(1.5, "A"), Trade(2.0, null))) shouldBe listOf(Trade(2.0, null)) }
        }
        printed.output.lines().map(String::trim) shouldContainInOrder listOf("1.5 | A", "2.0 | null")
        eventually("nothing is left") { Held.now().isZero }
    }

    test("the README's async streams come in and go out") {
        val days = prices.map { doubleArrayOf(it) }
        val batches = lendingFlow { for (day in days) emit(Devices.cpu().batch(1) { float64("price", day) }) }
        val schema = Devices.cpu().batch(1) { float64("price", prices.take(1).toDoubleArray()) }.use { it.schema() }
        var rows = 0L
        coroutineScope {
            readmeAsync(
                days, schema, { handler -> launch(Dispatchers.Default) { batches.produceTo(handler, schema) } },
            ) {
                lateinit var taken: MemorySegment
                val consumer = CData.importAsyncStream(CImport.DEVICE) { taken = it }
                launch(Dispatchers.Default) { consumer.asFlow().collect { rows += it.length() } }
                taken
            } shouldBe 7.75
        }
        rows shouldBe 3 // the consumer may still extract when its handler is released
        eventually("nothing is left") { Held.now().isZero }
    }

    test("the README's batch goes to a device and back").config(enabledOrReasonIf = { needsOpenCl() }) {
        Devices.cpu().batch(2) { float64("price", doubleArrayOf(1.5, 2.0)) }.use { batch ->
            captured { 0.also { runBlocking { readmeDevice(batch) } } }.output.trim() shouldBe "1.5"
        }
        eventually("nothing is left") { Held.now().isZero }
    }

    test("the complete programs send a batch through a C struct, and print its sum") {
        captured { 0.also { main() } }.output.trim() shouldBe "7.75"
        captured { 0.also { TradesJava.main(emptyArray()) } }.output.trim() shouldBe "7.75"
        eventually("nothing is left") { Held.now().isZero }
    }

    test("the README's Java hands out a stream and takes in a stream") {
        Arena.ofConfined().use { arena ->
            val stream = ArrowArrayStreamStruct.allocate(arena)
            ReadmeJava.readme(symbols, prices, stream, stream) shouldBe 7.75
        }
        eventually("nothing is left") { Held.now().isZero }
    }
})

/** With `CI=true` nothing is skipped. */
private fun needsOpenCl(): Enabled {
    val missing = Devices.availability(DeviceType.OPENCL) as? Availability.Missing
    return if (missing == null || System.getenv("CI") == "true") Enabled.enabled else Enabled.disabled(missing.reason())
}

private fun String.unindented() = lines().joinToString("\n") { it.trim() }.trim()
