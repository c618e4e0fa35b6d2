// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import java.io.File
import java.nio.file.Files

/**
 * A project outside of this build, of src/test/projects: what it needs of ours comes from the staged repository, and
 * from nowhere else.
 */
internal class Consumer(private val name: String) {
    private val directory = File("target/projects/$name").absoluteFile

    /** Builds and runs it, and answers what is printed; [settings] say where to look. */
    fun run(settings: File = staged, mayFail: Boolean = false): String {
        deleted(directory)
        File("src/test/projects/$name").copyRecursively(directory)
        val versions = plugins.map { (plugin, version) -> "-D$plugin=$version" } + "-Darbalest.version=$VERSION" +
            "-Dkotlin.version=${System.getProperty("consumers.kotlin")}"
        return maven(
            directory, *versions.toTypedArray(),
            "--global-settings", settings.path,
            "-Dmaven.repo.local=$repository",
            "-Daether.remoteRepositoryFilter.prefixes=true",
            "-Daether.remoteRepositoryFilter.prefixes.basedir=$filters",
            // Several run at once.
            "-Daether.syncContext.named.factory=file-lock", "-Daether.syncContext.named.nameMapper=file-gav",
            "package", mayFail = mayFail,
        )
    }

    internal companion object {
        /** The local repository of these projects, empty at first. */
        val repository: File = deleted(File("target/repository").absoluteFile)

        /** What may be taken from where: see [downloads]. */
        private val filters = deleted(File("target/filters").absoluteFile)

        /**
         * What others have published is taken from the outer build's local repository first, as if it were a remote
         * one: it is read and copied, never written, and there is no link into it. Snapshots are not taken from it, and
         * nothing of ours, which may be of another day: a file that Maven's repository filter reads names all folders
         * but that one.
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

        /** Says where ours are. */
        private val staged = settings("settings.xml", downloads + ours)

        /** Does not. */
        val nowhere: File = settings("no-settings.xml", downloads)

        /** Our own versions of plugins, which have been downloaded. */
        private val plugins = parsed(ROOT.resolve("pom.xml")).getElementsByTagName("plugin").let { all ->
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

private fun url(folder: File): String = folder.toPath().toUri().toString().removeSuffix("/")

/** This file or folder, which is not there any more. Not [File.deleteRecursively], which goes where links lead. */
internal fun deleted(file: File): File = file.apply {
    if (Files.isSymbolicLink(toPath()) || exists()) Files.walk(toPath()).use { all ->
        all.sorted(reverseOrder()).forEach(Files::delete)
    }
}
