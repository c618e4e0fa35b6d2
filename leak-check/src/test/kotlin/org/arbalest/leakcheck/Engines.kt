// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck

import org.junit.platform.engine.TestExecutionResult
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.testkit.engine.EngineTestKit
import kotlin.jvm.optionals.getOrNull
import kotlin.reflect.KClass

/** Runs a class on a test engine and returns the results by name: the error of each test or class, or null. */
internal fun run(engine: String, type: KClass<*>, patience: Long = 20): Map<String, Throwable?> {
    val results = EngineTestKit.engine(engine).selectors(selectClass(type.java))
        .configurationParameter("org.arbalest.leakcheck.patience", "$patience").execute()
    return results.allEvents().finished().list().associate { event ->
        event.testDescriptor.displayName to event.getRequiredPayload(TestExecutionResult::class.java)
            .throwable.getOrNull()
    }
}

/** Closes the resources that the tests left open. */
internal fun closeLeft() {
    Checked.LEFT.forEach { it.close() }
    Checked.LEFT.clear()
}
