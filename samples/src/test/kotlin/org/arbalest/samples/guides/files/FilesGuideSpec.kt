// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.files

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.ArrowStream
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcException
import org.arbalest.device.types.Metadata
import org.arbalest.ipc.coroutines.arrowFileFlow
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.File
import java.net.InetAddress
import java.net.ServerSocket
import java.nio.file.Path
import kotlin.io.path.readBytes

/** The code of the guide to files. */
class FilesGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    val page = File("../docs/guides/files.md").readText()
    val folder = tempdir().toPath()

    fun trades(vararg prices: Double): RecordBatch = Devices.cpu().batch(prices.size) {
        int64("id") { it + 1L }
        float64("price", prices)
        utf8("symbol") { "s$it" }
    }

    fun stream(): RecordBatchReader = listOf(trades(1.0, 2.5), trades(4.0)).let { batches ->
        RecordBatchReader.of(batches.first().schema(), batches)
    }

    fun write(name: String): Path = folder.resolve(name).also { ArrowWriter.writeFile(it, stream()) }

    suspend fun prices(path: Path): List<List<Any?>> = arrowFileFlow(path).map { it["price"].toList() }.toList()

    test("the programs print the text in the comments after their println") {
        val comments = Regex("""println\(.*\);?(?: })? // (.*)""").findAll(page).map { it.groupValues[1] }.toList()
        comments shouldHaveSize 5
        printed {
            runBlocking { main() }
            TradesFile.main(arrayOf())
        }.trim().lines() shouldBe comments
    }

    test("chosen columns and rows of a file go to a compressed file") {
        val from = write("all.arrow")
        val java = folder.resolve("java.arrow").also { FilesGuideJava.expensive(from, it) }
        val kotlin = folder.resolve("kotlin.arrow").also { expensive(from, it) shouldBe 2 }
        for (file in listOf(java, kotlin)) {
            prices(file) shouldBe listOf(listOf(2.5), listOf(4.0))
            ArrowFile.open(file).use { it.schema().names shouldBe listOf("symbol", "price") }
        }
    }

    test("a stream goes through a socket, from Java to Kotlin and back") {
        val host = InetAddress.getLoopbackAddress()
        ServerSocket(0, 1, host).use { server ->
            coroutineScope {
                val java = async(Dispatchers.IO) { FilesGuideJava.send(server, stream()) }
                receive(host.hostAddress, server.localPort).map { it["price"].toList() }.toList() shouldBe
                    listOf(listOf(1.0, 2.5), listOf(4.0))
                java.await()
                val kotlin = async(Dispatchers.IO) { send(server, stream().asFlow()) }
                val received = mutableListOf<List<Any?>>()
                FilesGuideJava.receive(host.hostAddress, server.localPort)
                    .use { reader -> reader.forEach { received += it["price"].toList() } }
                received shouldBe listOf(listOf(1.0, 2.5), listOf(4.0))
                kotlin.await() shouldBe 3
            }
        }
    }

    test("a footer and a message have metadata") {
        for ((name, write) in listOf("k" to ::annotate, "j" to FilesGuideJava::annotate)) {
            val path = folder.resolve("annotated-$name.arrow")
            trades(1.0).use { write(it, path) }
            ArrowFile.open(path).use {
                it.metadata() shouldBe Metadata.of("created by", "my program")
                it.metadata(0) shouldBe Metadata.of("day", "2001-06-30")
            }
        }
    }

    test("batches are copied to a device ahead of their use") {
        val path = write("device.arrow")
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        for (ahead in listOf(::ahead, FilesGuideJava::ahead)) {
            device.createStream().use { stream ->
                val lengths = mutableListOf<Long>()
                ahead(path, device, stream).use { reader ->
                    reader.forEach {
                        it.device() shouldBe device
                        lengths += it.length()
                    }
                }
                lengths shouldBe listOf(2L, 1L)
            }
        }
        eventually("all resources are released") { Held.now().isZero }
    }

    test("the page has the error of a file that is read as a stream") {
        val bytes = write("file.arrow").readBytes()
        val error = shouldThrow<IpcException> { ArrowStream.read(bytes.inputStream()) }
        page shouldContain "\nIpcException: ${error.message}\n"
    }

    test("the page names the dependency of compressed data in the version that is tested") {
        val version = Regex("<aircompressor.version>(.*)<").find(File("../pom.xml").readText())!!.groupValues[1]
        page shouldContain "io.airlift:aircompressor-v3:$version"
    }
})
