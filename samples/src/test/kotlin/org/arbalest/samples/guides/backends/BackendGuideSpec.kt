// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.backends

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.ChildJvm
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder
import org.junit.platform.launcher.core.LauncherFactory
import org.junit.platform.launcher.listeners.SummaryGeneratingListener
import java.io.PrintWriter
import kotlin.system.exitProcess

/** The backend of the guide, in a process whose service file lists it before the fake device of the other tests. */
class BackendGuideSpec : FunSpec({
    val services = tempdir().toPath().also { folder ->
        folder.resolve("META-INF/services").toFile().mkdirs()
        folder.resolve("META-INF/services/org.arbalest.device.spi.DeviceProvider").toFile()
            .writeText(HeapProvider::class.java.name)
    }

    test("the program copies a batch to the device of the guide") {
        ChildJvm.run(BackendProgram::class, "program", extraClassPath = services).run {
            withClue(output) { exitCode shouldBe 0 }
            output shouldContain "total: 7.75 on EXT_DEV:0"
        }
    }

    test("the backend of the guide passes the contract suite") {
        ChildJvm.run(BackendProgram::class, "contract", extraClassPath = services).run {
            withClue(output) { exitCode shouldBe 0 }
        }
    }
})

internal object BackendProgram {
    @JvmStatic
    fun main(args: Array<String>) {
        if (args.single() == "program") return org.arbalest.samples.guides.backends.main()
        val listener = SummaryGeneratingListener()
        val request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(HeapContract::class.java)).build()
        LauncherFactory.create().execute(request, listener)
        val summary = listener.summary
        summary.printFailuresTo(PrintWriter(System.out))
        exitProcess(if (summary.testsSucceededCount > 0 && summary.totalFailureCount == 0L) 0 else 1)
    }
}
