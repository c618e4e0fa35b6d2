// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.support.Emulator
import org.arbalest.testkit.SkipWithout
import java.io.File
import java.nio.file.Files
import java.nio.file.Path

private const val FROM_JUMP_TO_CELL = 65536 + 1024 - 176

/**
 * Tests of the exit guard's machine code. Its bytes must be those that the assembler produces from the comments beside
 * them. The code must also work when it runs: on this machine or in an emulator.
 */
class MachineCodeSpec : FunSpec({
    fun program(name: String): Path? =
        System.getenv("PATH").orEmpty().split(File.pathSeparator).map { Path.of(it, name) }
            .firstOrNull(Files::isExecutable)

    fun run(folder: Path, command: List<String>): String {
        val process = ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start()
        val words = process.inputReader().readText()
        withClue("${command.joinToString(" ")}\n$words") { process.waitFor() shouldBe 0 }
        return words
    }

    fun code(machine: MachineCode): ByteArray =
        machine.atExit().copyOf(128) +
            listOf(machine.answer(125), machine.clear(24), machine.clear(64), machine.jump(FROM_JUMP_TO_CELL))
                .map { it.copyOf(16) }.reduce(ByteArray::plus)

    for (machine in MachineCode.entries) {
        val isOurs = machine == MachineCode.ours()
        val name = machine.name.lowercase()
        val prefix = if (isOurs) "" else "${name.replace('_', '-')}-linux-gnu-"
        val emulator = if (isOurs) null else "qemu-$name"
        val missing = listOfNotNull("${prefix}gcc", "${prefix}objcopy", emulator).filter { program(it) == null }
        val needed = SkipWithout {
            "not on the PATH: $missing".takeIf { missing.isNotEmpty() && System.getenv("CI") != "true" }
        }

        test("the machine code for $machine equals the assembler's output [OWN-17]")
            .config(extensions = listOf(needed)) {
                val folder = tempdir().toPath()
                Files.writeString(folder.resolve("code.s"), source(machine))
                run(folder, listOf("${prefix}gcc", "-c", "code.s", "-o", "code.o"))
                run(folder, listOf("${prefix}objcopy", "-O", "binary", "-j", ".text", "code.o", "code.bin"))
                code(machine).asList() shouldContainExactly Files.readAllBytes(folder.resolve("code.bin")).asList()
            }

        test("the machine code for $machine works when it runs [OWN-17]").config(extensions = listOf(needed)) {
            val folder = tempdir().toPath()
            val resource =
                checkNotNull(SkipWithout::class.java.getResource("/org/arbalest/support/c/checks/machine_code.c"))
            Files.writeString(folder.resolve("machine_code.c"), resource.readText())
            Files.write(folder.resolve("code.bin"), code(machine))
            val flags = listOf("-static", "-O2", "-Wall", "-Werror")
            run(folder, listOf("${prefix}gcc") + flags + listOf("machine_code.c", "-o", "program"))
            val program = folder.resolve("program")
            val arguments = listOf("$program", "code.bin")
            run(folder, emulator?.let { listOf(it) + arguments } ?: Emulator.command(arguments)) shouldBe "ok\n"
        }
    }
})

private fun source(machine: MachineCode): String = if (machine == MachineCode.X86_64) {
    """
    endbr64
    push %rbx
    mov %rdi, %rbx
    mov (%rbx), %rdi
    lea 8(%rbx), %rsi
    mov ${'$'}0x10008, %edx
    call *16(%rbx)
    cmp ${'$'}-2, %eax
    jne 2f
    mov 24(%rbx), %rcx
    lea 32(%rbx), %rsi
    1: mov (%rsi), %rdi
    mov 8(%rsi), %rax
    mov %rax, (%rdi)
    add ${'$'}16, %rsi
    dec %ecx
    jnz 1b
    2: pop %rbx
    ret
    .balign 128, 0
    endbr64
    mov ${'$'}125, %eax
    ret
    .balign 16, 0
    endbr64
    movq ${'$'}0, 24(%rdi)
    ret
    .balign 16, 0
    endbr64
    movq ${'$'}0, 64(%rdi)
    ret
    .balign 16, 0
    3: endbr64
    jmp *(3b + $FROM_JUMP_TO_CELL)(%rip)
    .balign 16, 0
    """
} else {
    """
    .arch armv8.5-a
    bti c
    stp x29, x30, [sp, #-32]!
    mov x29, sp
    str x19, [sp, #16]
    mov x19, x0
    ldr x0, [x19]
    add x1, x19, #8
    mov w2, #8
    movk w2, #1, lsl #16
    ldr x3, [x19, #16]
    blr x3
    cmn w0, #2
    b.ne 2f
    add x1, x19, #24
    ldar x1, [x1]
    add x2, x19, #32
    1: ldp x3, x4, [x2], #16
    str x4, [x3]
    subs x1, x1, #1
    b.ne 1b
    2: ldr x19, [sp, #16]
    ldp x29, x30, [sp], #32
    ret
    .balignl 128, 0
    bti c
    mov w0, #125
    ret
    .balignl 16, 0
    bti c
    str xzr, [x0, #24]
    ret
    .balignl 16, 0
    bti c
    str xzr, [x0, #64]
    ret
    .balignl 16, 0
    3: bti c
    ldr x16, 3b + $FROM_JUMP_TO_CELL
    br x16
    .balignl 16, 0
    """
}.trimIndent() + "\n"
