// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import java.io.File
import java.nio.file.Files
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors

/**
 * A project that is not part of this build, by default one of src/test/projects. It takes the library's modules only
 * from the staged repository. [write] fills its empty folder.
 */
internal class Consumer(
    private val name: String,
    private val goals: List<String> = listOf("package"),
    private val write: (File) -> Unit = { File("src/test/projects/$name").copyRecursively(it) },
) {
    val directory: File = File("target/projects/$name").absoluteFile

    /** Builds and runs the project, and returns the output. [settings] names the repositories. */
    fun run(settings: File = staged, mayFail: Boolean = false): String {
        deleted(directory)
        write(directory)
        val versions = plugins.map { (plugin, version) -> "-D$plugin=$version" } + "-Darbalest.version=$VERSION" +
            "-Dkotlin.version=${System.getProperty("consumers.kotlin")}" +
            "-Dduckdb.version=${System.getProperty("consumers.duckdb")}"
        return maven(
            directory, *versions.toTypedArray(),
            "--global-settings", settings.path,
            "-Dmaven.repo.local=$repository",
            "-Daether.remoteRepositoryFilter.prefixes=true",
            "-Daether.remoteRepositoryFilter.prefixes.basedir=$filters",
            // Several builds run at once.
            "-Daether.syncContext.named.factory=file-lock", "-Daether.syncContext.named.nameMapper=file-gav",
            *goals.toTypedArray(), mayFail = mayFail,
        )
    }

    internal companion object {
        /** The local repository of these projects, which is empty at first. */
        val repository: File = deleted(File("target/repository").absoluteFile)

        /** The folder of Maven's repository filters, which limit what each repository may provide: see [downloads]. */
        private val filters = deleted(File("target/filters").absoluteFile)

        /**
         * The repository for artifacts of other publishers. Maven uses the outer build's local repository as if it were
         * a remote one: it reads and copies files, and never writes or links to them. Snapshots are excluded. Our own
         * artifacts, which may be of another day, are excluded by a filter file, which names all other folders.
         */
        private val downloads = """
            <repository>
              <id>downloads</id>
              <url>${url(LOCAL_REPOSITORY)}</url>
              <releases><checksumPolicy>ignore</checksumPolicy></releases>
              <snapshots><enabled>false</enabled></snapshots>
            </repository>
        """.trimIndent()

        private val ours = """
            <repository>
              <id>staged</id>
              <url>${url(Staged.repository)}</url>
              <releases><checksumPolicy>fail</checksumPolicy></releases>
              <snapshots><enabled>true</enabled><checksumPolicy>fail</checksumPolicy></snapshots>
            </repository>
        """.trimIndent()

        /** The settings that name the staged repository. */
        private val staged = settings("settings.xml", downloads + ours)

        /** The settings that do not name the staged repository. */
        val nowhere: File = settings("no-settings.xml", downloads)

        /** The versions of plugins that this build uses, since they are already downloaded. */
        val plugins: Map<String, String> = parsed(ROOT.resolve("pom.xml")).getElementsByTagName("plugin").let { all ->
            (0 until all.length).map { all.item(it) as org.w3c.dom.Element }
        }
            .filter { it.children("version").isNotEmpty() }
            .associate { it.children("artifactId").single().textContent to it.children("version").single().textContent }
            .filterValues { '$' !in it }

        init {
            filters.mkdirs()
            val others = LOCAL_REPOSITORY.list().orEmpty().filter { it != "org" } + LOCAL_REPOSITORY.resolve("org")
                .list().orEmpty().filter { it != "arbalest" }.map { "org/$it" }
            filters.resolve("prefixes-downloads.txt").writeText(others.joinToString("\n") { "/$it" })
            filters.resolve("prefixes-staged.txt").writeText("/org/arbalest")
        }

        private fun settings(name: String, repositories: String): File = File("target/$name").absoluteFile.apply {
            writeText(
                """
                <settings>
                  <profiles>
                    <profile>
                      <id>repositories</id>
                      <repositories>$repositories</repositories>
                      <pluginRepositories>${downloads.replace("repository>", "pluginRepository>")}</pluginRepositories>
                    </profile>
                  </profiles>
                  <activeProfiles><activeProfile>repositories</activeProfile></activeProfiles>
                </settings>
                """.trimIndent(),
            )
        }
    }
}

/** Projects that build at once, since each waits for its compiler or its JVM most of the time. */
internal class Builds(private val projects: Map<String, Consumer>) {
    private val runs by lazy {
        Executors.newVirtualThreadPerTaskExecutor().use { threads ->
            projects.mapValues { (_, project) -> threads.submit<String> { project.run() } }
        }
    }

    /** Returns the output of a project's build. The first call builds all projects. */
    fun printedBy(project: String): String = try {
        runs.getValue(project).get()
    } catch (e: ExecutionException) {
        throw e.cause ?: e
    }
}

private fun url(folder: File): String = folder.toPath().toUri().toString().removeSuffix("/")

/** Deletes a file or folder, and returns it. Unlike [File.deleteRecursively], it does not follow links. */
internal fun deleted(file: File): File = file.apply {
    if (Files.isSymbolicLink(toPath()) || exists()) Files.walk(toPath()).use { all ->
        all.sorted(reverseOrder()).forEach(Files::delete)
    }
}
