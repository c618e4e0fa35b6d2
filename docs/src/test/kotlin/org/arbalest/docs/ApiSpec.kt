// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.assertions.fail
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools
import java.io.File
import java.lang.module.ModuleFinder

private const val UPDATE = "./mvnw -pl docs -am test -Dtest=ApiSpec -Dapi.update"

class ApiSpec : FunSpec({
    val dumps = listOf("device-core", "leak-check", "device-testkit", "coroutines", "device-opencl", "device-cuda", "device-rocm", "device-arrow", "device-adbc", "adbc-coroutines").associateWith { dump(File("../$it/target/classes")) }

    for ((module, api) in dumps) {
        test("the public API of $module is what $module/api/$module.api says") {
            val committed = File("../$module/api/$module.api")
            val actual = File("target/api-dumps/$module.api")
            actual.parentFile.mkdirs()
            actual.writeText(api)
            if (System.getProperty("api.update") != null) actual.copyTo(committed, overwrite = true)
            if (!committed.exists()) fail("$module/api/$module.api does not exist; this writes it:\n  $UPDATE")
            AbiTools.getInstance().filesDiff(committed, actual)?.let { diff ->
                fail("the public API of $module has changed; if that is meant, commit what this writes:\n  $UPDATE\n$diff")
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

/** The public and protected members of the public classes in [classes]; of a module, in the packages that it exports. */
private fun dump(classes: File): String {
    val exported = ModuleFinder.of(classes.toPath()).findAll().singleOrNull()
        ?.descriptor()?.exports()?.filterNot { it.isQualified }?.map { it.source().replace('.', '/') }
    val visible = classes.walk().filter { it.extension == "class" && it.name != "module-info.class" }
        .filter { exported == null || it.parentFile.relativeTo(classes).invariantSeparatorsPath in exported }
    val nothing = emptySet<String>()
    return buildString {
        AbiTools.getInstance().printJvmDump(this, visible.asIterable(), AbiFilters(nothing, nothing, nothing, nothing))
    }
}
