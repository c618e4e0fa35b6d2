// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.openjdk.jmh.runner.Runner
import org.openjdk.jmh.runner.options.OptionsBuilder
import org.openjdk.jmh.runner.options.TimeValue

/**
 * Runs JMH's benchmarks, each in its own forks; this process does not use the GPU meanwhile. A benchmark that fails
 * throws an exception.
 */
fun runBenchmarks(gpu: CheckedGpu, options: List<String>, isQuick: Boolean): Int {
    val jmh = OptionsBuilder().shouldFailOnError(true).jvmArgsAppend(*(childOptions() + options).toTypedArray())
    gpu.benchmarks.forEach { jmh.include("\\b${it.simpleName}\\.") }
    if (isQuick) jmh.warmupIterations(0).measurementIterations(1).measurementTime(TimeValue.milliseconds(50))
    Runner(jmh.build()).run()
    return 0
}
