// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.*
import org.arbalest.device.Device
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed
import java.io.File
import java.lang.foreign.Arena

private val FENCE = Regex("""```(java|kotlin)\n(.*?)```""", RegexOption.DOT_MATCHES_ALL)

private fun String.unindented() = lines().joinToString("\n") { it.trim() }.trim()

private val IMPORT = Regex("""^import ([\w.]+\.(?:\w+|\*))""", RegexOption.MULTILINE)
private val NAMED = Regex("""`([\w.]+\.(?:\w+|\*))`""")
private val WORD = Regex("""\w+""")
private val COMMENT = Regex("""//[^\n]*|/\*.*?\*/""", RegexOption.DOT_MATCHES_ALL)

/** Returns the imported classes and functions of a source that the code uses, except the samples' own. */
private fun needed(source: String, code: String): List<String> {
    val words = WORD.findAll(code.replace(IMPORT, "").replace(COMMENT, "")).map { it.value }.toSet()
    return IMPORT.findAll(source).map { it.groupValues[1] }.flatMap { import ->
        val folder = import.substringBeforeLast('.')
        when {
            folder.startsWith("org.arbalest.samples") -> listOf()
            import == "org.arbalest.coroutines.*" -> listOf(import) // functions, as in each Kotlin snippet
            import.endsWith(".*") -> words.filter { isClass(folder, it) }.map { "$folder.$it" }
            else -> listOf(import).filter { it.substringAfterLast('.') in words }
        }
    }.toList()
}

private fun isClass(folder: String, name: String): Boolean = name.first().isUpperCase() &&
    ClassLoader.getSystemResource("${folder.replace('.', '/')}/$name.class") != null

/** Returns the imports in the programs of a page, and those in its text. */
private fun named(page: String, language: String): Set<String> {
    val programs = FENCE.findAll(page).filter { it.groupValues[1] == language }.joinToString("\n") { it.groupValues[2] }
    return (IMPORT.findAll(programs) + NAMED.findAll(page)).map { it.groupValues[1] }.toSet()
}

private fun prices(vararg values: Double): RecordBatch = Devices.cpu().batch { float64("price", values) }

/** Compiles and runs the code of the guides. A guide with more than one snippet also has a spec of its own. */
class GuidesSpec : FunSpec({
    extension(ResourceCountersExtension)

    val guides = File("../docs/guides").listFiles { file -> file.extension == "md" }!!.sorted()
    val sources = listOf("java" to "java", "kotlin" to "kt").associate { (language, extension) ->
        // Module samples-spark compiles the snippets for Spark. Module leak-check compiles the tests that leaks.md
        // displays.
        val programs = listOf("src", "../samples-spark/src").map { "$it/test/$language/org/arbalest/samples/guides" }
            .flatMap { File(it).walk() }.filterNot { it.name.endsWith("Spec.kt") }
        val tests = File("../leak-check/src/test/$language/com/example").walk()
        language to (programs + tests).filter { it.extension == extension }.map { "\n${it.readText().unindented()}\n" }
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

    test("each guide names the imports that its snippets need, in a program or in a sentence") {
        val missing = guides.flatMap { guide ->
            val page = guide.readText()
            FENCE.findAll(page).flatMap { snippet ->
                val (language, code) = snippet.destructured
                val source = sources.getValue(language).firstOrNull { "\n${code.unindented()}\n" in it }.orEmpty()
                val named = named(page, language)
                needed(source, code).filterNot { it in named || "${it.substringBeforeLast('.')}.*" in named }
                    .map { "${guide.name}: $it" }
            }
        }
        missing.distinct() shouldBe listOf()
    }

    val languages = listOf("Java", "Kotlin")
    fun java(language: String) = language == "Java"

    test("the programs of the first page print the output on the page") {
        val page = guides.single { it.name == "getting-started.md" }.readText()
        for (program in listOf({ FirstBatch.main(arrayOf()) }, { main() })) {
            page.unindented() shouldContain "\n```\n${printed { program() }.unindented()}\n```\n"
        }
    }

    for (language in languages) {
        test("$language: a column is exported as a tensor for a consumer's stream, and imported") {
            val device: Device = Devices.device(DeviceType.EXT_DEV, 0)
            device.createStream().use { stream ->
                val tensor = prices(1.5, 2.5).use { it.copyTo(device, stream) }.use {
                    if (java(language)) TensorsJava.lend(it, "price", stream.handle())
                    else lend(it, "price", stream.handle())
                }
                val imported = if (java(language)) TensorsJava.borrow(tensor, stream) else borrow(tensor, stream)
                imported.use { array ->
                    array.copyTo(Devices.cpu()).use {
                        it.synchronize()
                        it.asColumn().doubles()[1] shouldBe 2.5
                    }
                }
            }
        }
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
