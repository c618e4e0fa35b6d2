// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import java.nio.file.Files

/** Tests that each run a JVM with another logger. */
class FaultsSoakSpec : FunSpec({
    extension(CCompiler.needed)

    for (finder in listOf(ThrowingLogger.Finder::class, ThrowingFinder::class)) {
        test("a fault that cannot be logged does not end the VM: ${finder.simpleName} [OWN-11]") {
            val services = tempdir().toPath()
            val file = services.resolve("META-INF/services/java.lang.System\$LoggerFinder")
            Files.createDirectories(file.parent)
            Files.writeString(file, finder.java.name)
            val child = ChildJvm.run(FaultsWithoutLog::class, extraClassPath = services)
            withClue(child.output) {
                child.output shouldContain "asked for a logger"
                child.output shouldContain "still here"
                child.exitCode shouldBe 0
            }
        }
    }
})
