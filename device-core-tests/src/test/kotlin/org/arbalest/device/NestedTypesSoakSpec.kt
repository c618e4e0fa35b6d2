// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.common.ExperimentalKotest
import io.kotest.core.spec.style.FunSpec
import io.kotest.property.Constraints
import io.kotest.property.PropTestConfig
import io.kotest.property.checkAll
import org.arbalest.device.support.NestedCase
import org.arbalest.device.support.NestedCheck
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeExtension
import kotlin.random.Random
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.seconds

/**
 * [NestedTypesSpec] with new random cases in each run, for 30 seconds. `-Darbalest.nested.seconds=600` runs longer.
 * Each run prints its seed first, and `-Darbalest.nested.seed=…` repeats the cases of that run.
 * `-Darbalest.nested.case=…` runs the one case that a failure names.
 */
@OptIn(ExperimentalKotest::class) // PropTestConfig
class NestedTypesSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val seconds = Integer.getInteger("arbalest.nested.seconds", 30)
    val seed = java.lang.Long.getLong("arbalest.nested.seed") ?: Random.nextLong()
    val one = java.lang.Long.getLong(NestedCase.CASE)

    test(
        "random nested arrays keep their values through every operation, for $seconds seconds " +
            "[READ-01, REQ-01, ARR-12, ARR-21, SEL-01, SEL-02, SEL-11, SEL-22, SEL-23]",
    ).config(timeout = 3.hours) {
        println("Nested types: -Darbalest.nested.seed=$seed")
        var cases = 0
        val config = if (one == null) PropTestConfig(seed = seed, constraints = Constraints.duration(seconds.seconds))
        else PropTestConfig(iterations = 1)
        checkAll(config, NestedCase.any(one)) { case ->
            NestedCheck(case, rowChecks = 12).run()
            cases++
        }
        println("Nested types: $cases cases")
    }
})
