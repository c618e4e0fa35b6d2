// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.assertions.fail
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.Enabled
import io.kotest.matchers.collections.shouldBeEmpty
import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools
import java.io.File
import java.lang.module.ModuleFinder

/** The annotation of internal Kotlin declarations that are public in class files, since inlined code calls them. */
private const val PUBLISHED = "kotlin.PublishedApi"

private const val UPDATE = "./mvnw -pl docs -am test -Dtest=ApiSpec -Dapi.update"

/** The modules that only the profile `spark` builds. */
private val ON_SPARK = listOf("spark", "spark-kotlin")

class ApiSpec : FunSpec({
    val isSpark = System.getProperty("spark.built") == "true"
    val modules = listOf("device-core", "leak-check", "device-testkit", "coroutines", "device-opencl", "device-cuda",
        "device-rocm", "device-arrow", "device-adbc", "adbc-coroutines", "device-ipc", "ipc-coroutines") + ON_SPARK
    val built = modules.filter { isSpark || it !in ON_SPARK }.associateWith { File("../$it/target/classes") }
    val dumps = built.mapValues { (_, classes) -> dump(classes, without = setOf(PUBLISHED)) }

    for (module in modules) {
        val isBuilt = if (module in dumps) Enabled.enabled else Enabled.disabled("$module is built only with -Pspark")
        test("the public API of $module equals $module/api/$module.api").config(enabledOrReasonIf = { isBuilt }) {
            compare(module, "$module.api", dumps.getValue(module))
        }
    }

    val inKotlin = listOf("coroutines", "leak-check", "device-testkit", "adbc-coroutines", "ipc-coroutines",
        "spark-kotlin")
    for (module in inKotlin) {
        val isBuilt = if (module in dumps) Enabled.enabled else Enabled.disabled("$module is built only with -Pspark")
        test("the declarations that inlined code calls in $module equal $module.published.api")
            .config(enabledOrReasonIf = { isBuilt }) {
                compare(module, "$module.published.api", dump(built.getValue(module), only = setOf(PUBLISHED)))
            }
    }

    test("the public API mentions none of our classes that are not public") {
        val api = dumps.values.joinToString("\n")
        val public = Regex("""(?:class|interface|annotation) (org/arbalest/[\w/$]+)""").findAll(api)
            .map { it.groupValues[1] }
        val mentioned = Regex("""org/arbalest/[\w/$]+""").findAll(api).map { it.value }
        (mentioned.toSet() - public.toSet()).shouldBeEmpty()
    }
})

/** Compares a dump with the committed file. An empty dump has no file. */
private fun compare(module: String, file: String, api: String) {
    val committed = File("../$module/api/$file")
    val actual = File("target/api-dumps/$file")
    actual.parentFile.mkdirs()
    actual.writeText(api)
    if (System.getProperty("api.update") != null) {
        if (api.isBlank()) committed.delete() else actual.copyTo(committed, overwrite = true)
    }
    if (!committed.exists()) {
        if (api.isNotBlank()) fail("$module/api/$file does not exist; this command writes it:\n  ${update(module)}")
        return
    }
    AbiTools.getInstance().filesDiff(committed, actual)?.let { diff ->
        val how = "if the change is intended, commit the files that this command writes:\n  ${update(module)}"
        fail("$module/api/$file differs from the built classes; $how\n$diff")
    }
}

private fun update(module: String) = if (module in ON_SPARK) "$UPDATE -Pspark" else UPDATE

/**
 * Returns the public and protected members of the public classes in [classes]. For a module, these are the classes of
 * the exported packages, otherwise those of packages that are not `internal`. Members with an annotation of [without]
 * are left out. If [only] is not empty, members without one of its annotations are left out too.
 */
private fun dump(classes: File, only: Set<String> = emptySet(), without: Set<String> = emptySet()): String {
    val exported = ModuleFinder.of(classes.toPath()).findAll().singleOrNull()
        ?.descriptor()?.exports()?.filterNot { it.isQualified }?.map { it.source().replace('.', '/') }
    val visible = classes.walk().filter { it.extension == "class" && it.name != "module-info.class" }
        .filter { file ->
            file.parentFile.relativeTo(classes).invariantSeparatorsPath.let {
                if (exported == null) "/internal" !in it else it in exported
            }
        }
    val nothing = emptySet<String>()
    return buildString {
        AbiTools.getInstance().printJvmDump(this, visible.asIterable(), AbiFilters(nothing, nothing, only, without))
    }
}
