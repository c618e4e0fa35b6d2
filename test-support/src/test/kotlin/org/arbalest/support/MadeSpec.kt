// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption.WRITE

class MadeSpec : FunSpec({
    test("a file that exists is not made again, since another JVM of the module may have loaded it") {
        val file = tempdir().toPath().resolve("lib/one.so")
        made(file) { Files.writeString(it, "first") } shouldBe file
        made(file) { Files.writeString(it, "second") }
        Files.readString(file) shouldBe "first"
    }

    test("a JVM waits while another JVM makes a file, and then finds the file") {
        val file = tempdir().toPath().resolve("one.so")
        lateinit var other: Process
        made(file) {
            other = ChildJvm.start(Maker::class, "$file")
            other.inputReader().readLine() shouldBe "locked out"
            Files.writeString(it, "ours")
        }
        other.inputReader().readLine() shouldBe "ours"
        other.waitFor() shouldBe 0
    }
})

/**
 * A program that prints whether another process has the lock of a file. It then makes the file if it is missing, and
 * prints the content.
 */
private object Maker {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val file = Path.of(arguments.single())
        println(FileChannel.open(file.resolveSibling("${file.fileName}.lock"), WRITE)
            .use { if (it.tryLock() == null) "locked out" else "not locked out" })
        println(Files.readString(made(file) { Files.writeString(it, "theirs") }))
    }
}
