// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.common.ExperimentalKotest
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.string.shouldContain
import io.kotest.property.PropTestConfig
import io.kotest.property.PropertyTesting
import io.kotest.property.checkAll
import org.arbalest.device.columns.Column
import org.arbalest.device.support.NestedCase
import org.arbalest.device.support.NestedCheck
import org.arbalest.device.support.PartValues
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeExtension

/** The number of the case of a large list-view in a list-view in a struct. */
private const val DEEP = 1127L

/**
 * Arrays of random nested types. The values that are read from an array, and from the result of each operation, are the
 * values that the array's bytes encode. [NestedTypesSoakSpec] runs more cases.
 */
@OptIn(ExperimentalKotest::class) // PropTestConfig
class NestedTypesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    test(
        "random nested arrays keep their values through every operation " +
            "[READ-01, REQ-01, ARR-12, ARR-21, SEL-01, SEL-02, SEL-11, SEL-22, SEL-23]",
    ) {
        val done = mutableMapOf<String, Int>()
        checkAll(PropTestConfig(seed = 1, iterations = 60), NestedCase.any()) { case ->
            NestedCheck(case).apply { run() }.done.forEach { done.merge(it, 1, Int::plus) }
        }
        for (what in listOf("built", "converted", "converted back", "of objects"))
            done.getValue(what) shouldBeGreaterThan 20
    }

    /** Reads the values of the column, without the last row if its type contains a large list-view at any level. */
    fun wrong(column: Column): List<Any?> = PartValues.read(column).let {
        if ("large_list_view<" in "${column.field()}") it.dropLast(1) else it
    }

    test("a failing case shrinks to the smallest type that fails, with one row") {
        PropertyTesting.shouldPrintShrinkSteps = false
        val failure = try {
            shouldThrow<AssertionError> {
                checkAll(PropTestConfig(iterations = 1), NestedCase.any(DEEP)) { case ->
                    NestedCheck(case, ::wrong).run()
                }
            }
        } finally {
            PropertyTesting.shouldPrintShrinkSteps = true
        }
        failure.message shouldContain
            Regex("Arg 0: -D${NestedCase.CASE}=$DEEP, a: large_list_view<x: int8( not null)?>( not null)?, 1 rows")
    }
})
