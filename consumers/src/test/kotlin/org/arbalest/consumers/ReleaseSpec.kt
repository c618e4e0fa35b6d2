// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.string.shouldContain

/** Tests that the release profile refuses a build that would publish too little or too much, before it builds. */
class ReleaseSpec : FunSpec({
    for ((arguments, reason) in mapOf(
        listOf("-Prelease,spark", "-Dpublish=jars") to "-Prelease publishes documentation and SBOMs, too",
        listOf("-Prelease,spark") to "-Prelease would publish the samples, tests and benchmarks, too",
        listOf("-Prelease", "-Dpublish") to "-Prelease would publish a BOM with modules for Spark, without these",
        listOf("-Prelease,spark", "-Dpublish") to "-Prelease would publish no archive of the GPU check",
    )) {
        test("${arguments.joinToString(" ")} is refused") {
            val all = arguments + listOf("-f", ROOT.resolve("pom.xml").path, "-N", "validate")
            maven(tempdir(), *all.toTypedArray(), mayFail = true) shouldContain reason
        }
    }
})
