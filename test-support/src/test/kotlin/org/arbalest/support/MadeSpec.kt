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
    test("a file that is there is not made again: another JVM of the module may have loaded it") {
        val file = tempdir().toPath().resolve("lib/one.so")
        made(file) { Files.writeString(it, "first") } shouldBe file
        made(file) { Files.writeString(it, "second") }
        Files.readString(file) shouldBe "first"
    }

    test("while one JVM makes a file, another one waits, and finds it") {
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
 * Sees that another process has the lock; makes the file that it is given, if it is not there then, and says what is in
 * it.
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
