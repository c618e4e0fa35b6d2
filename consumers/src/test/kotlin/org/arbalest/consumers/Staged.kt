// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import org.w3c.dom.Document
import org.w3c.dom.Element
import java.io.File
import java.util.zip.ZipFile
import javax.xml.parsers.DocumentBuilderFactory

/** The modules that are published as jars, if the profile `spark` is on. */
internal val ON_SPARK = listOf("spark", "spark-kotlin")

private val IS_SPARK = System.getProperty("consumers.spark") == "true"

/** The modules that are published as jars by a build as this one is: with the profile `spark`, or without. */
internal val JARS = listOf("device-core", "leak-check", "device-testkit", "coroutines", "device-opencl", "device-cuda",
    "device-rocm", "device-arrow", "device-adbc", "adbc-coroutines") +
    if (IS_SPARK) ON_SPARK else emptyList()

/** Those without code; `test-support`, which their tests name, is built with them and not published. */
internal val POMS = mapOf("arbalest" to ".", "arbalest-bom" to "bom")

/** What is published, built once more from a copy of the sources in another folder, and deployed into a folder. */
internal object Staged {
    private val copy = File("target/tree").absoluteFile

    /** The testkit's documentation takes as long as all else, and is made where time matters less. */
    val isWhole: Boolean = System.getenv("CI") == "true"
    val repository: File = File("target/staged").absoluteFile

    init {
        listOf(copy, repository).forEach(::deleted)
        // of each module: Maven reads those that it does not build, too
        val poms = ROOT.list().orEmpty().map { "$it/pom.xml" }
        for (name in listOf("pom.xml", "LICENSE", "NOTICE", ".mvn", "docs/src/dokka") + poms + (JARS + "test-support")
            .map { "$it/src/main" }) {
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
            "-Derrorprone.plugin=-Xdiags:compact", "-Dformat.skip", // the same sources have been looked at
            if (isWhole) "-Ddokka.testkit.phase=prepare-package" else "-Ddokka.testkit.phase=none",
            "deploy",
            jdk = System.getProperty("consumers.maven.jdk"), // manifests name it
            jvm = "-XX:+UseParallelGC",
            offline = false, // deploy refuses, even into a folder
        )
    }

    /** A staged file of a module, whatever name a snapshot has got. */
    fun file(module: String, ending: String): File {
        val folder = repository.resolve("org/arbalest/${artifact(module)}/$VERSION")
        val pom = folder.listFiles { file -> file.name.endsWith(".pom") }.orEmpty().singleOrNull()
            ?: error("no POM, or several, in $folder")
        return File(pom.path.removeSuffix(".pom") + ending)
    }

    fun pom(module: String): Document = parsed(file(module, ".pom"))
}

/** The artifact of a module, which is named by its folder, or of a POM, which is named as it is. */
internal fun artifact(module: String): String = if (module in POMS) module else "arbalest-$module"

internal fun parsed(xml: File): Document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(xml)

/** The text at a path of elements below the root, of which the first counts; null where there is none. */
internal fun Document.text(vararg path: String): String? =
    path.fold<String, Element?>(documentElement) { element, name -> element?.children(name)?.firstOrNull() }
        ?.textContent?.trim()

internal fun Element.children(name: String): List<Element> =
    (0 until childNodes.length).map { childNodes.item(it) }.filterIsInstance<Element>().filter { it.tagName == name }

/** The names of the files in a jar. */
internal fun entries(jar: File): List<String> = ZipFile(jar).use { zip ->
    zip.entries().asSequence().filterNot { it.isDirectory }.map { it.name }.toList()
}

internal fun content(jar: File, entry: String): ByteArray = ZipFile(jar).use { zip ->
    zip.getInputStream(zip.getEntry(entry) ?: error("$jar: no $entry")).readAllBytes()
}
