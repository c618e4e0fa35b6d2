// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.support.ChildJvm
import java.io.RandomAccessFile
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Path

private const val HUGE = 100L shl 30

/** Reads the last batch of a file, by its map and by a channel. */
private object LastBatch {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val path = Path.of(arguments[0])
        for (options in listOf(IpcReadOptions.defaults(),
            IpcReadOptions.defaults().withMemory(Devices.cpu().memory()))) {
            ArrowFile.open(path, options).use { file ->
                file.batch(file.batchCount() - 1).use { println("last: ${it.column(0).toList()}") }
                println("rows: ${file.rowCount()}")
            }
        }
    }
}

/** A file that is much larger than the heap and the main memory. */
class ArrowFileHugeSoakSpec : FunSpec({
    val folder = tempdir().toPath()

    test("the last batch of a sparse file of 100 GB is read with a heap of 64 MB [FIL-02]") {
        val body = Crafted.longs(7, -1, 9)
        val batch = Crafted.batchMessage(Crafted.BatchOf(3, listOf(3L to 0L), listOf(0L to 0L, 0L to 24L)), 24)
        val fields = listOf(Crafted.FieldOf("n", Crafted.int64))
        var blocks = 0
        val small = Crafted.file(fields, batches = listOf(batch to body, batch to body)) {
            if (blocks++ == 0) it else Crafted.BlockOf(HUGE, it.header, it.body)
        }
        val footer = ByteBuffer.wrap(small).order(ByteOrder.LITTLE_ENDIAN).getInt(small.size - 10)
        val path = folder.resolve("huge.arrow")
        RandomAccessFile(path.toFile(), "rw").use {
            it.write(small)
            it.seek(HUGE)
            it.write(Crafted.framed(batch, body))
            it.write(small, small.size - 10 - footer - 8, 8 + footer + 10)
        }
        val child = ChildJvm.run(LastBatch::class, "$path", options = listOf("-Xmx64m"))
        child.output shouldContain "last: [7, -1, 9]\nrows: 6\nlast: [7, -1, 9]\nrows: 6"
        child.exitCode shouldBe 0
    }
})
