// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.MemoryManager
import org.arbalest.device.ipc.IpcCompression
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.reflect.InvocationTargetException
import java.net.URLClassLoader

/** The codecs as an application sees them that has no aircompressor. */
private class Alone : URLClassLoader(
    listOf(Codec::class, MemoryManager::class).map { it.java.protectionDomain.codeSource.location }.toTypedArray(),
    ClassLoader.getPlatformClassLoader()
) {
    private val codec = loadClass(Codec::class.java.name)
    private val compression = loadClass(IpcCompression::class.java.name)

    fun of(name: String): Any =
        called {
            val constant = compression.enumConstants.first { it.toString() == name }
            codec.getMethod("of", compression, Int::class.java).invoke(null, constant, 0)
        }

    fun compress(receiver: Any, source: MemorySegment, target: MemorySegment): Any? = called {
        codec.getMethod("compress", MemorySegment::class.java, MemorySegment::class.java)
            .invoke(receiver, source, target)
    }

    fun decompress(receiver: Any, source: MemorySegment, target: MemorySegment): Any? = called {
        val memory = loadClass(MemoryManager::class.java.name)
        codec.getMethod("decompress", MemorySegment::class.java, MemorySegment::class.java, memory)
            .invoke(receiver, source, target, null)
    }

    private fun <T> called(block: () -> T): T =
        try {
            block()
        } catch (e: InvocationTargetException) {
            throw e.targetException
        }
}

class CodecDependencySpec : FunSpec({
    test("LZ4 is read without aircompressor, and written only with it") {
        val bytes = repeating(1000, 9)
        val frame = Codec.of(IpcCompression.LZ4_FRAME, 0).compressed(bytes)
        Alone().use { alone ->
            Arena.ofConfined().use { arena ->
                val codec = alone.of("LZ4_FRAME")
                val target = arena.allocate(1000)
                alone.decompress(codec, arena.copyOf(frame), target)
                target.toArray(JAVA_BYTE) shouldBe bytes
                shouldThrow<IllegalStateException> { alone.compress(codec, target, arena.allocate(2000)) }
                    .message shouldContain "io.airlift:aircompressor-v3 is missing"
            }
        }
    }

    test("Zstandard without aircompressor is an error that names it") {
        Alone().use { alone ->
            shouldThrow<IllegalStateException> { alone.of("ZSTD") }
                .message shouldContain "io.airlift:aircompressor-v3 is missing"
        }
    }

    test("a compression without a codec or without levels is an error") {
        shouldThrow<IllegalArgumentException> { Codec.of(IpcCompression.NONE, 0) }
        shouldThrow<IllegalArgumentException> { Codec.of(IpcCompression.LZ4_FRAME, 3) }
    }
})
