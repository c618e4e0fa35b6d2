// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import org.jetbrains.dokka.DokkaConfigurationImpl
import org.jetbrains.dokka.DokkaGenerator
import org.jetbrains.dokka.DokkaSourceSetID
import org.jetbrains.dokka.DokkaSourceSetImpl
import org.jetbrains.dokka.ExternalDocumentationLink
import org.jetbrains.dokka.utilities.DokkaConsoleLogger
import org.jetbrains.dokka.utilities.LoggingLevel
import java.io.File
import java.util.spi.ToolProvider

/**
 * The API documentation. Javadoc makes the pages of the Java modules with Java's signatures. Dokka makes the pages of
 * the Kotlin modules, which link to those. A broken link is an error.
 */
internal object ApiDocs {
    /** The target folder, with the folders `java` and `kotlin`. */
    val folder = File("target/api")

    /** A placeholder for the site's address in Dokka's links to javadoc, until the links are made relative. */
    private const val PLACE = "https://arbalest.invalid/api/java/"

    private val java = mapOf(
        "org.arbalest.device" to "device-core",
        "org.arbalest.device.opencl" to "device-opencl",
        "org.arbalest.device.cuda" to "device-cuda",
        "org.arbalest.device.rocm" to "device-rocm",
        "org.arbalest.device.arrow" to "device-arrow",
        "org.arbalest.device.adbc" to "device-adbc",
        "org.arbalest.device.ipc" to "device-ipc",
    )
    private val kotlin = listOf(
        "coroutines/src/main/kotlin", "adbc-coroutines/src/main/kotlin", "ipc-coroutines/src/main/kotlin",
        "leak-check/src/main/java", "leak-check/src/main/kotlin", "device-testkit/src/main/kotlin",
    )

    fun write(version: String) {
        folder.deleteRecursively()
        writeJava(version)
        writeKotlin(version)
    }

    private fun writeJava(version: String) {
        val libraries = classPath().filter { file ->
            file.isFile && listOf("jocl", "jcuda", "jspecify", "arrow-", "flatbuffers", "jackson", "slf4j",
                "commons-codec", "aircompressor", "tomlj", "antlr4-runtime").any { file.name.startsWith(it) }
        }
        val sources = java.flatMap { (module, folder) ->
            listOf("--module-source-path", "$module=${File("../$folder/src/main/java").canonicalPath}")
        }
        val code = ToolProvider.findFirst("javadoc").orElseThrow().run(
            System.out, System.err,
            "-quiet", "-Werror", "-Xdoclint:all,-missing", "-notimestamp", "-encoding", "UTF-8", "-windowtitle",
            "Arbalest $version", "-doctitle", "Arbalest $version", "-d", folder.resolve("java").path, "--module-path",
            libraries.joinToString(File.pathSeparator), *sources.toTypedArray(),
            "--module", java.keys.joinToString(","),
        )
        check(code == 0) { "javadoc ended with exit code $code; its messages are above" }
    }

    private fun writeKotlin(version: String) {
        val site = folder.resolve("kotlin")
        val sources = DokkaSourceSetImpl(
            displayName = "JVM",
            sourceSetID = DokkaSourceSetID("arbalest", "main"),
            classpath = classPath(),
            sourceRoots = kotlin.mapTo(mutableSetOf()) { File("../$it").canonicalFile },
            includes = setOf(File("packages.md").canonicalFile),
            externalDocumentationLinks = setOf(
                ExternalDocumentationLink(PLACE, "${folder.resolve("java/element-list").canonicalFile.toURI()}"),
            ),
            jdkVersion = 25,
            // Dokka would download the package lists of the JDK and the standard library.
            noJdkLink = true,
            noStdlibLink = true,
        )
        val configuration = DokkaConfigurationImpl(
            moduleName = "Arbalest for Kotlin",
            moduleVersion = version,
            outputDir = site.canonicalFile,
            sourceSets = listOf(sources),
            offlineMode = true,
            failOnWarning = true,
        )
        DokkaGenerator(configuration, DokkaConsoleLogger(LoggingLevel.WARN)).generate()
        for (page in site.walk().filter { it.extension == "html" }) {
            val text = page.readText()
            if (PLACE in text) page.writeText(
                text.replace(PLACE, folder.resolve("java").relativeTo(page.parentFile).invariantSeparatorsPath + "/"),
            )
        }
    }

    private fun classPath() = System.getProperty("java.class.path").split(File.pathSeparator).map(::File)
        .filter(File::exists)
}
