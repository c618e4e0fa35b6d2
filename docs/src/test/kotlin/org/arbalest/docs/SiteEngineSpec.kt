// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.testkit.SkipWithout
import java.io.File

private val chromium = System.getenv("CHROMIUM")?.let(::File)
    ?: Site.found("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

/** Matches the errors of npm without a network. */
private val OFFLINE = Regex("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|ENETUNREACH")

/** The reason why the site cannot be built or displayed here, or null. With `CI=true` a missing program is an error. */
private val missing: String? by lazy {
    val reason = Site.missing()
        ?: "no Chromium: neither chromium nor google-chrome is on the PATH, and CHROMIUM names none".takeIf {
            chromium == null
        }
        ?: runCatching { Site.install() }.exceptionOrNull()?.let {
            if (OFFLINE.containsMatchIn("${it.message}"))
                "npm cannot download the site's packages: ${it.message}" else throw it
        }
    reason.takeUnless { System.getenv("CI") == "true" }
}

/**
 * Tests the site in a real browser by site/test/browser.mjs. The API is not built for these tests, since that takes
 * minutes. Links into the API are checked if -Pdocs has built it.
 */
class SiteEngineSpec : FunSpec({
    extension(SkipWithout { missing })

    val screenshots = File("target/screenshots").canonicalFile
    val report by lazy {
        Site.install()
        Site.build()
        val server = Site.serve(0)
        try {
            Site.node("node", "test/browser.mjs", "http://127.0.0.1:${server.address.port}/", "$chromium",
                "$screenshots")
        } finally {
            server.stop(0)
        }
    }

    fun problems(check: String): List<String> {
        withClue(report) { report shouldContain Regex("(?m)^$check is over") }
        return report.lines().filter { it.startsWith("$check: ") }
    }

    test("no link is broken, and each page loads without an error and fits windows of 400 and 1,400 pixels") {
        problems("pages").shouldBeEmpty()
    }

    test("the search finds exportStream, a term of the glossary and a rule") {
        problems("search").shouldBeEmpty()
    }

    test("the button of a snippet copies it, and each tab shows its language") {
        problems("copy").shouldBeEmpty()
    }

    test("the dark pages and their charts are dark") {
        problems("dark").shouldBeEmpty()
    }

    test("the menu contains the versions") {
        problems("versions").shouldBeEmpty()
    }

    test("the newest version of the site is the version of this build") {
        val versions = Regex(""""name": "([^"]*)"""").findAll(File("../site/versions.json").readText())
            .map { it.groupValues[1] }.toList()
        versions.first() shouldBe System.getProperty("project.version")
    }

    test("the screenshots of the pages are in target/screenshots, in both widths") {
        problems("screenshots").shouldBeEmpty()
        screenshots.list()!!.count { it.endsWith("-400.png") } shouldBe
            screenshots.list()!!.count { it.endsWith("-1400.png") }
    }
})
