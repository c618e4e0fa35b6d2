// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.PeerMoves
import org.arbalest.support.StructKind

/** Releases by C while a JVM exits. Each case runs in its own child JVM. */
class ArrayExportReleaseSoakSpec : FunSpec({
    extension(CCompiler.needed)

    fun leave(how: PeerMoves.AtExit?, exit: ReleaseAtExit.Exit, kind: StructKind) {
        val child = ChildJvm.run(ReleaseAtExit::class, "$how", exit.name, kind.name)
        withClue(child.output) {
            child.output shouldContain "leaving"
            child.output shouldNotContain "fatal error"
            child.output shouldNotContain "Exception in thread"
            child.exitCode shouldBe 0
        }
    }

    for (kind in listOf(StructKind.ARRAY, StructKind.STREAM)) for (exit in ReleaseAtExit.Exit.entries) {
        test("a C thread releases an exported $kind while shutdown hooks run, after $exit [OWN-10]") {
            leave(null, exit, kind)
        }

        for (how in PeerMoves.AtExit.entries) {
            test("an atexit handler ($how) releases an exported $kind, after $exit [OWN-10]") { leave(how, exit, kind) }
        }
    }
})
