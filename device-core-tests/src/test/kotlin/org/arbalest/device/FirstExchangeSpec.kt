// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import org.arbalest.support.ChildJvm
import kotlin.reflect.KClass

/** The library's classes that the first exchange may load; FirstExchange.classes lists those that it needs today. */
private const val MOST_OF_OURS = 131

/** The JDK's classes that the first exchange may load besides those of a program that only calls C. */
private const val MOST_OF_JDK = 95

private val needed: Set<String> =
    FirstExchange::class.java.getResource("FirstExchange.classes")!!.readText().trim().lines().toSet()

/**
 * Counts the classes that a new JVM loads for its first exchange, because they determine how long a program takes to
 * start (decision 47). The time itself would depend on the machine.
 */
class FirstExchangeSpec : FunSpec({
    // Both children at once, because a JVM takes half a second on a busy machine.
    val loaded by lazy { listOf(FirstExchange::class, FirstCalls::class).parallelStream().map(::classes).toList() }
    val own by lazy { loaded[0].filter { it.startsWith("org.arbalest.") && !it.endsWith(".FirstExchange") } }
    val ofJdk by lazy {
        loaded[0].filterNot { it.startsWith("org.arbalest.") }.groupingBy(::kind).eachCount() lessThan
            loaded[1].groupingBy(::kind).eachCount()
    }

    test("the first exchange loads no more classes of the library than it did") {
        withClue("new classes by package: ${byPackage(own.filterNot(needed::contains))}") {
            own.size shouldBeLessThanOrEqual MOST_OF_OURS
        }
    }

    test("the first exchange loads few classes of the JDK besides those of a program that calls C") {
        withClue("classes by package: ${byPackage(ofJdk)}") { ofJdk.size shouldBeLessThanOrEqual MOST_OF_JDK }
    }

    test("the first exchange links no lambda, switch on types or text concatenation of the library") {
        own.filter { it.contains("$$") }.shouldBeEmpty()
    }

    test("the first exchange loads one class of Flight Recorder, and no logger or service") {
        val packages = listOf("jdk.jfr.", "java.util.logging.", "sun.util.logging.", "jdk.internal.logger.")
        loaded[0].filter { name -> packages.any(name::startsWith) } shouldBe listOf("jdk.jfr.FlightRecorder")
        ofJdk.filter { it.startsWith("java.util.ServiceLoader") }.shouldBeEmpty()
    }
})

private fun classes(main: KClass<*>): List<String> {
    val child = ChildJvm.run(main, options = listOf("-Xlog:class+load:stdout:none", "-XX:TieredStopAtLevel=1"))
    withClue(child.output.takeLast(2000)) { child.exitCode shouldBe 0 }
    return child.output.lineSequence().filter { " source: " in it }.map { it.substringBefore(' ') }.toList()
}

/** Returns a class's name without the number of a class that was generated. */
private fun kind(name: String): String = name.substringBefore('/').replace(Regex("0x[0-9a-f]+"), "")

/** Returns the classes of this count that the other lacks, each as often as it has more of them. */
private infix fun Map<String, Int>.lessThan(other: Map<String, Int>): List<String> =
    flatMap { (kind, count) -> List(maxOf(0, count - (other[kind] ?: 0))) { kind } }

private fun byPackage(classes: List<String>): String =
    classes.groupBy({ it.substringBeforeLast('.') }, { it.substringAfterLast('.') }).toSortedMap()
        .map { (name, inside) -> "\n  $name: ${inside.sorted().joinToString(", ")}" }.joinToString("")
