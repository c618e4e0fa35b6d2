// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.IOException
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.net.URI
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path
import kotlin.io.path.ExperimentalPathApi
import kotlin.io.path.deleteRecursively
import kotlin.io.path.exists
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.readLines
import kotlin.io.path.readSymbolicLink
import kotlin.io.path.writeBytes

@OptIn(ExperimentalPathApi::class)
class FileMapSpec : FunSpec({
    fun inFolder(action: (Path) -> Unit) {
        val folder = Files.createTempDirectory("arbalest")
        try {
            action(folder)
        } finally {
            folder.deleteRecursively()
        }
    }

    fun content(path: Path): ByteArray {
        val map = FileMap.of(path)
        try {
            return map.bytes().toArray(JAVA_BYTE)
        } finally {
            map.unmap().run()
        }
    }

    test("a map has the bytes of the file, whatever its name") {
        inFolder { folder ->
            for (name in listOf("plain", "with space", "größe-日本", "%41")) {
                val bytes = name.toByteArray() + ByteArray(10_000) { it.toByte() }
                folder.resolve(name).writeBytes(bytes)
                content(folder.resolve(name)) shouldBe bytes
                content(Path.of("").toAbsolutePath().relativize(folder.resolve(name).toAbsolutePath())) shouldBe bytes
            }
        }
    }

    test("a file without bytes is an empty map") {
        inFolder { folder ->
            folder.resolve("empty").writeBytes(ByteArray(0))
            content(folder.resolve("empty")) shouldBe ByteArray(0)
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
                path.writeBytes(byteArrayOf(1))
                folder.resolve("same").writeBytes(byteArrayOf(2))
                shouldThrow<UnsupportedOperationException> { FileMap.of(path) }
            }
        }
    }

    val maps = Path.of("/proc/self/maps")

    test("a map ends with its owner's call, and needs no open file").config(enabled = maps.exists()) {
        inFolder { folder ->
            val path = folder.resolve("unique-name")
            path.writeBytes(ByteArray(5000))
            val open = Path.of("/proc/self/fd")
            fun entries() = maps.readLines().count { "unique-name" in it }
            fun files() = open.listDirectoryEntries().count {
                // the folder's own entry may be gone
                Files.isSymbolicLink(it) && it.readSymbolicLink().endsWith("unique-name")
            }
            val map = FileMap.of(path)
            entries() shouldBe 1
            files() shouldBe 0
            map.unmap().run()
            entries() shouldBe 0
        }
    }
})
