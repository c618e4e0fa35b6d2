// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.mutations

import org.junit.platform.engine.TestExecutionResult
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.launcher.TestExecutionListener
import org.junit.platform.launcher.TestIdentifier
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder
import org.junit.platform.launcher.core.LauncherFactory
import kotlin.system.exitProcess

/** Runs test classes in this JVM, up to the first test that fails. */
internal object Specs {
    /** The prefix of the name of a test that begins. */
    const val BEGAN = "began: "

    /** The prefix of the name of a test that has failed. */
    const val FAILED = "failed: "

    /** The exit code if all tests passed. */
    const val ALL_PASSED = 0

    /** The exit code if a test failed. */
    const val ONE_FAILED = 3

    @JvmStatic
    fun main(args: Array<String>) {
        val request = LauncherDiscoveryRequestBuilder.request().selectors(args.map { selectClass(it) }).build()
        LauncherFactory.create().execute(request, Listener)
        System.out.flush()
        exitProcess(ALL_PASSED)
    }

    private object Listener : TestExecutionListener {
        override fun executionStarted(id: TestIdentifier) {
            if (id.isTest) println(BEGAN + id.displayName)
        }

        override fun executionFinished(id: TestIdentifier, result: TestExecutionResult) {
            if (result.status == TestExecutionResult.Status.SUCCESSFUL) return
            println(FAILED + id.displayName)
            result.throwable.ifPresent { println(it.stackTraceToString().lineSequence().take(12).joinToString("\n")) }
            System.out.flush()
            Runtime.getRuntime().halt(ONE_FAILED) // a broken core may still be running code
        }
    }
}
