// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayOutputStream
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.StandardOpenOption
import kotlin.random.Random

/** A mapped file that another program shortens: the library's own native code does not end the process. */
class TruncatedMapSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("compressing a batch of a mapped file that became shorter is an error, and so is decompressing [FIL-20]") {
        val child = ChildJvm.run(Child::class)
        child.output.lines().filter { it.isNotEmpty() } shouldContainExactly listOf(
            "write LZ4_FRAME: DeviceException 5", "write ZSTD: DeviceException 5", "read ZSTD: DeviceException 5",
        ).flatMap { line -> List(ROUNDS) { line } }
    }
}) {
    /** Uses files that it has shortened, and prints the error of each use. */
    object Child {
        @JvmStatic
        fun main(arguments: Array<String>) {
            for (codec in listOf(IpcCompression.LZ4_FRAME, IpcCompression.ZSTD)) repeat(ROUNDS) {
                truncated(IpcCompression.NONE) { file, truncate ->
                    file.batch(0).use { batch ->
                        truncate()
                        report("write $codec") { write(ByteArrayOutputStream(), codec, batch) }
                    }
                }
            }
            repeat(ROUNDS) {
                truncated(IpcCompression.ZSTD) { file, truncate ->
                    truncate()
                    report("read ZSTD") { file.batch(0).close() }
                }
            }
        }

        private fun report(what: String, action: () -> Unit) = try {
            action()
            println("$what: nothing")
        } catch (e: DeviceException) {
            println("$what: ${e.javaClass.simpleName} ${e.errno()}")
        }

        private fun write(output: java.io.OutputStream, codec: IpcCompression, batch: DeviceArray) {
            val options = IpcWriteOptions.defaults().withCompression(codec)
            ArrowWriter.file(output, batch.schema(), options).use {
                it.write(batch)
                it.finish()
            }
        }

        private fun truncated(codec: IpcCompression, action: (ArrowFile, () -> Unit) -> Unit) {
            val path = Files.createTempFile("arbalest", ".arrow")
            BatchBuilder.of(Devices.cpu()).use { builder ->
                builder.int64("n", LongArray(100_000) { Random.nextLong(1L shl 40) }).build().use { batch ->
                    Files.newOutputStream(path).use { write(it, codec, batch) }
                }
            }
            ArrowFile.open(path).use { file ->
                file.rowCount()
                // the first page, with the message's metadata, stays
                action(file) { FileChannel.open(path, StandardOpenOption.WRITE).use { it.truncate(5000) } }
            }
            Files.delete(path)
        }
    }
}

private const val ROUNDS = 3
