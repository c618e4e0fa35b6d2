// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.flow.Flow
import java.lang.reflect.Method
import java.util.jar.JarFile
import kotlin.coroutines.Continuation

/** Operators that use an element only within its emit, and return only results of the caller's code. */
private val SAFE = setOf(
    "all(Function2)",
    "any(Function2)",
    "associate(Function2)",
    "associateBy(Function2, Function2)",
    "associateByTo(Map, Function2, Function2)",
    "associateTo(Map, Function2)",
    "collect()",
    "collectIndexed(Function3)",
    "count()",
    "count(Function2)",
    "flatMapConcat(Function2)",
    "fold(Object, Function3)",
    "groupBy(Function2, Function2)",
    "groupByTo(Map, Function2, Function2)",
    "launchIn(CoroutineScope)",
    "map(Function2)",
    "mapNotNull(Function2)",
    "none(Function2)",
    "runningFold(Object, Function3)",
    "scan(Object, Function3)",
    "transform(Function3)",
    "transformWhile(Function3)",
)

/** Operators that pass elements on: members whose result owns them. */
private val PASSING = setOf(
    "cancellable()",
    "catch(Function3)",
    "distinctUntilChangedBy(Function1)",
    "drop(int)",
    "dropWhile(Function2)",
    "filter(Function2)",
    "filterNot(Function2)",
    "onCompletion(Function3)",
    "onEach(Function2)",
    "onEmpty(Function2)",
    "onStart(Function2)",
    "retry(long, Function2)",
    "retryWhen(Function4)",
    "take(int)",
    "takeWhile(Function2)",
)

/**
 * Operators that a member cannot replace: functions of several flows without a receiver, of flows of flows, and
 * internal functions of kotlinx.coroutines.
 */
private val NO_EXTENSIONS_OF_ONE_FLOW = setOf(
    "catchImpl(FlowCollector)",
    "collectWhile(Function2)",
    "combine(Flow, Flow, Flow, Flow, Function6)",
    "combine(Flow, Flow, Flow, Function5)",
    "combine(Flow, Flow, Function4)",
    "combineTransform(Flow, Flow, Flow, Flow, Function7)",
    "combineTransform(Flow, Flow, Flow, Function6)",
    "combineTransform(Flow, Flow, Function5)",
    "flattenConcat()",
    "flattenMerge(int)",
    "unsafeTransform(Function3)",
)

/** Kotlin names by the names that `@JvmName` gives them. */
private val NAMES =
    mapOf("debounceDuration" to "debounce", "flowCombine" to "combine", "flowCombineTransform" to "combineTransform")

/** Returns the Kotlin name with the parameters that follow the receiver. */
private fun signature(method: Method, parameters: List<Class<*>>): String {
    val name = method.name.substringBefore('-')
    val types = parameters.filter { it != Continuation::class.java }.map {
        if (it == AutoCloseable::class.java) "Object" else it.simpleName
    }
    return "${NAMES[name] ?: name}(${types.joinToString()})"
}

private fun refusal(method: Method): DeprecationLevel? = method.getAnnotation(Deprecated::class.java)?.level

/** Returns the functions of kotlinx.coroutines that have a [Flow] as their first parameter and compile. */
private fun operators(): Set<String> {
    val jar = JarFile(Flow::class.java.protectionDomain.codeSource.location.path)
    val files = jar.use { file ->
        file.stream().map { it.name }.filter {
            Regex("kotlinx/coroutines/flow/[A-Za-z]+Kt\\.class").matches(it)
        }.toList()
    }
    val methods = files.map { Class.forName(it.removeSuffix(".class").replace('/', '.')) }
        .flatMap { it.methods.toList() }
    return methods.filter {
        '$' !in it.name && it.parameterTypes.firstOrNull() == Flow::class.java &&
            refusal(it) in listOf(null, DeprecationLevel.WARNING)
    }
        .map { signature(it, it.parameterTypes.drop(1)) }.toSet()
}

/**
 * The operators of a lending flow: it refuses or replaces each library operator that would keep or return closed
 * elements.
 */
class FlowOperatorsSpec : FunSpec({
    val operators = operators()
    val own = LendingFlow::class.java.declaredMethods.filter { !it.isSynthetic }.associateBy {
        signature(it, it.parameterTypes.toList())
    }
    val refused = own.filterValues { refusal(it) == DeprecationLevel.ERROR }.keys

    test("each library operator is rejected, known to be safe, or a member: classify a new one here [OWN-16]") {
        operators shouldHaveAtLeastSize 90
        withClue("operators that are not classified: add each to SAFE, PASSING or " +
            "NO_EXTENSIONS_OF_ONE_FLOW, or refuse it in LendingFlow") {
            operators - refused - SAFE - PASSING - NO_EXTENSIONS_OF_ONE_FLOW shouldBe setOf("flowOn(CoroutineContext)")
        }
        withClue("operators that are in two of the sets") {
            refused intersect (SAFE + PASSING) shouldBe setOf()
            SAFE intersect PASSING shouldBe setOf()
        }
    }

    test("each operator that passes elements on is a member whose result owns them [OWN-16]") {
        for (each in PASSING) withClue(each) { own[each]?.returnType shouldBe LendingFlow::class.java }
    }

    test(
        "each classified operator exists in the library with the same signature, so that the member replaces it " +
            "[OWN-16]",
    ) {
        operators shouldContainAll refused - setOf("toList()", "toSet()") // the library's parameter has a default value
        operators shouldContainAll SAFE + PASSING + NO_EXTENSIONS_OF_ONE_FLOW
    }
})
