// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import org.w3c.dom.Document
import org.w3c.dom.Element
import java.io.File
import java.util.zip.ZipFile
import javax.xml.parsers.DocumentBuilderFactory

/** The modules that are published as jars if the profile `spark` is active. */
internal val ON_SPARK = listOf("spark", "spark-kotlin", "spark-assembly")

/** The modules whose jars have only the classes of other modules. */
internal val ASSEMBLIES = setOf("spark-assembly")

private val IS_SPARK = System.getProperty("consumers.spark") == "true"

/** The modules that a build like this one publishes as jars, with or without the profile `spark`. */
internal val JARS = listOf("device-core", "leak-check", "device-testkit", "coroutines", "device-opencl", "device-cuda",
    "device-rocm", "device-arrow", "device-adbc", "adbc-coroutines", "device-ipc", "ipc-coroutines") +
    if (IS_SPARK) ON_SPARK else emptyList()

/** The modules without code. `test-support`, which the tests of other modules need, is built but not published. */
internal val POMS = mapOf("arbalest" to ".", "arbalest-bom" to "bom")

/** The published artifacts, built again from a copy of the sources in another folder, and deployed into a folder. */
internal object Staged {
    private val copy = File("target/tree").absoluteFile

    val repository: File = File("target/staged").absoluteFile

    init {
        listOf(copy, repository).forEach(::deleted)
        // The POM of each module, since Maven also reads those of modules that it does not build.
        val poms = ROOT.list().orEmpty().map { "$it/pom.xml" }
        val sources = (JARS + "test-support").map { "$it/src/main" } + JARS.map { "$it/api" }
        for (name in listOf("pom.xml", "LICENSE", "NOTICE", ".mvn", "docs/src/dokka") + poms + sources) {
            ROOT.resolve(name).walk().onEnter { it.name != "target" }.filter(File::isFile).forEach { file ->
                file.copyTo(copy.resolve(file.relativeTo(ROOT)))
            }
        }
        val spark = if (IS_SPARK) arrayOf("-Pspark", "-pl", "!samples-spark,!benchmarks-spark") else emptyArray()
        maven(
            copy,
            *spark,
            "-T2", "-Dpublish", "-Dmaven.test.skip", "-Dmaven.install.skip", "-Dmaven.repo.local=$LOCAL_REPOSITORY",
            "-DaltDeploymentRepository=staged::${repository.toPath().toUri()}",
            "-Derrorprone.plugin=-Xdiags:compact", "-Dformat.skip", // the outer build has checked the same sources
            // The tests of the site build the documentation of all modules.
            "-Ddokka.most.phase=none",
            "deploy",
            jdk = System.getProperty("consumers.maven.jdk"), // since manifests name the JDK
            jvm = "-XX:+UseParallelGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m", // as mvnw
            offline = false, // Maven's deploy fails offline, even into a folder
        )
    }

    /** Returns a staged file of a module. A snapshot's files have a timestamp in their names. */
    fun file(module: String, ending: String): File {
        val folder = repository.resolve("org/arbalest/${artifact(module)}/$VERSION")
        val pom = folder.listFiles { file -> file.name.endsWith(".pom") }.orEmpty().singleOrNull()
            ?: error("$folder must contain exactly one POM")
        return File(pom.path.removeSuffix(".pom") + ending)
    }

    fun pom(module: String): Document = parsed(file(module, ".pom"))
}

/** Returns the artifact id of a module, given by its folder, or of an entry of [POMS], given by its artifact id. */
internal fun artifact(module: String): String = if (module in POMS) module else "arbalest-$module"

internal fun parsed(xml: File): Document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(xml)

/** Returns the text at a path of elements below the root, or null. Each step takes the first element of its name. */
internal fun Document.text(vararg path: String): String? =
    path.fold<String, Element?>(documentElement) { element, name -> element?.children(name)?.firstOrNull() }
        ?.textContent?.trim()

internal fun Element.children(name: String): List<Element> =
    (0 until childNodes.length).map { childNodes.item(it) }.filterIsInstance<Element>().filter { it.tagName == name }

/** Returns the names of the files in a jar. */
internal fun entries(jar: File): List<String> = ZipFile(jar).use { zip ->
    zip.entries().asSequence().filterNot { it.isDirectory }.map { it.name }.toList()
}

internal fun content(jar: File, entry: String): ByteArray = ZipFile(jar).use { zip ->
    zip.getInputStream(zip.getEntry(entry) ?: error("$jar has no entry $entry")).readAllBytes()
}
