// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import org.arbalest.support.gpu.CudaDouble
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.util.concurrent.CopyOnWriteArrayList

private val COMMENT = Regex("//.*")
private val ENTRY = Regex("""\.visible \.entry (\w+)\(([^)]*)\)\s*\{([^}]*)}""")
private val STATEMENT = Regex("""(\w+):|(?:@(%\w+) )?([\w.]+)\s*([^;]*);""")

/** The memory that a kernel reads and writes. */
internal interface PtxMemory {
    fun load(address: Long): Int

    fun store(address: Long, byte: Int)
}

/** The position of a thread in a launch; a block has one dimension. */
internal class PtxThread(
    val block: Long,
    val blocks: Long,
    val thread: Long,
    val threads: Long,
    val row: Long = 0,
    val rows: Long = 1,
)

internal const val WARP = 32

/**
 * Reads the kernels of a text, for the simulator: an interpreter of the few instructions that the library's kernels
 * have, as the PTX ISA defines them. Any other instruction is an error. Registers of 32 bits are zero-extended.
 */
internal fun ptxKernels(text: String): List<PtxKernel> =
    ENTRY.findAll(text.replace(COMMENT, "")).map { match ->
        val (name, parameters, body) = match.destructured
        PtxKernel(name, parameters.split(',').map { it.trim().substringAfterLast(' ') }, body)
    }.toList()

internal class PtxKernel(val name: String, val parameters: List<String>, body: String) {
    private class Run(val memory: PtxMemory, val thread: PtxThread, val arguments: LongArray, registers: Int) {
        val registers = LongArray(registers)
        var next = 0

        /** The exchange with the other threads of the warp at which this thread waits. */
        var exchange: Exchange? = null
    }

    /** An instruction by which each thread of a warp reads a register of another one. */
    private class Exchange(val to: Int, val from: Int, val lanes: Int)

    private val widths = mutableMapOf<String, Int>()
    private val labels = mutableMapOf<String, Int>()
    private val code: List<Run.() -> Unit>

    init {
        val statements = STATEMENT.findAll(body).toList()
        var at = 0
        for (statement in statements) {
            val (label, _, opcode) = statement.destructured
            if (label.isNotEmpty()) labels[label] = at
            if (label.isEmpty() && opcode != ".reg") at++
        }
        code = statements.mapNotNull { statement ->
            val (label, guard, opcode, operands) = statement.destructured
            when {
                label.isNotEmpty() -> null
                opcode == ".reg" -> null.also { declare(operands) }
                else -> guarded(guard, instruction(opcode, operands.split(',').map { it.trim() }))
            }
        }
    }

    private fun declare(operands: String) {
        val (type, names) = operands.split(' ', limit = 2)
        val width = mapOf(".pred" to 1, ".b32" to 32, ".b64" to 64).getValue(type)
        for (register in names.split(',')) check(widths.put(register.trim(), width) == null) { register }
    }

    private fun guarded(guard: String, action: Run.() -> Unit): Run.() -> Unit {
        if (guard.isEmpty()) return action
        val register = register(guard, 1)
        return { if (registers[register] != 0L) action() }
    }

    /** Returns the number of a register of a [width] in bits. */
    private fun register(name: String, width: Int): Int {
        check(widths[name] == width) { "$name of ${this.name} is not declared with $width bits" }
        return widths.keys.indexOf(name)
    }

    /** Returns the reader of an operand: a register, a special register or a number. */
    private fun value(operand: String, width: Int): Run.() -> Long = when (operand) {
        "%ctaid.y" -> reader { thread.row }
        "%nctaid.y" -> reader { thread.rows }
        "%ctaid.x" -> reader { thread.block }
        "%nctaid.x" -> reader { thread.blocks }
        "%tid.x" -> reader { thread.thread }
        "%ntid.x" -> reader { thread.threads }
        else -> when (val number = operand.toLongOrNull()) {
            null -> register(operand, width).let { reader { registers[it] } }
            else -> reader { number }
        }
    }

    private fun reader(read: Run.() -> Long): Run.() -> Long = read

    private fun action(act: Run.() -> Unit): Run.() -> Unit = act

    private fun Run.set(register: Int, width: Int, value: Long) {
        registers[register] = if (width == 32) value and 0xffffffffL else value
    }

    private fun binary(operands: List<String>, width: Int, result: Int, compute: (Long, Long) -> Long): Run.() -> Unit {
        val to = register(operands[0], result)
        val a = value(operands[1], width)
        val b = value(operands[2], width)
        return { set(to, result, compute(a(), b())) }
    }

    /** Shifts have an amount of 32 bits, and amounts from the width on shift everything out. */
    private fun shift(operands: List<String>, width: Int, compute: (Long, Int) -> Long): Run.() -> Unit {
        val to = register(operands[0], width)
        val a = value(operands[1], width)
        val b = value(operands[2], 32)
        return { set(to, width, b().let { if (it >= width) 0 else compute(a(), it.toInt()) }) }
    }

    private fun convert(operands: List<String>, from: Int, to: Int): Run.() -> Unit {
        val target = register(operands[0], to)
        val source = value(operands[1], from)
        return { set(target, to, source()) }
    }

    private fun address(operand: String): Run.() -> Long {
        val parts = operand.removeSurrounding("[", "]").split('+')
        val base = value(parts[0], 64)
        val offset = if (parts.size == 1) 0 else parts[1].toLong()
        return { base() + offset }
    }

    /** The behavior of an access that is not aligned is undefined (PTX ISA, "Addresses as Operands"). */
    private fun PtxMemory.loadWord(address: Long): Long {
        check(address and 7 == 0L) { "$name reads a word at 0x${address.toString(16)}" }
        return (7 downTo 0).fold(0L) { word, byte -> (word shl 8) or load(address + byte).toLong() }
    }

    private fun PtxMemory.storeWord(address: Long, word: Long) {
        for (byte in 0..7) store(address + byte, (word ushr 8 * byte and 255).toInt())
    }

    private fun instruction(opcode: String, operands: List<String>): Run.() -> Unit = when (opcode) {
        "ld.param.u64" -> {
            val to = register(operands[0], 64)
            val parameter = parameters.indexOf(operands[1].removeSurrounding("[", "]"))
            check(parameter >= 0) { operands[1] }
            action { set(to, 64, arguments[parameter]) }
        }
        "cvta.to.global.u64" -> convert(operands, 64, 64)
        "mov.u32" -> convert(operands, 32, 32)
        "mov.u64" -> convert(operands, 64, 64)
        "cvt.u64.u32" -> convert(operands, 32, 64)
        "cvt.u32.u64" -> convert(operands, 64, 32)
        "cvt.s64.s32" -> {
            val to = register(operands[0], 64)
            val from = value(operands[1], 32)
            action { set(to, 64, from().toInt().toLong()) }
        }
        "popc.b32" -> count(operands, 32)
        "popc.b64" -> count(operands, 64)
        "shfl.sync.bfly.b32" -> {
            check(operands.subList(3, 5) == listOf("31", "-1")) { "$name exchanges in less than a warp" }
            val exchange = Exchange(register(operands[0], 32), register(operands[1], 32), operands[2].toInt())
            action { this.exchange = exchange }
        }
        "red.global.add.u64" -> {
            val at = address(operands[0])
            val from = value(operands[1], 64)
            action { memory.storeWord(at(), memory.loadWord(at()) + from()) }
        }
        "ld.global.u64" -> {
            val to = register(operands[0], 64)
            val at = address(operands[1])
            action { set(to, 64, memory.loadWord(at())) }
        }
        "add.u32" -> binary(operands, 32, 32) { a, b -> a + b }
        "sub.u32" -> binary(operands, 32, 32) { a, b -> a - b }
        "and.b64" -> binary(operands, 64, 64) { a, b -> a and b }
        "and.pred" -> binary(operands, 1, 1) { a, b -> a and b }
        "setp.lt.u32" -> binary(operands, 32, 1) { a, b -> if (a < b) 1 else 0 }
        "setp.ge.u64" ->
            binary(operands, 64, 1) { a, b -> if (java.lang.Long.compareUnsigned(a, b) >= 0) 1 else 0 }
        "add.u64" -> binary(operands, 64, 64) { a, b -> a + b }
        "sub.u64" -> binary(operands, 64, 64) { a, b -> a - b }
        "min.u64" -> binary(operands, 64, 64) { a, b -> if (java.lang.Long.compareUnsigned(a, b) < 0) a else b }
        "and.b32" -> binary(operands, 32, 32) { a, b -> a and b }
        "or.b32" -> binary(operands, 32, 32) { a, b -> a or b }
        "mul.wide.u32" -> binary(operands, 32, 64) { a, b -> a * b }
        "mad.wide.u32" -> {
            val to = register(operands[0], 64)
            val (a, b) = operands.subList(1, 3).map { value(it, 32) }
            val c = value(operands[3], 64)
            action { set(to, 64, a() * b() + c()) }
        }
        "shl.b64" -> shift(operands, 64) { a, b -> a shl b }
        "shr.u64" -> shift(operands, 64) { a, b -> a ushr b }
        "shl.b32" -> shift(operands, 32) { a, b -> a shl b }
        "shr.u32" -> shift(operands, 32) { a, b -> a ushr b }
        "setp.lt.u64" ->
            binary(operands, 64, 1) { a, b -> if (java.lang.Long.compareUnsigned(a, b) < 0) 1 else 0 }
        "setp.ne.u32" -> binary(operands, 32, 1) { a, b -> if (a != b) 1 else 0 }
        "ld.global.u8" -> {
            val to = register(operands[0], 32)
            val at = address(operands[1])
            action { set(to, 32, memory.load(at()).toLong()) }
        }
        "st.global.u8" -> {
            val at = address(operands[0])
            val from = value(operands[1], 32)
            action { memory.store(at(), (from() and 255).toInt()) }
        }
        "bra" -> labels.getValue(operands[0]).let { target -> action { next = target } }
        "ret" -> action { next = code.size }
        else -> error("$name has the instruction $opcode, which the simulator does not know")
    }

    private fun count(operands: List<String>, width: Int): Run.() -> Unit {
        val to = register(operands[0], 32)
        val from = value(operands[1], width)
        return { set(to, 32, from().countOneBits().toLong()) }
    }

    /** Runs one thread. */
    fun run(thread: PtxThread, memory: PtxMemory, vararg arguments: Long): Unit =
        warp(listOf(thread), memory, *arguments)

    /** Continues a thread up to its next exchange, or to its end. */
    private fun advance(run: Run) {
        run.exchange = null
        while (run.next < code.size && run.exchange == null) code[run.next++](run)
    }

    /**
     * Runs the threads of a warp, or of a smaller block. All threads of a warp have to come to an exchange: it waits
     * for those that its mask names, and only they may execute it (PTX ISA, `shfl.sync`).
     */
    fun warp(threads: List<PtxThread>, memory: PtxMemory, vararg arguments: Long) {
        val runs = threads.map { Run(memory, it, arguments, widths.size) }
        while (true) {
            runs.forEach { advance(it) }
            val exchange = runs.first().exchange
            check(runs.all { it.exchange == exchange }) { "only some threads of a warp of $name come to an exchange" }
            if (exchange == null) return
            check(runs.size == WARP) { "$name needs whole warps" }
            val values = runs.map { it.registers[exchange.from] }
            runs.forEachIndexed { lane, run -> run.registers[exchange.to] = values[lane xor exchange.lanes] }
        }
    }

    /** Runs all warps of a launch, one after another. */
    fun launch(blocks: Long, threads: Long, memory: PtxMemory, vararg arguments: Long, rows: Long = 1) {
        for (row in 0 until rows) for (block in 0 until blocks) for (first in 0 until threads step WARP.toLong()) {
            val lanes = first until minOf(first + WARP, threads)
            warp(lanes.map { PtxThread(block, blocks, it, threads, row, rows) }, memory, *arguments)
        }
    }
}

/** The kernels of the backend. */
internal val backendKernels: List<PtxKernel> by lazy {
    ptxKernels(checkNotNull(KernelModule::class.java.getResource(KernelModule.TEXT)).readText())
}

/** The simulator's kernels, which run the backend's PTX. */
internal object KernelsOnDouble : PtxMemory {
    /** The exceptions in kernels, which cannot be thrown to the simulator. */
    private val failures = CopyOnWriteArrayList<Throwable>()

    /** Defines the kernels before each test on the simulator, and fails a test in which a kernel failed. */
    val extension: TestCaseExtension = object : TestCaseExtension {
        override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
            if (onDouble) for (kernel in backendKernels) define(kernel)
            failures.clear()
            val result = execute(testCase)
            val failed = failures.firstOrNull() ?: return result
            return TestResult.Failure(result.duration, AssertionError("a kernel failed", failed))
        }
    }

    private fun define(kernel: PtxKernel) =
        CudaDouble.kernel(kernel.name, stubs.getValue(kernel), kernel.parameters.size)

    private val stubs by lazy {
        val run = MethodType.methodType(Void.TYPE, PtxKernel::class.java, MemorySegment::class.java)
        val handle = MethodHandles.lookup().findStatic(KernelsOnDouble::class.java, "run", run)
        backendKernels.associateWith {
            Linker.nativeLinker().upcallStub(handle.bindTo(it), FunctionDescriptor.ofVoid(ADDRESS), Arena.global())
        }
    }

    /** Runs a kernel with a few threads. The result does not depend on their number. */
    @JvmStatic
    fun run(kernel: PtxKernel, arguments: MemorySegment) {
        try {
            val list = arguments.reinterpret(8L * kernel.parameters.size)
            val values = LongArray(kernel.parameters.size) {
                list.getAtIndex(ADDRESS, it.toLong()).reinterpret(8).get(JAVA_LONG, 0)
            }
            kernel.launch(2, 32, this, *values, rows = 2)
        } catch (e: Throwable) {
            failures += e
        }
    }

    override fun load(address: Long): Int = at(address).get(JAVA_BYTE, 0).toInt() and 255

    override fun store(address: Long, byte: Int): Unit = at(address).set(JAVA_BYTE, 0, byte.toByte())

    private fun at(address: Long): MemorySegment = CudaDouble.at(address, 1).also {
        check(it.address() != 0L) { "a kernel used 0x${address.toString(16)}, which is not allocated" }
    }
}
