// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import kotlin.io.path.appendText
import kotlin.io.path.writeText

/** Tests of the dependencies between C files by their symbols, for which each file is compiled. */
class CSourcesSoakSpec : FunSpec({
    extension(CSources.withoutSymbols)

    include(cSourcesContract(symbols = true))

    test("a planted cycle is found, and a cycle without an include is found only by its symbols") {
        val copy = tempdir().toPath()
        C_MAIN.toFile().copyRecursively(copy.toFile(), overwrite = true)
        val planted = copy.resolve("peer/tracker.c")
        CSources(listOf(copy)).circle(true).shouldBeNull()
        planted.appendText(
            "\nvoid peer_batch_schema(struct ArrowSchema* out);\nvoid planted(void) { peer_batch_schema(0); }\n",
        )
        CSources(listOf(copy)).circle(false).shouldBeNull()
        CSources(listOf(copy)).circle(true) shouldBe
            listOf("peer/tracker", "peer/streams", "peer/nodes", "peer/tracker")
        copy.resolve("peer/moves.h").appendText("\n#include \"threads.h\"\n")
        copy.resolve("peer/threads.h").writeText("#include \"moves.h\"\n")
        CSources(listOf(copy)).circle(false) shouldBe listOf("peer/moves", "peer/threads", "peer/moves")
        CSources(listOf(copy)).headers().getValue("peer/threads.h") shouldBe Pair(setOf("moves.h"), emptySet())
    }
})
