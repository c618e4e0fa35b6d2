// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.maps.shouldContainAll
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.DataInputStream
import java.io.File
import java.security.MessageDigest
import java.util.HexFormat

/**
 * Tests the metadata that Gradle reads instead of the POM, and the dependencies in the SBOM. The metadata is parsed
 * here, since Gradle is not available.
 */
class GradleMetadataSpec : FunSpec({
    for (module in JARS) {
        val metadata by lazy { JsonParser.parseString(Staged.file(module, ".module").readText()).asJsonObject }
        val variants by lazy {
            metadata.getAsJsonArray("variants").map { it.asJsonObject }.associateBy { it["name"].asString }
        }

        test("the POM of $module refers Gradle to its metadata, which is of this module") {
            Staged.file(module, ".pom").readText() shouldContain "do_not_remove: published-with-gradle-metadata"
            val component = metadata.getAsJsonObject("component")
            listOf("group", "module", "version").map { component[it].asString } shouldBe
                listOf("org.arbalest", artifact(module), VERSION)
        }

        test("the metadata of $module requires the JVM of core, even if its own classes allow an older one") {
            newestJvm(Staged.file(module, ".jar")) shouldBeLessThanOrEqual CORE
            val needed = CORE.toString()
            for ((variant, usage) in mapOf("apiElements" to "java-api", "runtimeElements" to "java-runtime")) {
                variants.getValue(variant).attributes() shouldContainAll
                    mapOf("org.gradle.jvm.version" to needed, "org.gradle.usage" to usage)
            }
        }

        test("the metadata of $module names the published files with their hashes") {
            for ((variant, ending) in mapOf(
                "apiElements" to ".jar",
                "runtimeElements" to ".jar",
                "sourcesElements" to "-sources.jar",
                "javadocElements" to "-javadoc.jar",
            )) {
                val file = variants.getValue(variant).getAsJsonArray("files").single().asJsonObject
                file["url"].asString shouldBe "${artifact(module)}-$VERSION$ending"
                file["sha256"].asString shouldBe sha256(Staged.file(module, ending))
            }
        }

        test("the metadata and the SBOM of $module have the POM's runtime dependencies, with versions") {
            val pom = Staged.pom(module).documentElement.children("dependencies").single().children("dependency")
                .filter {
                    it.children("scope").none { scope -> scope.textContent in listOf("test", "provided") } &&
                        it.children("optional").isEmpty()
                }
                .map {
                    it.children("groupId").single().textContent + ":" + it.children("artifactId").single().textContent
                }
            val needed = variants.getValue("runtimeElements").getAsJsonArray("dependencies")
                ?.map { it.asJsonObject }.orEmpty()
            needed.map { it["group"].asString + ":" + it["module"].asString } shouldContainExactlyInAnyOrder pom
            needed.filter { it.getAsJsonObject("version")?.get("requires") == null } shouldBe emptyList()

            val sbom = JsonParser.parseString(Staged.file(module, "-cyclonedx.json").readText()).asJsonObject
            val components = sbom.getAsJsonArray("components")?.map {
                it.asJsonObject["group"].asString + ":" + it.asJsonObject["name"].asString
            }.orEmpty()
            (pom - components.toSet()) shouldBe emptyList()
        }
    }
})

/** The JVM version that core's newest class file needs. */
private val CORE by lazy { newestJvm(Staged.file("device-core", ".jar")) }

private fun JsonObject.attributes(): Map<String, String> =
    getAsJsonObject("attributes").entrySet().associate { (name, value) -> name to value.asString }

private fun sha256(file: File): String =
    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file.readBytes()))

private fun newestJvm(jar: File): Int = entries(jar).filter { it.endsWith(".class") }.maxOf { entry ->
    DataInputStream(content(jar, entry).inputStream()).use {
        it.skipNBytes(6)
        it.readUnsignedShort() - 44
    }
}
