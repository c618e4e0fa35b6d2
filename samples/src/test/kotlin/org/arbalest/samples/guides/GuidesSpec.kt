// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.yield
import org.arbalest.coroutines.*
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.samples.captured
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.File
import java.io.IOException
import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicInteger

private val FENCE = Regex("""```(java|kotlin)\n(.*?)```""", RegexOption.DOT_MATCHES_ALL)

private fun String.unindented() = lines().joinToString("\n") { it.trim() }.trim()

private fun prices(vararg values: Double): DeviceArray = Devices.cpu().batch { float64("price", values) }

private fun reader(vararg batches: DeviceArray) = DeviceArrayReader.of(batches[0].schema(), batches.toList())

/** What the guides show is compiled, and run, here: in both languages, where they have both. */
class GuidesSpec : FunSpec({
    extension(ResourceCountersExtension)

    val guides = File("../docs/guides").listFiles { file -> file.extension == "md" }!!.sorted()
    val sources = listOf("java" to "java", "kotlin" to "kt").associate { (language, extension) ->
        // The tests of leaks.md are leak-check's, and Spark's snippets are compiled where Spark is.
        val folders = listOf(
            "src/test/$language/org/arbalest/samples/guides", "../leak-check/src/test/$language/com/example",
            "../samples-spark/src/test/$language/org/arbalest/samples/guides",
        )
        language to folders.flatMap { folder ->
            File(folder).walk().filter { it.extension == extension && !it.name.endsWith("GuideSpec.kt") }
        }.map { "\n${it.readText().unindented()}\n" }
    }

    test("each Java and Kotlin snippet of the guides is in a source that is compiled, line by line") {
        val snippets = guides.flatMap { guide ->
            FENCE.findAll(guide.readText()).map {
                Triple(guide.name, it.groupValues[1], it.groupValues[2].unindented())
            }
        }
        snippets shouldHaveAtLeastSize 20
        snippets.filter { (_, language, code) ->
            sources.getValue(language).none { "\n$code\n" in it }
        } shouldBe listOf()
    }

    val languages = listOf("Java", "Kotlin")
    fun java(language: String) = language == "Java"

    test("the programs of the first page print what it says") {
        val page = guides.single { it.name == "getting-started.md" }.readText()
        for (program in listOf({ FirstBatch.main(arrayOf()) }, { main() })) {
            val printed = captured { program().let { 0 } }.output.trim()
            withClue(printed) { page.unindented() shouldContain printed.unindented() }
        }
    }

    for (language in languages) {
        test("$language: what is retained outlives the reader") {
            val kept = reader(prices(1.0), prices(1.0, 2.0)).use {
                if (java(language)) GuideJava.longOnes(it, 2) else longOnes(it, 2)
            }
            kept.map { array -> array.use { it.length() } } shouldBe listOf(2L)
        }

        test("$language: what is exported is consumed, and what was retained is not") {
            Arena.ofConfined().use { arena ->
                val (array, schema) = ArrowArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
                val batch = prices(1.0, 2.0)
                captured {
                    0.also {
                        if (java(language)) GuideJava.handOver(batch, array, schema) else handOver(batch, array, schema)
                    }
                }.output shouldContain "2 rows"
                batch.isOpen shouldBe false
                CData.importArray(array, CImport.DATA.schema(schema)).close()
            }
        }

        test("$language: structs are moved out of") {
            (if (java(language)) GuideJava.throughC(prices(3.0)) else throughC(prices(3.0))).use {
                it["price"].doubles()[0] shouldBe 3.0
            }
        }

        test("$language: a batch goes to a device and comes back") {
            val device: Device = Devices.device(DeviceType.EXT_DEV, 0)
            prices(1.5).use { batch ->
                (if (java(language)) GuideJava.first(batch, device) else first(batch, device)) shouldBe 1.5
            }
        }

        test("$language: a column is lent as a tensor, for a consumer's stream, and borrowed") {
            val device: Device = Devices.device(DeviceType.EXT_DEV, 0)
            device.createStream().use { stream ->
                val tensor = prices(1.5, 2.5).use { it.copyTo(device, stream) }.use {
                    if (java(language)) TensorsJava.lend(it, "price", stream.handle())
                    else lend(it, "price", stream.handle())
                }
                stream.synchronize()
                (if (java(language)) TensorsJava.borrow(tensor) else borrow(tensor)).use { array ->
                    array.copyTo(Devices.cpu()).use {
                        it.synchronize()
                        it.asColumn().doubles()[1] shouldBe 2.5
                    }
                }
            }
        }
    }

    test("Java: the producer's errno and words") {
        val broken = DeviceArrayReader.of(prices(1.0).use { it.schema() }, DeviceType.CPU) { error("the source broke") }
        Arena.ofConfined().use { arena ->
            val stream = ArrowArrayStreamStruct.allocate(arena)
            CData.exportStream(broken, stream, CExport.DATA)
            GuideJava.whatWentWrong(CData.importStream(stream, CImport.DATA)) shouldBe
                "5: java.lang.IllegalStateException: the source broke"
        }
    }

    test("Kotlin: the largest batch of a flow is kept, others are closed") {
        largest(reader(prices(1.0), prices(1.0, 2.0), prices(3.0)))!!.use { it.length() shouldBe 2 }
    }

    test("Kotlin: parallel workers count and sum batches, and a queue of one's own loses none where a worker fails") {
        rowsOf(reader(prices(1.0), prices(1.0, 2.0))) shouldBe 3
        sums(reader(prices(1.0), prices(1.0, 2.0))) shouldBe listOf(1.0, 3.0)
        val made = AtomicInteger()
        val endless = DeviceArrayReader.of(prices(1.0).use { it.schema() }, DeviceType.CPU) {
            prices(1.0).also { made.incrementAndGet() }
        }
        shouldThrow<IOException> {
            eachOnce(endless, 1) {
                while (made.get() < 6) yield() // one is worked on, four are queued, one waits for a place
                throw IOException("the disk is full")
            }
        }
        val worked = AtomicInteger()
        eachOnce(reader(*Array(9) { prices(1.0) }), 2) { worked.incrementAndGet() }
        worked.get() shouldBe 9
    }

    test("Kotlin: flows go out as a C stream, and through a step in between") {
        Arena.ofConfined().use { arena ->
            val stream = ArrowArrayStreamStruct.allocate(arena)
            exportDays(listOf(doubleArrayOf(1.5), doubleArrayOf(2.0)), prices(1.0).use { it.schema() }, stream)
            var total = 0.0
            doubled(CData.importStream(stream, CImport.DATA).asFlow()).collect { total += it["price"].doubles()[0] }
            total shouldBe 7.0
        }
        eventually("nothing is left") { Held.now().isZero }
    }

    test("the messages in docs/errors.md are those that the library throws") {
        val page = File("../docs/errors.md").readText()
        val batch = prices(1.5)
        batch.close()
        val messages = listOf(
            shouldThrow<IllegalStateException> { batch.retain() },
            prices(1.5).use { open -> shouldThrow<IllegalArgumentException> { open.column("price").getString(0) } },
            prices(1.5).use { open -> shouldThrow<IllegalArgumentException> { open.column("prize") } },
            Devices.cpu().batch { utf8("symbol", listOf(null)) }.use { open ->
                shouldThrow<RuntimeException> { open.column("symbol").getString(0) }
            },
            Arena.ofConfined().use { arena ->
                shouldThrow<RuntimeException> {
                    CData.importStream(ArrowArrayStreamStruct.allocate(arena), CImport.DATA)
                }
            },
        ).map { "${it::class.simpleName}: ${it.message}" }
        messages.filter { it !in page } shouldBe listOf()
    }
})
