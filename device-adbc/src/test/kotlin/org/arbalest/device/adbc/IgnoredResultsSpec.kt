// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import org.arbalest.support.IgnoredHandles

/** Annotations for tools that report an ignored result, which is a leak if it is a handle. */
class IgnoredResultsSpec : FunSpec({
    test("each public method that returns a new handle demands that its result is used") {
        val handles = IgnoredHandles.methods(IgnoredHandles.classesAt(Adbc::class.java))
        handles.size shouldBeGreaterThan 15
        IgnoredHandles.unmarked(handles).shouldBeEmpty()
    }
})
