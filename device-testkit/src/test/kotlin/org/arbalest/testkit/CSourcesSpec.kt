// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.TestScope
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import java.nio.file.Path
import kotlin.io.path.appendText
import kotlin.io.path.writeText

/** What the testkit's C files know of each other: no circle, and of another folder no more than is said. */
class CSourcesSpec : FunSpec({
    val main = Path.of("src/main/resources/org/arbalest/testkit/c")
    val all = CSources(listOf(main, Path.of("src/test/resources/org/arbalest/testkit/c"), Path.of("src/test/c/selftest")))

    for (symbols in listOf(false, true)) {
        val how = if (symbols) "what they call" else "includes"
        fun held(name: String, test: suspend TestScope.() -> Unit) =
            test(name).config(extensions = listOfNotNull(CSources.withoutSymbols.takeIf { symbols }), test = test)

        held("no circle between C files, by $how") { all.circle(symbols).shouldBeNull() }

        held("the folders look at those before them only, by $how") {
            val down = listOf("checks" to "peer", "async" to "peer", "async" to "checks", "adbc" to "peer")
            val selftest = listOf("peer", "checks", "async").map { "" to it }
            all.folders(symbols) shouldContainExactlyInAnyOrder down + selftest
        }
    }

    test("each header says who includes it") {
        for ((header, names) in all.headers()) withClue(header) { names.second shouldBe names.first }
    }

    test("a circle that is planted is found, and needs the symbols where it is declared by hand").config(extensions = listOf(CSources.withoutSymbols)) {
        val copy = tempdir().toPath()
        main.toFile().copyRecursively(copy.toFile(), overwrite = true)
        val planted = copy.resolve("peer/ledger.c")
        CSources(listOf(copy)).circle(true).shouldBeNull()
        planted.appendText("\nvoid peer_batch_schema(struct ArrowSchema* out);\nvoid planted(void) { peer_batch_schema(0); }\n")
        CSources(listOf(copy)).circle(false).shouldBeNull()
        CSources(listOf(copy)).circle(true) shouldBe listOf("peer/ledger", "peer/streams", "peer/ledger")
        copy.resolve("peer/moves.h").appendText("\n#include \"threads.h\"\n")
        copy.resolve("peer/threads.h").writeText("#include \"moves.h\"\n")
        CSources(listOf(copy)).circle(false) shouldBe listOf("peer/moves", "peer/threads", "peer/moves")
        CSources(listOf(copy)).headers().getValue("peer/threads.h") shouldBe Pair(setOf("moves.h"), emptySet())
    }
})
