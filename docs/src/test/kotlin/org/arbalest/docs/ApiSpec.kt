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

private const val UPDATE = "./mvnw -pl docs -am test -Dtest=ApiSpec -Dapi.update"

/** Those that the profile `spark` builds. */
private val ON_SPARK = listOf("spark", "spark-kotlin")

class ApiSpec : FunSpec({
    val isSpark = System.getProperty("spark.built") == "true"
    val modules = listOf("device-core", "leak-check", "device-testkit", "coroutines", "device-opencl", "device-cuda", "device-rocm", "device-arrow", "device-adbc", "adbc-coroutines") + ON_SPARK
    val dumps = modules.filter { isSpark || it !in ON_SPARK }.associateWith { dump(File("../$it/target/classes")) }

    for (module in modules) {
        val built = if (module in dumps) Enabled.enabled else Enabled.disabled("built with -Pspark only")
        test("the public API of $module is what $module/api/$module.api says").config(enabledOrReasonIf = { built }) {
            val api = dumps.getValue(module)
            val committed = File("../$module/api/$module.api")
            val actual = File("target/api-dumps/$module.api")
            actual.parentFile.mkdirs()
            actual.writeText(api)
            if (System.getProperty("api.update") != null) actual.copyTo(committed, overwrite = true)
            if (!committed.exists()) fail("$module/api/$module.api does not exist; this writes it:\n  ${update(module)}")
            AbiTools.getInstance().filesDiff(committed, actual)?.let { diff ->
                fail("the public API of $module has changed; if that is meant, commit what this writes:\n  ${update(module)}\n$diff")
            }
        }
    }

    test("the public API mentions no class of ours that is not public") {
        val api = dumps.values.joinToString("\n")
        val public = Regex("""(?:class|interface|annotation) (org/arbalest/[\w/$]+)""").findAll(api).map { it.groupValues[1] }
        val mentioned = Regex("""org/arbalest/[\w/$]+""").findAll(api).map { it.value }
        (mentioned.toSet() - public.toSet()).shouldBeEmpty()
    }
})

private fun update(module: String) = if (module in ON_SPARK) "$UPDATE -Pspark" else UPDATE

/** The public and protected members of the public classes in [classes]: of a module, in the packages that it exports; otherwise in those that are not `internal`. */
private fun dump(classes: File): String {
    val exported = ModuleFinder.of(classes.toPath()).findAll().singleOrNull()
        ?.descriptor()?.exports()?.filterNot { it.isQualified }?.map { it.source().replace('.', '/') }
    val visible = classes.walk().filter { it.extension == "class" && it.name != "module-info.class" }
        .filter { file -> file.parentFile.relativeTo(classes).invariantSeparatorsPath.let { if (exported == null) "/internal" !in it else it in exported } }
    val nothing = emptySet<String>()
    return buildString {
        AbiTools.getInstance().printJvmDump(this, visible.asIterable(), AbiFilters(nothing, nothing, nothing, nothing))
    }
}
