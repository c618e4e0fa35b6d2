// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import java.lang.foreign.AddressLayout
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout
import java.lang.invoke.MethodHandle

internal val PTR: AddressLayout = ValueLayout.ADDRESS
internal val I32: ValueLayout.OfInt = ValueLayout.JAVA_INT
internal val I64: ValueLayout.OfLong = ValueLayout.JAVA_LONG
internal val F64: ValueLayout.OfDouble = ValueLayout.JAVA_DOUBLE

/** A native function, called by `invokeWithArguments`, since tests do not need a fast call. */
internal class Function(private val handle: MethodHandle) {
    operator fun invoke(vararg arguments: Any): Any? = handle.invokeWithArguments(*arguments)
}

/** Returns the function [name], which returns [result], or nothing if [result] is null. */
internal fun SymbolLookup.function(name: String, result: MemoryLayout?, vararg arguments: MemoryLayout): Function {
    val descriptor = if (result == null) FunctionDescriptor.ofVoid(*arguments)
    else FunctionDescriptor.of(result, *arguments)
    return Function(Linker.nativeLinker()
        .downcallHandle(find(name).orElseThrow { NoSuchElementException("the library has no function $name") },
            descriptor))
}

/** Runs [call] with a buffer for an error message, and throws an exception with that message if [call] returns null. */
internal fun <T : Any> orWords(
    size: Long = 4096,
    call: Arena.(MemorySegment) -> T?,
): T = Arena.ofConfined().use { arena ->
    val text = arena.allocate(size)
    arena.call(text) ?: throw EngineException(text.getString(0))
}

/** Returns the C string at an address, or null. */
internal fun MemorySegment.text(): String? = if (address() == 0L) null else reinterpret(Long.MAX_VALUE).getString(0)

/** Thrown if an engine rejects a call or fails; the message is the engine's own. */
internal class EngineException(words: String) : Exception(words)
