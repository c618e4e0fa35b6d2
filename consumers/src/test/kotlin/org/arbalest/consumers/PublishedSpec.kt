// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldNotContain
import org.w3c.dom.Element

/** Tests the published files against the requirements of Maven Central and the expectations of users. */
class PublishedSpec : FunSpec({
    test("the staged repository contains the published artifacts and no others") {
        Staged.repository.resolve("org/arbalest").list().orEmpty().toList() shouldContainExactlyInAnyOrder
            (JARS + POMS.keys).map(::artifact)
    }

    for (module in JARS + POMS.keys) {
        test("the POM of $module has a name, a description, a licence, developers and the address of its sources") {
            val pom = Staged.pom(module)
            for (own in listOf("name", "description")) pom.text(own).shouldNotBeNull()
            val family = if (pom.text("parent") == null) pom else Staged.pom(pom.text("parent", "artifactId")!!)
            for (path in listOf(
                "url", "licenses license name", "licenses license url", "developers developer name", "scm connection",
                "scm developerConnection", "scm url",
            )) {
                withClue(path) { family.text(*path.split(' ').toTypedArray()).shouldNotBeNull() }
            }
        }
    }

    for (module in JARS) {
        test("$module has sources, documentation and an SBOM with checksums, and the licence in each jar") {
            for (ending in listOf(".pom", ".module", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")) {
                val file = Staged.file(module, ending)
                for (sum in listOf(".sha1", ".md5")) withClue("$file$sum") {
                    file.resolveSibling(file.name + sum).exists() shouldBe true
                }
                if (ending.endsWith(".jar")) {
                    for (legal in listOf("LICENSE", "NOTICE")) content(file, "META-INF/$legal")
                        .decodeToString() shouldBe ROOT.resolve(legal).readText()
                }
            }
        }

        test("the sources jar of $module contains all sources") {
            val sources = ROOT.resolve("$module/src/main")
            val written = listOf("java", "kotlin").map(sources::resolve).flatMap { folder ->
                folder.walk().filter { it.isFile }.map { it.relativeTo(folder).invariantSeparatorsPath }
            }
            entries(Staged.file(module, "-sources.jar")) shouldContainAll written
        }

        if (module in ASSEMBLIES) continue // the documentation is that of the other modules
        if ("dokka.most.phase" in ROOT.resolve("$module/pom.xml").readText()) continue // Staged leaves it out
        test("the documentation of $module has a page for each public class, and none for internal classes") {
            val pages = entries(Staged.file(module, "-javadoc.jar")).filter { it.endsWith(".html") }
            pages.filter { "/internal/" in it }.shouldBeEmpty()
            val internals = ROOT.resolve("$module/src/main").walk().filter { it.extension == "kt" }
                .flatMap { INTERNAL.findAll(it.readText()) }.map { it.groupValues[1] }.toSet()
            val public =
                Regex("""^public .*?(?:class|interface|annotation) (org/arbalest/\S+)""", RegexOption.MULTILINE)
                    .findAll(ROOT.resolve("$module/api/$module.api").readText()).map {
                        it.groupValues[1]
                    }.filterNot {
                        '$' in it || it.endsWith("Kt") || it.substringAfterLast('/') in internals
                    }
            val isKotlin = "<dokka.phase>" in ROOT.resolve("$module/pom.xml").readText()
            val page = if (isKotlin) ::dokkaPage else ::javadocPage
            if (module == "coroutines") pages.filter { it.endsWith("/as-flow.html") } shouldHaveAtLeastSize 1
            public.map(page).filter { path -> pages.none { it.endsWith(path) } }.toList().shouldBeEmpty()
        }
    }

    test("the BOM has the versions of the published modules, including those for Spark, and no others") {
        val bom = Staged.pom("arbalest-bom")
        bom.text("parent").shouldBeNull()
        val managed = bom.documentElement.children("dependencyManagement").single().children("dependencies").single()
            .children("dependency")
        managed.map {
            it.child("groupId") + ":" + it.child("artifactId") + ":" + it.child("version")
        } shouldContainExactlyInAnyOrder
            (JARS + ON_SPARK).distinct().map { "org.arbalest:${artifact(it)}:$VERSION" }
        Staged.file("arbalest-bom", ".pom").readText() shouldNotContain "\${"
    }
})

/** Matches a class that is public in a jar only for inline functions. */
private val INTERNAL = Regex("""internal class (\w+)""")

private fun Element.child(name: String): String = children(name).single().textContent.trim()

private fun javadocPage(type: String) = "$type.html"

/** Returns the path of Dokka's page of a type, which has a dash before each capital letter of its name. */
private fun dokkaPage(type: String): String {
    val name = type.substringAfterLast('/').replace(Regex("[A-Z]")) { "-" + it.value.lowercase() }
    return "${type.substringBeforeLast('/').replace('/', '.')}/$name/index.html"
}
