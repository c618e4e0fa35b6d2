// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.CCompiler
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.MemoryLayout
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.Collections

/**
 * The contract of a backend's [calls]: they match the functions that a simulator defines, and both assign the same
 * first version to each function.
 *
 * @param since the first version of the runtime that has each called function
 */
fun signatureContract(
    prototypes: Prototypes,
    since: () -> Map<String, String>,
    calls: () -> Map<String, FunctionDescriptor>,
): TestFactory = funSpec {
    test("Java's signatures match the simulator's definitions").config(extensions = listOf(CCompiler.commandNeeded)) {
        prototypes.disagreement(calls()).shouldBeNull()
    }

    test("the simulator and the backend give each function the same first version") {
        val called = calls().keys
        since() shouldBe prototypes.since.filterKeys { it in called }
    }
}

/**
 * Checks that other calls, or other definitions, would fail [signatureContract], with some hundred calls of the
 * compiler.
 */
fun wrongSignatureContract(
    prototypes: Prototypes,
    calls: () -> Map<String, FunctionDescriptor>,
): TestFactory = funSpec {
    test("a signature with a wrong width, number or order of arguments is detected") {
        prototypes.disagreement(mapOf("noSuchFunction" to FunctionDescriptor.of(JAVA_INT)))
            .shouldNotBeNull() shouldContain "noSuchFunction is called, and is not in"
        for ((name, type) in calls()) {
            val arguments = type.argumentLayouts()
            fun with(list: List<MemoryLayout>) =
                prototypes.disagreement(
                    mapOf(name to FunctionDescriptor.of(type.returnLayout().get(), *list.toTypedArray())),
                )
            withClue(name) {
                with(arguments + JAVA_INT) shouldBe
                    "$name takes ${arguments.size} arguments, and is called with ${arguments.size + 1}"
                for (i in arguments.indices) {
                    val flipped = arguments.toMutableList().also {
                        it[i] = if (it[i] == JAVA_LONG) JAVA_INT else JAVA_LONG
                    }
                    with(flipped).shouldNotBeNull() shouldContain "$name: argument ${i + 1} is no"
                }
                for (i in 1 until arguments.size) {
                    val swapped = arguments.toMutableList().also { Collections.swap(it, i - 1, i) }
                    if (swapped != arguments) with(swapped).shouldNotBeNull() shouldContain "$name: argument"
                }
            }
        }
    }

    test("a simulator that defines a function with another signature does not compile") {
        for (name in prototypes.functions) prototypes.compile(prototypes.otherwise(name))
            .shouldNotBeNull() shouldContain "conflicting types for"
    }
}
