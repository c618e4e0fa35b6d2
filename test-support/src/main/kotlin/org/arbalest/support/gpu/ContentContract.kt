// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.check.Batch
import org.arbalest.support.check.Pattern
import org.arbalest.support.check.numbersOf
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.isDirectory

/** More columns than one call of a runtime copies. */
private const val MANY = 1500

/** The bytes of one of [MANY] columns: a smaller column is gathered with others. */
private const val COLUMN = 20_000L

/** The bytes of a buffer: no multiple of a page. */
private const val BYTES = (3L shl 20) + 4104

/** Shared memory of the system; a mapping of it has no file on a disk. */
private val SHARED_MEMORY: Path = Path.of("/dev/shm")

private val rounds = AtomicInteger()

/**
 * The contract of contents, on a simulator and on a driver: all bytes are compared after copies of every kind. The
 * bytes of each copy are new, so that those of an earlier copy in the same memory are detected.
 */
fun contentContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }
    val cpu = Devices.cpu()

    for (isPinned in listOf(true, false)) {
        val kind = if (isPinned) "pinned" else "pageable"
        test("a batch of $MANY columns in $kind memory is whole after a copy to the GPU and back [DEV-34]") {
            val host = if (isPinned) device.hostMemory().get() else cpu.memory()
            device.createStream().use { stream ->
                Batch(MANY, MANY * COLUMN, host).use { batch ->
                    batch.renew()
                    batch.array.copyTo(device, stream).use { it.copyTo(host, stream) }.use { batch.isWholeIn(it) }
                }
            }
        }
    }

    test("batches are whole after copies between two GPUs, both ways, by either GPU's stream [DEV-36]")
        .config(extensions = listOf(backend.twoGpus)) {
            val pair = List(2, backend::gpu)
            for ((columns, bytes) in listOf(1 to (16L shl 20), MANY to MANY * COLUMN)) {
                Batch(columns, bytes, cpu.memory()).use { batch ->
                    for ((from, to) in listOf(pair, pair.reversed())) for (by in pair) by.createStream().use { stream ->
                        withClue("$columns columns from $from to $to by a stream of $by") {
                            batch.renew()
                            batch.array.copyTo(from).use { it.copyTo(to, stream) }.use { there ->
                                there.copyTo(cpu).use { batch.isWholeIn(it) }
                            }
                        }
                    }
                }
            }
        }

    test(
        "memory of another owner, and a mapping of shared memory, are read and written whole while pinned [DEV-30]",
    ).config(extensions = listOf(backend.batchesCopied)) {
        for ((kind, theirs) in listOfNotNull("an arena" to Arena.ofAuto().allocate(BYTES, 4096), sharedMapping())) {
            withClue(kind) {
                val unpinned = CountDownLatch(1)
                device.pin(theirs) { unpinned.countDown() }.use { backAndForth(backend, it, theirs) }
                device.hostMemory().get().trim()
                unpinned.await(5, SECONDS) shouldBe true
            }
        }
    }

    test("a file that is mapped into memory is read and written whole without being pinned") {
        val file = Files.write(Files.createTempFile("arbalest", null), ByteArray(BYTES.toInt()))
        try {
            Arena.ofShared().use { arena ->
                val mapped = FileChannel.open(file, READ, WRITE).use {
                    it.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena)
                }
                val expected = DeviceBuffer.wrap(cpu, mapped.address(), BYTES) {}.use {
                    backAndForth(backend, it, mapped)
                }
                mapped.force()
                Pattern.compare(expected, MemorySegment.ofArray(Files.readAllBytes(file))) { "the file" }
            }
        } finally {
            Files.delete(file)
        }
    }

    test("the nulls of 200,003 rows are counted on the device, for slices that begin at any bit [ARR-22]") {
        val rows = 200_003
        fun isNull(row: Int) = row % 7 == 3 || row % 4096 == 0
        device.createStream().use { stream ->
            BatchBuilder.of(cpu, rows).use { batch ->
                val a = batch.column(Field.of("a", DataType.INT64))
                for (row in 0 until rows) if (isNull(row)) a.appendNull() else a.append(row.toLong())
                batch.build()
            }.use { it.copyTo(device, stream) }.use { it.retainChild(0) }.use { column ->
                for ((from, count) in listOf(0 to rows, 1 to rows - 1, 13 to 100_000, 64 to 4033, rows - 1 to 1)) {
                    column.slice(from.toLong(), count.toLong()).use { it.countNulls(stream) }.use { counted ->
                        withClue("$count rows from row $from") {
                            counted.asColumn().nullCount() shouldBe (from until from + count).count(::isNull).toLong()
                        }
                    }
                }
            }
        }
    }
}

/** Writes new bytes into each page of a batch. */
fun Batch.renew(): Unit = stamp(rounds.incrementAndGet())

/** Waits for a copy of this batch in memory that the CPU reads, and compares all its bytes. */
fun Batch.isWholeIn(copy: RecordBatch) {
    copy.synchronize()
    for (i in 0 until columns) {
        val received = MemorySegment.ofAddress(copy.numbersOf(i)).reinterpret(columnBytes)
        Pattern.compare(segments[i], received) { "column c$i of $columns" }
    }
}

/** Copies new bytes of a buffer to the GPU, and then back over other bytes. Returns the expected bytes. */
private fun backAndForth(backend: GpuBackend, host: DeviceBuffer, memory: MemorySegment): MemorySegment {
    val expected = MemorySegment.ofArray(ByteArray(BYTES.toInt()))
    Pattern.fill(expected, rounds.incrementAndGet())
    backend.gpu(0).createStream().use { stream ->
        stream.device().allocate(BYTES).use { there ->
            memory.copyFrom(expected)
            stream.copy(host, there)
            stream.synchronize()
            there.copyTo(Devices.cpu().memory()).use { Pattern.compare(expected, it.segment()) { "to the GPU" } }
            Pattern.fill(memory, rounds.incrementAndGet())
            stream.copy(there, host)
            stream.synchronize()
            Pattern.compare(expected, memory) { "from the GPU" }
        }
    }
    return expected
}

/** Returns a writable mapping of shared memory, if the system has a folder for it. */
private fun sharedMapping(): Pair<String, MemorySegment>? {
    if (!SHARED_MEMORY.isDirectory()) return null
    val file = Files.createTempFile(SHARED_MEMORY, "arbalest", null)
    try {
        Files.write(file, ByteArray(BYTES.toInt()))
        return "a mapping of $SHARED_MEMORY" to FileChannel.open(file, READ, WRITE).use {
            it.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, Arena.ofAuto())
        }
    } finally {
        Files.delete(file) // the mapping remains
    }
}
