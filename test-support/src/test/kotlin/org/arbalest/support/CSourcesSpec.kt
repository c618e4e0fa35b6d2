// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import java.nio.file.Path

/** Tests of the includes of the C files: no cycles, and only the declared dependencies between folders. */
class CSourcesSpec : FunSpec({
    include(cSourcesContract(symbols = false))

    test("each header names the files that include it") {
        for ((header, names) in C_SOURCES.headers()) withClue(header) { names.second shouldBe names.first }
    }
})

internal val C_MAIN: Path = Path.of("src/main/resources/org/arbalest/support/c")
internal val C_SOURCES = CSources(
    listOf(C_MAIN, Path.of("../device-core-tests/src/test/resources/org/arbalest/support/c"),
        Path.of("src/test/c/selftest")),
)

/** @param symbols whether to follow the symbols of the files, which compiles each file, or only their includes */
internal fun cSourcesContract(symbols: Boolean): TestFactory = funSpec {
    val how = if (symbols) "symbols" else "includes"

    test("no cycle of C files exists, by $how") { C_SOURCES.circle(symbols).shouldBeNull() }

    test("each folder depends only on the declared folders, by $how") {
        val down = listOf("checks" to "peer", "async" to "peer", "async" to "checks", "adbc" to "peer",
            "adbc" to "async")
        val selftest = listOf("peer", "checks", "async").map { "" to it }
        C_SOURCES.folders(symbols) shouldContainExactlyInAnyOrder down + selftest
    }
}
