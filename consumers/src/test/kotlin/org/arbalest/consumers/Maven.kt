// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import java.io.File
import java.util.concurrent.TimeUnit.MINUTES

/** The root of the build that these tests are part of. */
internal val ROOT: File = File(System.getProperty("consumers.root"))

/** The local repository of the outer build, with its downloads. */
internal val LOCAL_REPOSITORY: File = File(System.getProperty("consumers.repository"))

internal val VERSION: String = System.getProperty("consumers.version")

private val OFFLINE = System.getProperty("consumers.offline").endsWith("true")
private val WINDOWS = File.separatorChar == '\\'

/**
 * Runs the Maven wrapper in [directory] on [jdk], and returns the output. A failed build is an error, except if it
 * [mayFail].
 */
internal fun maven(
    directory: File,
    vararg arguments: String,
    jdk: String = System.getProperty("java.home"),
    jvm: String = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", // since the runs are short
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
    // The wrapper finds a JRE only on the PATH.
    if (File(jdk, "bin").list().orEmpty().none { it.startsWith("javac") }) builder.environment() -= "JAVA_HOME"
    val process = builder.directory(directory).redirectErrorStream(true).redirectOutput(log).start()
    check(process.waitFor(10, MINUTES)) {
        process.destroyForcibly()
        "Maven did not end within 10 minutes; its output is in $log"
    }
    val printed = log.readText()
    if (process.exitValue() != 0 && !mayFail) {
        val errors = printed.lines().filter { it.startsWith("[ERROR]") }.ifEmpty { printed.lines().takeLast(20) }
        throw AssertionError("Maven in $directory ended with exit code ${process.exitValue()}; its whole output is " +
            "in $log\n${errors.take(20).joinToString("\n")}")
    }
    return printed
}

/** The options for a build without a network, which can still read a repository in a folder. */
private val OFFLINE_BUT_FILES = listOf("--offline", "-Daether.offline.protocols=file")
