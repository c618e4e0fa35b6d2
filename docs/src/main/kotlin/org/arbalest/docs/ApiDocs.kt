package org.arbalest.docs

import org.jetbrains.dokka.DokkaConfigurationImpl
import org.jetbrains.dokka.DokkaGenerator
import org.jetbrains.dokka.DokkaSourceSetID
import org.jetbrains.dokka.DokkaSourceSetImpl
import org.jetbrains.dokka.utilities.DokkaConsoleLogger
import org.jetbrains.dokka.utilities.LoggingLevel
import java.io.File

/** Writes the API documentation of all modules, as one site; a link that leads nowhere is an error. */
fun main(args: Array<String>) {
    val site = File("target/api")
    val sources = DokkaSourceSetImpl(
        displayName = "JVM",
        sourceSetID = DokkaSourceSetID("arbalest", "main"),
        classpath = System.getProperty("java.class.path").split(File.pathSeparator).map(::File).filter(File::exists),
        sourceRoots = setOf(
            File("../device-core/src/main/java"),
            File("../leak-check/src/main/java"),
            File("../leak-check/src/main/kotlin"),
            File("../device-testkit/src/main/kotlin"),
            File("../coroutines/src/main/kotlin"),
            File("../device-opencl/src/main/java"),
            File("../device-cuda/src/main/java"),
            File("../device-rocm/src/main/java"),
        ).mapTo(mutableSetOf(), File::getCanonicalFile),
        includes = setOf(File("packages.md").canonicalFile),
        jdkVersion = 25,
        // Their package lists would be downloaded.
        noJdkLink = true,
        noStdlibLink = true,
    )
    val configuration = DokkaConfigurationImpl(
        moduleName = "Arbalest",
        moduleVersion = args.single(),
        outputDir = site.canonicalFile,
        sourceSets = listOf(sources),
        offlineMode = true,
        failOnWarning = true,
    )
    site.deleteRecursively()
    DokkaGenerator(configuration, DokkaConsoleLogger(LoggingLevel.WARN)).generate()
    println("${site.canonicalPath}${File.separator}index.html")
}
