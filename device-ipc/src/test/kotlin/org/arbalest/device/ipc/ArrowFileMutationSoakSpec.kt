// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.ResourceCountersExtension

/**
 * Changed files and streams with every type, in all ways to read them: each is rejected, or its arrays pass full
 * validation and all of their values can be read. `-Darbalest.mutation.seed=2` makes other changes.
 */
class ArrowFileMutationSoakSpec : FunSpec({
    extension(ResourceCountersExtension)

    val seed = java.lang.Long.getLong("arbalest.mutation.seed", 42)
    val rounds = Integer.getInteger("arbalest.mutation.rounds", 250)

    for (compression in IpcCompression.entries) {
        test("$compression: tens of thousands of changed files and streams are rejected or readable [FIL-05]") {
            val subjects =
                Subjects.someTypes(compression) + Subjects.everyType(compression) + Subjects.deltas(compression)
            val mutation = Mutation(seed)
            for (round in 0 until rounds) {
                val before = ResourceCounters.now()
                for (subject in subjects) mutation.round(subject)
                val left = ResourceCounters.now().since(before)
                withClue("round $round left $left") { check(left.isZero) }
            }
            mutation.accepted shouldBeGreaterThan rounds
            mutation.rejected shouldBeGreaterThan 5 * rounds
        }
    }
})
