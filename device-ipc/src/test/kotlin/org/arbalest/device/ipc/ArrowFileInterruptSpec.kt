// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.writeBytes

/** An interrupted thread does not close a file for the other threads. */
class ArrowFileInterruptSpec : FunSpec({
    extension(ResourceCountersExtension)

    val options = IpcReadOptions.defaults()

    fun expected(from: Int): List<Any?> = EveryType.batch(from, 5).use(EveryType::rows)

    fun rows(batch: RecordBatch) = batch.use(EveryType::rows)

    fun atPath(action: (Path) -> Unit) {
        val path = Files.createTempFile("arbalest", ".arrow")
        try {
            path.writeBytes(Subjects.everyType(IpcCompression.NONE).single { it.inputs == Inputs.files }.bytes)
            action(path)
        } finally {
            Thread.interrupted()
            Files.delete(path)
        }
    }

    val ways = mapOf<String, (Path, MemoryManager) -> ArrowFile>(
        "a path with a memory" to { path, memory -> ArrowFile.open(path, options.withMemory(memory)) },
        "a channel" to { path, memory -> ArrowFile.open(FileChannel.open(path), options.withMemory(memory)) },
        "a map" to { path, _ -> ArrowFile.open(path) },
    )

    for ((name, open) in ways) {
        test("an interrupted thread reads a file of $name, and stays interrupted [FIL-18]") {
            atPath { path ->
                open(path, Devices.cpu().memory()).use { file ->
                    Thread.currentThread().interrupt()
                    rows(file.batch(0)) shouldContainExactly expected(0)
                    file.rowCount() shouldBe 10
                    file.reader().use { rows(it.next()!!) shouldContainExactly expected(0) }
                    Thread.interrupted() shouldBe true
                    rows(file.batch(1)) shouldContainExactly expected(2)
                }
            }
        }

        test("an interrupt during a read of a file of $name leaves it open for the others [FIL-18]") {
            Arena.ofShared().use { arena ->
                val interrupting = MemoryManager.of(Devices.cpu(), object : MemoryAllocator {
                    override fun isCpuAccessible() = true

                    override fun allocate(bytes: Long, alignment: Long): Long {
                        Thread.currentThread().interrupt()
                        return arena.allocate(bytes, alignment).address()
                    }

                    override fun free(address: Long, bytes: Long) {}
                })
                atPath { path ->
                    open(path, interrupting).use { file ->
                        rows(file.batch(0)) shouldContainExactly expected(0)
                        rows(file.batch(1)) shouldContainExactly expected(2)
                    }
                }
            }
        }
    }

    test("an interrupted thread opens a file by its channel, which stays open [FIL-18]") {
        atPath { path ->
            val channel = FileChannel.open(path)
            Thread.currentThread().interrupt()
            ArrowFile.open(channel, options).use { file ->
                channel.isOpen shouldBe true
                rows(file.batch(0)) shouldContainExactly expected(0)
            }
            channel.isOpen shouldBe false
        }
    }
})
