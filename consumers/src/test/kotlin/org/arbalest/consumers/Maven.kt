// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import java.io.File
import java.util.concurrent.TimeUnit.MINUTES

/** The root of the build that these tests are part of. */
internal val ROOT: File = File(System.getProperty("consumers.root"))

/** Where the outer build has what it was given and has downloaded. */
internal val LOCAL_REPOSITORY: File = File(System.getProperty("consumers.repository"))

internal val VERSION: String = System.getProperty("consumers.version")

private val OFFLINE = System.getProperty("consumers.offline").endsWith("true")
private val WINDOWS = File.separatorChar == '\\'

/**
 * Runs the wrapper in [directory] on [jdk], and answers what it printed. A build that fails is an error, but where it
 * [mayFail].
 */
internal fun maven(
    directory: File,
    vararg arguments: String,
    jdk: String = System.getProperty("java.home"),
    jvm: String = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", // for short runs
    offline: Boolean = OFFLINE,
    mayFail: Boolean = false,
): String {
    val log = directory.resolve("maven.log")
    val wrapper = ROOT.resolve(if (WINDOWS) "mvnw.cmd" else "mvnw").path
    val builder = ProcessBuilder(listOf(wrapper, "--batch-mode", "--no-transfer-progress") +
        (if (offline) OFFLINE_BUT_FILES else emptyList()) + arguments)
    builder.environment() -= listOf("MAVEN_PROJECTBASEDIR", "MAVEN_BASEDIR", "MAVEN_CMD_LINE_ARGS")
    builder.environment()["JAVA_HOME"] = jdk
    builder.environment()["MAVEN_OPTS"] = jvm
    // a JRE, which the wrapper takes from the PATH only
    if (File(jdk, "bin").list().orEmpty().none { it.startsWith("javac") }) builder.environment() -= "JAVA_HOME"
    val process = builder.directory(directory).redirectErrorStream(true).redirectOutput(log).start()
    check(process.waitFor(10, MINUTES)) {
        process.destroyForcibly()
        "still running after 10 minutes: $log"
    }
    val printed = log.readText()
    if (process.exitValue() != 0 && !mayFail) {
        val errors = printed.lines().filter { it.startsWith("[ERROR]") }.ifEmpty { printed.lines().takeLast(20) }
        throw AssertionError("Maven in $directory ended with ${process.exitValue()}; all of it: " +
            "$log\n${errors.take(20).joinToString("\n")}")
    }
    return printed
}

/** What is staged in a folder is at hand without a network, too. */
private val OFFLINE_BUT_FILES = listOf("--offline", "-Daether.offline.protocols=file")
