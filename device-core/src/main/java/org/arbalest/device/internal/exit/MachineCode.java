// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The functions of {@link ExitPages}, in the instructions of one processor, for the calling convention of Unix. The
 * assembler code stands beside the bytes.
 */
enum MachineCode {
  X86_64 {
    @Override
    byte[] jump(int toCell) {
      return bytes(
          0xf3, 0x0f, 0x1e, 0xfa, // endbr64
          0xff, 0x25, word(toCell - 10)); // jmp *(toCell - 10)(%rip)
    }

    @Override
    byte[] answer(int value) {
      return bytes(
          0xf3, 0x0f, 0x1e, 0xfa, // endbr64
          0xb8, word(value), // mov $value, %eax
          0xc3); // ret
    }

    @Override
    byte[] clear(int offset) {
      return bytes(
          0xf3, 0x0f, 0x1e, 0xfa, // endbr64
          0x48, 0xc7, 0x47, offset, word(0), // movq $0, offset(%rdi)
          0xc3); // ret
    }

    @Override
    byte[] atExit() {
      return bytes(
          0xf3, 0x0f, 0x1e, 0xfa, // endbr64
          0x53, // push %rbx
          0x48, 0x89, 0xfb, // mov %rdi, %rbx
          0x48, 0x8b, 0x3b, // mov VM(%rbx), %rdi
          0x48, 0x8d, 0x73, ENV, // lea ENV(%rbx), %rsi
          0xba, word(JNI_VERSION), // mov $JNI_VERSION, %edx
          0xff, 0x53, GET_ENV, // call *GET_ENV(%rbx)
          0x83, 0xf8, 0xfe, // cmp $JNI_EDETACHED, %eax
          0x75, 0x1a, // jne 2f
          0x48, 0x8b, 0x4b, COUNT, // mov COUNT(%rbx), %rcx
          0x48, 0x8d, 0x73, PAIRS, // lea PAIRS(%rbx), %rsi
          0x48, 0x8b, 0x3e, // 1: mov (%rsi), %rdi
          0x48, 0x8b, 0x46, 0x08, // mov 8(%rsi), %rax
          0x48, 0x89, 0x07, // mov %rax, (%rdi)
          0x48, 0x83, 0xc6, 0x10, // add $16, %rsi
          0xff, 0xc9, // dec %ecx
          0x75, 0xee, // jnz 1b
          0x5b, // 2: pop %rbx
          0xc3); // ret
    }
  },

  AARCH64 {
    @Override
    byte[] jump(int toCell) {
      return bytes(
          word(BTI),
          word(0x58000010 | ((toCell - 4) / 4) << 5), // ldr x16, toCell - 4
          word(0xd61f0200)); // br x16
    }

    @Override
    byte[] answer(int value) {
      return bytes(
          word(BTI),
          word(0x52800000 | value << 5), // mov w0, #value
          word(RET));
    }

    @Override
    byte[] clear(int offset) {
      return bytes(
          word(BTI),
          word(0xf900001f | (offset / 8) << 10), // str xzr, [x0, #offset]
          word(RET));
    }

    @Override
    byte[] atExit() {
      return bytes(
          word(BTI),
          word(0xa9be7bfd), // stp x29, x30, [sp, #-32]!
          word(0x910003fd), // mov x29, sp
          word(0xf9000bf3), // str x19, [sp, #16]
          word(0xaa0003f3), // mov x19, x0
          word(0xf9400260), // ldr x0, [x19, #VM]
          word(0x91000261 | ENV << 10), // add x1, x19, #ENV
          word(0x52800002 | (JNI_VERSION & 0xffff) << 5), // mov w2, #(JNI_VERSION & 0xffff)
          word(0x72a00002 | (JNI_VERSION >>> 16) << 5), // movk w2, #(JNI_VERSION >> 16), lsl #16
          word(0xf9400263 | (GET_ENV / 8) << 10), // ldr x3, [x19, #GET_ENV]
          word(0xd63f0060), // blr x3
          word(0x3100081f), // cmn w0, #-JNI_EDETACHED
          word(0x54000101), // b.ne 2f
          word(0x91000261 | COUNT << 10), // add x1, x19, #COUNT
          word(0xc8dffc21), // ldar x1, [x1]
          word(0x91000262 | PAIRS << 10), // add x2, x19, #PAIRS
          word(0xa8c11043), // 1: ldp x3, x4, [x2], #16
          word(0xf9000064), // str x4, [x3]
          word(0xf1000421), // subs x1, x1, #1
          word(0x54ffffa1), // b.ne 1b
          word(0xf9400bf3), // 2: ldr x19, [sp, #16]
          word(0xa8c27bfd), // ldp x29, x30, [sp], #32
          word(RET));
    }
  };

  /** Offsets in the data that {@link #atExit} receives: the JavaVM, a word for a JNIEnv, the address of GetEnv. */
  static final int VM = 0;

  static final int ENV = 8;
  static final int GET_ENV = 16;

  /**
   * The number of pairs that follow, at least one. A pair is an address and the word that the handler writes there. The
   * handler reads the number before the pairs (an acquiring load), because another thread may be adding one.
   */
  static final int COUNT = 24;

  static final int PAIRS = 32;

  static final int JNI_VERSION = 0x00010008;

  private static final int BTI = 0xd503245f; // bti c
  private static final int RET = 0xd65f03c0;

  /**
   * Returns a function that jumps to the address in a cell. The cell lies {@code toCell} bytes after the start of the
   * function.
   */
  abstract byte[] jump(int toCell);

  /** Returns a function that returns a number from 0 to 65535, or NULL. */
  abstract byte[] answer(int value);

  /** Returns a function that takes a struct's address and clears the word at an offset below 128. */
  abstract byte[] clear(int offset);

  /**
   * Returns a function that takes the address of the guard's data and writes the pairs. It writes nothing if the thread
   * is attached to the JVM, because the JVM is then alive.
   */
  abstract byte[] atExit();

  /** Returns the code for this process's processor; null if the processor is unsupported. */
  static @Nullable MachineCode ours() {
    return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> X86_64;
      case "aarch64", "arm64" -> AARCH64;
      default -> null;
    };
  }

  /** Returns four bytes in a sequence of bytes: a {@code Long}, where a single byte is an {@code Integer}. */
  private static Long word(int value) {
    return (long) value;
  }

  private static byte[] bytes(Object... parts) {
    byte[] code = new byte[4 * parts.length];
    int length = 0;
    for (Object part : parts) {
      if (part instanceof Long word) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) code[length++] = (byte) (word >> shift);
      } else {
        code[length++] = (byte) (int) part;
      }
    }
    return Arrays.copyOf(code, length);
  }
}
