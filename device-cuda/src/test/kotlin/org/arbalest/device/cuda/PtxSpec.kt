// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldBeEmpty
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotBeEmpty
import org.arbalest.support.CCompiler
import org.arbalest.testkit.SkipWithout
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files
import kotlin.random.Random

private const val MEBI = 1L shl 20

/** The text of the kernels for booleans, without a GPU. */
class PtxSpec : FunSpec({
    fun kernel(name: String) = backendKernels.single { it.name == name }
    val toBytes by lazy { kernel(KernelModule.TO_BYTES) }
    val toBits by lazy { kernel(KernelModule.TO_BITS) }
    val countOnes by lazy { kernel(KernelModule.COUNT_ONES) }

    /** Memory without content, which notes the addresses. A bit of each byte is set. */
    class Noted : PtxMemory {
        val loaded = mutableListOf<Long>()
        val stored = mutableListOf<Pair<Long, Int>>()

        override fun load(address: Long): Int = 0b0000_1000.also { loaded += address }

        override fun store(address: Long, byte: Int) {
            stored += address to byte
        }
    }

    test("a kernel reaches booleans beyond 32 bits with each number of blocks [REQ-24]") {
        val count = (1L shl 33) + 5
        for (blocks in listOf(65_536L, Int.MAX_VALUE.toLong())) {
            val step = blocks * 256
            val last = (count - 1) / step * step
            val thread = count - 1 - last
            Noted().let { memory ->
                val position = PtxThread(thread / 256, blocks, thread % 256, 256)
                toBytes.run(position, memory, MEBI, 3, count, 1L shl 40)
                memory.stored.last() shouldBe ((1L shl 40) + count - 1 to if ((count + 2) % 8 == 3L) 1 else 0)
                memory.loaded.last() shouldBe MEBI + (count + 2) / 8
                memory.stored.size.toLong() shouldBe count / step + 1
            }
        }
        val bytes = (count + 7) / 8
        Noted().let { memory ->
            val thread = (bytes - 1) % (65_536L * 256)
            toBits.run(PtxThread(thread / 256, 65_536, thread % 256, 256), memory, MEBI, 3, count, 1L shl 40)
            memory.stored.last() shouldBe ((1L shl 40) + bytes - 1 to 0b11111)
            memory.loaded.takeLast(5) shouldContainExactly (0L until 5).map { MEBI + 3 + count - 5 + it }
        }
    }

    test("each boolean is written by exactly one thread, for any number of threads [REQ-24]") {
        for (blocks in 1L..4) for (threads in listOf(1L, 7, 32)) for (count in listOf(1L, 8, 100, 301)) {
            withClue("$blocks blocks of $threads threads, $count booleans") {
                val bytes = Noted().also { toBytes.launch(blocks, threads, it, MEBI, 5, count, 0) }
                bytes.stored.map { it.first }.sorted() shouldContainExactly (0 until count).toList()
                val bits = Noted().also { toBits.launch(blocks, threads, it, MEBI, 5, count, 0) }
                bits.stored.map { it.first }.sorted() shouldContainExactly (0 until (count + 7) / 8).toList()
                bits.loaded.sorted() shouldContainExactly (0 until count).map { MEBI + 5 + it }
            }
        }
    }

    test("a count has the ones of each bitmap, and reads no byte outside of it [ARR-22]") {
        class Bitmaps(val table: ByteBuffer, val bits: ByteArray, val readable: Set<Long>) : PtxMemory {
            override fun load(address: Long): Int {
                if (address >= MEBI) return table.get((address - MEBI).toInt()).toInt() and 255
                check(address in readable) { "byte $address" }
                return bits[address.toInt()].toInt() and 255
            }

            override fun store(address: Long, byte: Int) {
                table.put((address - MEBI).toInt(), byte.toByte())
            }
        }

        val random = Random(59)
        for (grid in 0 until 12) repeat(60) {
            val bits = random.nextBytes(160)
            val rows = List(random.nextInt(1, 6)) {
                val first = random.nextInt(80)
                val from = random.nextInt(16)
                Triple(from, first, random.nextInt(1, if (it == 0) 20 else 8 * (160 - from) - first + 1))
            }
            val table = ByteBuffer.allocate(32 * rows.size).order(ByteOrder.LITTLE_ENDIAN)
            for ((from, first, count) in rows) {
                for (value in listOf(from, first, count, 0)) table.putLong(value.toLong())
            }
            val readable = rows.flatMap { (from, first, count) ->
                (from + first / 8L)..(from + (first + count - 1L) / 8)
            }.toSet()
            withClue("$rows") {
                val memory = Bitmaps(table, bits, readable)
                val (width, threads, height) = listOf(1L + grid % 3, 32L + 32 * (grid / 6), 1L + grid % 4)
                countOnes.launch(width, threads, memory, MEBI, rows.size.toLong(), rows = height)
                for ((row, bitmap) in rows.withIndex()) {
                    val (from, first, count) = bitmap
                    val ones = (first until first + count).count { bits[from + it / 8].toInt() shr it % 8 and 1 == 1 }
                    table.getLong(32 * row + 24) shouldBe ones.toLong()
                }
            }
        }
    }

    test("a count reaches words beyond 32 bits, and the bits behind them [ARR-22]") {
        val count = (1L shl 42) - 3
        val noted = Noted()
        var sum = 0L
        val memory = object : PtxMemory {
            override fun load(address: Long) = when (address) {
                in 0L until 8 -> (MEBI ushr 8 * address.toInt() and 255).toInt()
                in 8L until 16 -> 0
                in 16L until 24 -> (count ushr 8 * (address - 16).toInt() and 255).toInt()
                in 24L until 32 -> (sum ushr 8 * (address - 24).toInt() and 255).toInt()
                else -> noted.load(address)
            }

            override fun store(address: Long, byte: Int) {
                val shift = 8 * (address - 24).toInt()
                sum = sum and (255L shl shift).inv() or (byte.toLong() shl shift)
            }
        }
        val lastWarp = count / 64 / WARP * WARP // a thread has one word
        for (first in listOf(0L, lastWarp)) {
            val threads = List(WARP) { PtxThread(first / 256, Int.MAX_VALUE.toLong(), first % 256 + it, 256) }
            countOnes.warp(threads, memory, 0, 1)
            noted.loaded.max() shouldBe MEBI + count / 8
        }
        sum shouldBe 2L * WARP * 8
    }

    test("a launch has a block for each 256 elements, and at most 65,536") {
        val launches = listOf(1L, 256, 257, 1L shl 24, (1L shl 24) + 1, 1L shl 40, Long.MAX_VALUE)
        launches.map(KernelModule::blocks) shouldContainExactly listOf(1, 1, 2, 65_536, 65_536, 65_536, 65_536)
    }

    test("the interpreter rejects an instruction and a register that it does not know") {
        fun kernels(body: String) =
            ptxKernels(".visible .entry k(\n  .param .u64 p\n)\n{\n.reg .b64 %a;\n$body\nret;\n}")
        kernels("ld.param.u64 %a, [p];").single().name shouldBe "k"
        shouldThrow<IllegalStateException> { kernels("add.f64 %a, %a, %a;") }.message shouldContain "add.f64"
        shouldThrow<IllegalStateException> { kernels("add.u64 %a, %a, %b;") }.message shouldContain "%b"
        shouldThrow<IllegalStateException> { kernels("mov.u32 %a, 1;") }.message shouldContain "32 bits"
    }
})

/** The text of the kernels, assembled by NVIDIA's assembler for each kind of GPU that it knows. */
class PtxasSpec : FunSpec({
    val ptxas = CCompiler.find("ptxas", System.getenv("PATH").orEmpty())
    extension(SkipWithout {
        (ptxas as? CCompiler.Missing)?.let { "ptxas is not on the PATH; install NVIDIA's CUDA toolkit" }
    })

    /** Returns what the assembler prints about a text. */
    fun assemble(text: String, vararg options: String): String {
        val folder = Files.createTempDirectory("arbalest-ptx")
        try {
            val file = Files.writeString(folder.resolve("kernels.ptx"), text)
            val command = listOf("${(ptxas as CCompiler.Found).path}", *options, "-o", "$folder/out", "$file")
            val process = ProcessBuilder(command).redirectErrorStream(true).start()
            val words = process.inputReader().readText()
            return if (process.waitFor() == 0) words else "failed: $words"
        } finally {
            folder.toFile().deleteRecursively()
        }
    }

    test("ptxas assembles the kernels without a warning, and rejects a wrong instruction") {
        val text = checkNotNull(KernelModule::class.java.getResource(KernelModule.TEXT)).readText()
        val list = ProcessBuilder("${(ptxas as CCompiler.Found).path}", "--help").start().inputReader().readText()
        val known = Regex("""'(sm_(\d+))'""").findAll(list).filter { it.groupValues[2].toInt() >= 50 }
            .map { it.groupValues[1] }.distinct().toList() // the text needs sm_50
        known.joinToString().shouldNotBeEmpty()
        for (gpu in known) withClue(gpu) { assemble(text, "-arch=$gpu", "-Werror").shouldBeEmpty() }
        assemble(text.replace("st.global.u8 [%at], %bits", "st.global.u8 [%at], %none"), "-arch=${known.first()}")
            .shouldNotBeNull() shouldContain "failed"
    }
})
