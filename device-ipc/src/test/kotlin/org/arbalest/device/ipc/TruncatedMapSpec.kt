// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption
import kotlin.random.Random

/** A mapped file that another program shortens: the library's own native code does not end the process. */
class TruncatedMapSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("reading and compressing a mapped file that became shorter are errors that name it [FIL-20, FIL-22]") {
        val child = ChildJvm.run(Child::class)
        child.output.lines().filter { it.isNotEmpty() } shouldContainExactly listOf(
            "write LZ4_FRAME: DeviceException 5 cannot write", "write ZSTD: DeviceException 5 cannot write",
            "read LZ4_FRAME: DeviceException 5 cannot read", "read ZSTD: DeviceException 5 cannot read",
            "validate: DeviceException 5 cannot read", "join: DeviceException 5 cannot read",
        ).flatMap { line -> List(ROUNDS) { line } }
    }
}) {
    /** Uses files that it has shortened, and prints the error of each use. */
    object Child {
        @JvmStatic
        fun main(arguments: Array<String>) {
            val codecs = listOf(IpcCompression.LZ4_FRAME, IpcCompression.ZSTD)
            for (codec in codecs) repeat(ROUNDS) {
                truncated(IpcCompression.NONE) { path, file, truncate ->
                    file.batch(0).use { batch ->
                        truncate()
                        val target = Path.of("$path.copy")
                        report("write $codec", target) { write(target, codec, batch) }
                    }
                }
            }
            for (codec in codecs) repeat(ROUNDS) {
                truncated(codec) { path, file, truncate ->
                    truncate()
                    report("read $codec", path) { file.batch(0).close() }
                }
            }
            repeat(ROUNDS) {
                truncated(IpcCompression.NONE, options(Validation.FULL)) { path, file, cut ->
                    cut()
                    report("validate", path) { file.batch(0).close() }
                }
            }
            repeat(ROUNDS) {
                truncated(IpcCompression.NONE, options(Validation.NONE)) { path, file, cut ->
                    cut()
                    report("join", path) { file.readAll().close() }
                }
            }
        }

        private fun options(level: Validation) = IpcReadOptions.defaults().withValidation(level)

        private fun report(what: String, named: Path, action: () -> Unit) = try {
            action()
            println("$what: nothing")
        } catch (e: DeviceException) {
            println("$what: ${e.javaClass.simpleName} ${e.errno()} ${e.message!!.substringBefore(" $named: ")}")
        } catch (e: InternalError) {
            println("$what: $e")
        }

        private fun write(target: Path, codec: IpcCompression, vararg batches: RecordBatch) {
            val options = IpcWriteOptions.defaults().withCompression(codec)
            ArrowWriter.file(target, batches[0].schema(), options).use {
                batches.forEach(it::write)
                it.finish()
            }
        }

        private fun truncated(
            codec: IpcCompression,
            options: IpcReadOptions = IpcReadOptions.defaults(),
            action: (Path, ArrowFile, () -> Unit) -> Unit,
        ) {
            val path = Files.createTempFile("arbalest", ".arrow")
            BatchBuilder.of(Devices.cpu()).use { builder ->
                builder.int64("n", LongArray(20_000) { Random.nextLong(1L shl 40) })
                builder.utf8("t", List(20_000) { "text $it" })
                builder.build().use { batch -> write(path, codec, batch, batch) }
            }
            ArrowFile.open(path, options).use { file ->
                file.rowCount()
                // the first page, with the message's metadata, stays
                action(path, file) { FileChannel.open(path, StandardOpenOption.WRITE).use { it.truncate(5000) } }
            }
            Files.delete(path)
        }
    }
}

private const val ROUNDS = 3
