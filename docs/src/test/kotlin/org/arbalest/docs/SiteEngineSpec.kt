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

/** What the network not being there looks like. */
private val OFFLINE = Regex("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|ENETUNREACH")

/** Why the site cannot be built or looked at here; in CI it has to be. */
private val missing: String? by lazy {
    val reason = Site.missing()
        ?: "no Chromium: neither chromium nor google-chrome is on the PATH, and CHROMIUM names none".takeIf {
            chromium == null
        }
        ?: runCatching { Site.install() }.exceptionOrNull()?.let {
            if (OFFLINE.containsMatchIn("${it.message}"))
                "npm's packages are not here, and not to be had: ${it.message}" else throw it
        }
    reason.takeUnless { System.getenv("CI") == "true" }
}

/**
 * The site, built and looked at in a real browser, by site/test/browser.mjs. The API is not built for it, which takes
 * minutes: links into it are followed where -Pdocs has made it.
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

    test(
        "no link of the site is broken, each page loads without an error, and none is wider than a window of 400 or " +
            "1,400 pixels",
    ) {
        problems("pages").shouldBeEmpty()
    }

    test("the search finds exportStream, a term of the glossary, and a rule") {
        problems("search").shouldBeEmpty()
    }

    test("the button of a snippet copies it, and each tab is its language's") {
        problems("copy").shouldBeEmpty()
    }

    test("the dark pages are dark, with their charts") {
        problems("dark").shouldBeEmpty()
    }

    test("the menu has the versions") {
        problems("versions").shouldBeEmpty()
    }

    test("the newest version of the site is the one that is built") {
        val versions = Regex(""""name": "([^"]*)"""").findAll(File("../site/versions.json").readText())
            .map { it.groupValues[1] }.toList()
        versions.first() shouldBe System.getProperty("project.version")
    }

    test("pages to be looked at are in target/screenshots") {
        problems("screenshots").shouldBeEmpty()
        screenshots.list()!!.count { it.endsWith("-400.png") } shouldBe
            screenshots.list()!!.count { it.endsWith("-1400.png") }
    }
})
