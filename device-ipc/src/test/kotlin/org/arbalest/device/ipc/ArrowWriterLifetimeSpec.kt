// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.logged
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.OutputStream
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.StandardSocketOptions
import java.nio.ByteBuffer
import java.nio.channels.Channels
import java.nio.channels.FileChannel
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import java.nio.channels.WritableByteChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlin.io.path.deleteRecursively
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readBytes
import kotlin.io.path.readText
import kotlin.io.path.writeText

private const val LOGGER = "org.arbalest.device.ipc"

/** A file appears at its path only when it is complete. Each failure frees all memory. */
@OptIn(kotlin.io.path.ExperimentalPathApi::class)
class ArrowWriterLifetimeSpec : FunSpec() {
    private fun inFolder(action: (Path) -> Unit) {
        val folder = Files.createTempDirectory("arbalest")
        try {
            action(folder)
        } finally {
            folder.deleteRecursively()
        }
    }

    private fun batch() = EveryType.batch(0, 5)

    private val schema by lazy { batch().use { it.schema() } }

    private fun names(folder: Path) = folder.listDirectoryEntries().map { it.name }

    /** An output that fails after some bytes. */
    private class Failing(private var left: Int) : OutputStream() {
        var isClosed = false

        override fun write(byte: Int) = write(byteArrayOf(byte.toByte()))

        override fun write(bytes: ByteArray, offset: Int, length: Int) {
            left -= length
            if (left < 0) throw IOException("the disk is full")
        }

        override fun close() {
            isClosed = true
        }
    }

    /** A channel outside of the JDK, which does with its sources what it wants. */
    private class Rewinding : WritableByteChannel {
        val bytes = ByteArrayOutputStream()

        override fun write(source: ByteBuffer): Int {
            val count = source.remaining()
            val start = source.position()
            if (source.isDirect) check(source.isReadOnly && start == 0 && source.capacity() == count) { "$source" }
            bytes.write(ByteArray(count).also { source.clear().get(start, it) })
            source.limit(start + count).position(start + count)
            return count
        }

        override fun isOpen() = true

        override fun close() {}
    }

    init {
        extension(ResourceCountersExtension)

        for (alignment in listOf(8, 64)) {
            test("a file, a socket and any other output receive the same bytes, aligned at $alignment") {
                val options = IpcWriteOptions.defaults().withAlignment(alignment).withMaxBatchRows(7)
                val bytes = { output: WritableByteChannel ->
                    ArrowWriter.stream(output, schema, options).use { writer ->
                        for (rows in listOf(5, 40, 1, 0, 20)) EveryType.batch(rows, rows).use(writer::write)
                        writer.finish()
                    }
                }
                val expected = ByteArrayOutputStream().also { bytes(Channels.newChannel(it)) }.toByteArray()
                inFolder { folder ->
                    val path = folder.resolve("stream")
                    bytes(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE))
                    path.readBytes() shouldBe expected
                }
                ServerSocketChannel.open().bind(InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).use { server ->
                    val client = SocketChannel.open(server.localAddress)
                    client.setOption(StandardSocketOptions.SO_SNDBUF, 4096) // less than one batch
                    val received = CompletableFuture.supplyAsync {
                        server.accept().use { Channels.newInputStream(it).readAllBytes() }
                    }
                    bytes(client)
                    received.get(20, TimeUnit.SECONDS) shouldBe expected
                }
            }
        }

        test("a channel receives the bytes to write, and cannot read or change those around them") {
            val channel = Rewinding()
            val expected = ByteArrayOutputStream()
            batch().use { batch ->
                for (writer in listOf(
                    ArrowWriter.file(channel, schema, IpcWriteOptions.defaults()),
                    ArrowWriter.file(expected, schema, IpcWriteOptions.defaults()),
                )) writer.use {
                    it.write(batch)
                    it.write(batch)
                    it.finish()
                }
            }
            channel.bytes.toByteArray() shouldBe expected.toByteArray()
        }

        for (compression in IpcCompression.entries) {
            val options = IpcWriteOptions.defaults().withCompression(compression)

            test("a writer with $compression that is closed without finish leaves no file [FIL-10]") {
                inFolder { folder ->
                    ArrowWriter.file(folder.resolve("a.arrow"), schema, options).use { writer ->
                        batch().use(writer::write)
                        names(folder).size shouldBe 1 // the temporary file
                    }
                    names(folder).shouldBeEmpty()
                }
            }

            test("a writer with $compression fails at any byte of the output, and frees all") {
                val whole = ByteArrayOutputStream()
                ArrowWriter.file(whole, schema, options).use { writer ->
                    batch().use(writer::write)
                    writer.finish()
                }
                for (bytes in 0 until whole.size() step 997) {
                    val output = Failing(bytes)
                    val failed = shouldThrow<IOException> {
                        ArrowWriter.file(output, schema, options).use { writer ->
                            try {
                                batch().use(writer::write)
                                writer.finish()
                            } catch (e: IOException) {
                                shouldThrow<IllegalStateException> { batch().use(writer::write) }
                                shouldThrow<IllegalStateException> { writer.finish() }.message!! shouldContain "failed"
                                throw e
                            }
                        }
                    }
                    failed.message shouldBe "the disk is full"
                }
            }
        }

        val options = IpcWriteOptions.defaults()

        test("an older file remains until finish replaces it [FIL-10]") {
            inFolder { folder ->
                val path = folder.resolve("a.arrow")
                path.writeText("older")
                ArrowWriter.file(path, schema, options).use { writer -> batch().use(writer::write) }
                path.readText() shouldBe "older"
                ArrowWriter.file(path, schema, options).use { writer ->
                    batch().use(writer::write)
                    path.readText() shouldBe "older"
                    writer.finish()
                    ArrowFile.open(path).use { it.rowCount() shouldBe 5 }
                }
                names(folder) shouldContainExactly listOf("a.arrow")
            }
        }

        test("a reader that fails in the middle leaves the older file, and is closed [FIL-10]") {
            inFolder { folder ->
                val path = folder.resolve("a.arrow")
                path.writeText("older")
                var isClosed = false
                val source = object : DeviceArrayReader.Source<RecordBatch> {
                    private var calls = 0

                    override fun next(): RecordBatch =
                        if (calls++ < 2) batch() else throw IOException("the source failed")

                    override fun close() {
                        isClosed = true
                    }
                }
                val thrown = shouldThrow<DeviceException> {
                    ArrowWriter.writeFile(path, RecordBatchReader.of(schema, source))
                }
                thrown.message!! shouldContain "the source failed"
                isClosed shouldBe true
                path.readText() shouldBe "older"
                names(folder) shouldContainExactly listOf("a.arrow")
            }
        }

        test("finish and close do nothing the second time, and write fails after them") {
            inFolder { folder ->
                val path = folder.resolve("a.arrow")
                val writer = ArrowWriter.file(path, schema, options)
                batch().use(writer::write)
                writer.finish()
                val size = Files.size(path)
                writer.finish()
                Files.size(path) shouldBe size
                fun failure() = batch().use { shouldThrow<IllegalStateException> { writer.write(it) } }.message!!
                failure() shouldContain "finished"
                writer.close()
                writer.close()
                failure() shouldContain "closed"
                shouldThrow<IllegalStateException> { writer.finish() }
                ArrowFile.open(path).use { it.rowCount() shouldBe 5 }
            }
        }

        test("a finish that cannot replace the path leaves no temporary file [FIL-10]") {
            inFolder { folder ->
                val path = Files.createDirectory(folder.resolve("a.arrow"))
                Files.createFile(path.resolve("content")) // a folder with content cannot be replaced
                shouldThrow<IOException> {
                    ArrowWriter.file(path, schema, options).use { writer ->
                        batch().use(writer::write)
                        writer.finish()
                    }
                }
                names(folder) shouldContainExactly listOf("a.arrow")
            }
        }

        fun writeAt(path: Path, whileOpen: () -> Unit = {}) = ArrowWriter.file(path, schema, options).use { writer ->
            whileOpen()
            batch().use(writer::write)
            writer.finish()
        }

        for (mode in listOf("rw-------", "r--r-----", "rwxrwxrwx")) {
            test("a replaced file keeps the permissions $mode, as the temporary one has them [FIL-19]") {
                inFolder { folder ->
                    val path = Files.createFile(folder.resolve("a.arrow"))
                    val permissions = PosixFilePermissions.fromString(mode)
                    Files.setPosixFilePermissions(path, permissions)
                    writeAt(path) {
                        folder.listDirectoryEntries().map { Files.getPosixFilePermissions(it) } shouldBe
                            listOf(permissions, permissions)
                    }
                    Files.getPosixFilePermissions(path) shouldBe permissions
                    ArrowFile.open(path).use { it.rowCount() shouldBe 5 }
                }
            }
        }

        test("links lead to the file that is made or replaced, and stay [FIL-19]") {
            inFolder { folder ->
                val target = Files.createDirectory(folder.resolve("below")).resolve("a.arrow")
                val inner = Files.createSymbolicLink(folder.resolve("below/inner"), Path.of("a.arrow"))
                val outer = Files.createSymbolicLink(folder.resolve("outer"), Path.of("below/inner"))
                repeat(2) { // first it does not exist
                    writeAt(outer)
                    ArrowFile.open(target).use { it.rowCount() shouldBe 5 }
                    listOf(inner, outer).all(Files::isSymbolicLink) shouldBe true
                    names(folder.resolve("below")).sorted() shouldContainExactly listOf("a.arrow", "inner")
                }
                val loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"))
                shouldThrow<IOException> { writeAt(loop) }.message!! shouldContain "loop"
            }
        }

        test("a file has a name as long as the file system allows [FIL-19]") {
            inFolder { folder ->
                val path = folder.resolve("n".repeat(255))
                repeat(2) { writeAt(path) }
                names(folder) shouldContainExactly listOf(path.name)
            }
        }

        test("a close without a finish logs the loss, unless it was finished, has failed, or has no batch") {
            inFolder { folder ->
                val path = folder.resolve("a.arrow")
                fun closed(open: () -> ArrowWriter, use: (ArrowWriter) -> Unit): String =
                    logged(LOGGER) { open().use(use) }.joinToString { it.message }
                fun twice(writer: ArrowWriter) = repeat(2) { batch().use(writer::write) }
                val file = { ArrowWriter.file(path, schema, options) }
                closed(file, ::twice) shouldBe "an ArrowWriter was closed without finish(): no file was made at " +
                    "$path, which loses 2 batches; call finish() before close(), or abandon() instead"
                closed({ ArrowWriter.file(ByteArrayOutputStream(), schema, options) }, ::twice) shouldContain
                    "the file has no footer, which loses 2 batches; "
                closed({ ArrowWriter.stream(ByteArrayOutputStream(), schema, options) }, ::twice) shouldContain
                    "the stream of 2 batches has no end mark; "
                closed(file) {} shouldBe ""
                closed(file) { twice(it).also { _ -> it.abandon() } } shouldBe ""
                names(folder) shouldContainExactly listOf()
                fun rejected(writer: ArrowWriter) = batch().use { all ->
                    all.select("int64").use { shouldThrow<IllegalArgumentException> { writer.write(it) } }
                }
                closed(file) { twice(it).also { _ -> rejected(it) } } shouldBe ""
                closed(file) { rejected(it).also { _ -> twice(it) } } shouldContain "loses 2 batches"
                closed(file) { twice(it).also { _ -> it.finish() } } shouldBe ""
                closed({ ArrowWriter.file(Failing(20_000), schema, options) }) { writer ->
                    shouldThrow<IOException> { while (true) twice(writer) }
                } shouldBe ""
                fun failing() = RecordBatchReader.of(
                    schema, Devices.cpu().type(),
                    object : DeviceArrayReader.Source<RecordBatch> {
                        var next = 0

                        override fun next() = if (next++ == 0) batch() else throw IOException("the source fails")

                        override fun close() {}
                    },
                )
                logged(LOGGER) { shouldThrow<Exception> { ArrowWriter.writeFile(path, failing()) } } shouldBe listOf()
                closed(file) { failing().use { reader -> shouldThrow<Exception> { it.writeAll(reader) } } } shouldBe ""
            }
        }

        test("a folder that does not exist is an error of the open") {
            inFolder { folder ->
                shouldThrow<IOException> { ArrowWriter.file(folder.resolve("missing/a.arrow"), schema, options) }
            }
        }

        test("a batch with another schema is rejected, and the writer goes on") {
            val output = ByteArrayOutputStream()
            ArrowWriter.stream(output, schema, options).use { writer ->
                batch().use { all ->
                    all.select("int64").use { shouldThrow<IllegalArgumentException> { writer.write(it) } }
                    writer.write(all)
                }
                writer.finish()
            }
            Inputs.INPUT_STREAM.read(output.toByteArray()) shouldBe 5
        }

        test("an output that fails when the writer opens stays with the caller [FIL-13]") {
            val output = Failing(3)
            shouldThrow<IOException> { ArrowWriter.file(output, schema, options) }
            output.isClosed shouldBe false
        }
    }
}
