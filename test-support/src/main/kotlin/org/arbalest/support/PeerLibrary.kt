// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.lang.invoke.MethodHandle

val I32: MemoryLayout = ValueLayout.JAVA_INT
val I64: MemoryLayout = ValueLayout.JAVA_LONG
val PTR: MemoryLayout = ValueLayout.ADDRESS

/**
 * The compiled C peer, whose contract is `peer/peer.h`, `checks/checks.h` and `async/async.h`; compiled at first use.
 */
object PeerLibrary {
    val library: NativeLibrary by lazy {
        NativeLibrary.compile(
            "peer/peer.h", "peer/tracker.h", "peer/moves.h", "checks/checks.h", "checks/checksum.h",
            "async/async.h", "async/metadata.h", "async/consumer.h", "async/reader.h", "async/producer.h",
            "async/source.h", "peer/tracker.c", "peer/nodes.c", "peer/streams.c", "peer/moves.c", "peer/threads.c",
            "checks/layout.c", "checks/checksum.c", "checks/drain.c", "async/metadata.c", "async/consumer.c",
            "async/reader.c", "async/handler.c", "async/producer.c", "async/source.c", "async/driver.c",
        )
    }

    /**
     * Returns a function of the peer. It is not a critical call, because most functions call back into Java. The first
     * call compiles the library, so a spec that names a peer and is then skipped needs no compiler.
     */
    fun function(name: String, result: MemoryLayout?, vararg parameters: MemoryLayout): Lazy<MethodHandle> = lazy {
        val type = if (result == null) FunctionDescriptor.ofVoid(*parameters)
        else FunctionDescriptor.of(result, *parameters)
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type)
    }
}

/** The memory of one call's arguments; [MemorySegment.NULL] stands for null. */
class Arguments(private val arena: Arena) {
    fun text(value: String?): MemorySegment = if (value == null) MemorySegment.NULL else arena.allocateFrom(value)

    fun bytes(value: ByteArray?): MemorySegment =
        if (value == null) MemorySegment.NULL else arena.allocateFrom(ValueLayout.JAVA_BYTE, *value)

    fun longs(count: Int): MemorySegment = arena.allocate(ValueLayout.JAVA_LONG, count.toLong())

    fun block(bytes: Long): MemorySegment = arena.allocate(bytes)
}

inline fun <T> withArguments(call: Arguments.() -> T): T = Arena.ofConfined().use { Arguments(it).call() }

fun MemorySegment.textAt(): String = reinterpret(Long.MAX_VALUE).getString(0)
