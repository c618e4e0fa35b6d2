// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import org.arbalest.support.ChildJvm
import java.io.IOException
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.management.BufferPoolMXBean
import java.lang.management.ManagementFactory
import java.net.URI
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path
import kotlin.io.path.ExperimentalPathApi
import kotlin.io.path.createDirectory
import kotlin.io.path.deleteRecursively
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.readLines
import kotlin.io.path.readSymbolicLink
import kotlin.io.path.readText
import kotlin.io.path.writeBytes
import kotlin.io.path.writeText

/** The maps after the first ones, which the JDK makes. */
@OptIn(ExperimentalPathApi::class)
class FileMapSpec : FunSpec({
    val isLinux = System.getProperty("os.name") == "Linux"

    beforeSpec {
        inFolder { folder ->
            val path = folder.resolve("first")
            path.writeText("first")
            repeat(FileMap.FIRST_MAPS) { content(path) shouldBe "first" }
        }
    }

    test("a map has the bytes of the file, whatever its name") {
        inFolder { folder ->
            for (name in listOf("plain", "with space", "größe-日本", "%41")) {
                val path = folder.resolve(name)
                path.writeText(name.repeat(3000))
                content(path) shouldBe name.repeat(3000)
                content(Path.of("").toAbsolutePath().relativize(path.toAbsolutePath())) shouldBe name.repeat(3000)
            }
        }
    }

    test("a file without bytes is an empty map") {
        inFolder { folder ->
            folder.resolve("empty").writeBytes(ByteArray(0))
            content(folder.resolve("empty")) shouldBe ""
        }
    }

    test("a missing file and a folder are errors of the file system") {
        inFolder { folder ->
            shouldThrow<NoSuchFileException> { FileMap.of(folder.resolve("missing")) }
            shouldThrow<IOException> { FileMap.of(folder) }
        }
    }

    test("a file in an archive cannot be mapped, and is not looked for elsewhere") {
        inFolder { folder ->
            val archive = URI.create("jar:" + folder.resolve("a.zip").toUri())
            FileSystems.newFileSystem(archive, mapOf("create" to "true")).use { files ->
                val path = files.getPath(folder.resolve("same").toString())
                Files.createDirectories(path.parent)
                path.writeText("inside")
                folder.resolve("same").writeText("outside")
                shouldThrow<UnsupportedOperationException> { FileMap.of(path) }
            }
        }
    }

    val maps = Path.of("/proc/self/maps")

    test("Linux makes the map: it ends with its owner's call, and needs neither the JDK nor an open file")
        .config(enabled = isLinux) {
            inFolder { folder ->
                val path = folder.resolve("unique-name")
                path.writeBytes(ByteArray(5000))
                fun entries() = maps.readLines().count { "unique-name" in it }
                fun files() = Path.of("/proc/self/fd").listDirectoryEntries().count {
                    // the folder's own entry may be gone
                    Files.isSymbolicLink(it) && it.readSymbolicLink().endsWith("unique-name")
                }
                val before = jdkMaps()
                val map = FileMap.of(path)
                entries() shouldBe 1
                files() shouldBe 0
                jdkMaps() shouldBe before
                map.unmap().run()
                entries() shouldBe 0
            }
        }

    test("names that are no text are not taken for other names").config(enabled = isLinux) {
        inFolder { folder ->
            // the second name is the one that Java shows for the first
            run(folder, "printf first > \"\$(printf '\\377')\"; printf second > \"\$(printf '\\357\\277\\275')\"")
            val files = folder.listDirectoryEntries()
            files.map { it.readText() } shouldContainExactlyInAnyOrder listOf("first", "second")
            for (file in files) content(file) shouldBe file.readText()
        }
    }

    test("a pipe is opened once, and has no bytes to map").config(enabled = isLinux) {
        inFolder { folder ->
            run(folder, "mkfifo pipe")
            val writer = ProcessBuilder("sh", "-c", "printf bytes > pipe").directory(folder.toFile()).start()
            content(folder.resolve("pipe")) shouldBe ""
            writer.waitFor()
        }
    }

    test("a relative path is one of Java's working folder") {
        inFolder { folder ->
            val other = folder.resolve("other").createDirectory()
            folder.resolve("file").writeText("of the process")
            other.resolve("file").writeText("of Java")
            val child = ChildJvm.run(Child::class, "file", options = listOf("-Duser.dir=$other"), directory = folder)
            child.output.trim() shouldBe "of Java, by the JDK: false"
        }
    }

    test("on other systems the JDK makes the map") {
        inFolder { folder ->
            folder.resolve("file").writeText("text")
            val child = ChildJvm.run(Child::class, "${folder.resolve("file")}", options = listOf("-Dos.name=Other"))
            child.output.trim() shouldBe "text, by the JDK: true"
        }
    }
}) {
    /** Prints the content of a file, mapped after the first maps. */
    object Child {
        @JvmStatic
        fun main(arguments: Array<String>) {
            val path = Path.of(arguments[0])
            repeat(FileMap.FIRST_MAPS) { FileMap.of(path).unmap().run() }
            val before = jdkMaps()
            val map = FileMap.of(path)
            val isOfJdk = jdkMaps() > before
            println("${String(map.bytes().toArray(JAVA_BYTE))}, by the JDK: $isOfJdk")
            map.unmap().run()
        }
    }
}

private fun jdkMaps(): Long =
    ManagementFactory.getPlatformMXBeans(BufferPoolMXBean::class.java).single { it.name == "mapped" }.count

@OptIn(ExperimentalPathApi::class)
private fun inFolder(action: (Path) -> Unit) {
    val folder = Files.createTempDirectory("arbalest")
    try {
        action(folder)
    } finally {
        folder.deleteRecursively()
    }
}

private fun content(path: Path): String {
    val map = FileMap.of(path)
    try {
        return String(map.bytes().toArray(JAVA_BYTE))
    } finally {
        map.unmap().run()
    }
}

private fun run(folder: Path, script: String) {
    ProcessBuilder("sh", "-c", script).directory(folder.toFile()).inheritIO().start().waitFor() shouldBe 0
}
