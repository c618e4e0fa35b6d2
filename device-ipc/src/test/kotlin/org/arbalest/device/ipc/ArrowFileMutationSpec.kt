// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import org.arbalest.support.ResourceCountersExtension

/** The quick part of [ArrowFileMutationSoakSpec]. */
class ArrowFileMutationSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a file or stream with a few changed bytes is rejected or readable [FIL-05]") {
        val subjects = Mutation.subjects()
        val mutation = Mutation(1)
        repeat(6) { for (subject in subjects) mutation.round(subject, subject.inputs.intersect(Inputs.quick).toList()) }
        mutation.accepted shouldBeGreaterThan 10
        mutation.rejected shouldBeGreaterThan 100
    }
})
