// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import org.arbalest.device.c.ArrowArrayStruct
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout.PathElement.groupElement
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle

/**
 * Threads that the JVM did not start, created without a C compiler. Native consumers call `release` on such threads.
 */
internal object NativeThread {
    private val linker = Linker.nativeLinker()
    private val create: MethodHandle? =
        posix("pthread_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS))
    private val join: MethodHandle? = posix("pthread_join", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, ADDRESS))
    private val releaseCallback = ArrowArrayStruct.LAYOUT.byteOffset(groupElement("release"))

    private fun posix(name: String, type: FunctionDescriptor): MethodHandle? =
        linker.defaultLookup().find(name).map { linker.downcallHandle(it, type) }.orElse(null)

    /**
     * Calls the `release` of the array, or device array, at [struct] on a new thread. Blocks until the thread ends, and
     * returns whether the array is released.
     *
     * On a system without POSIX threads a Java thread calls it.
     */
    fun release(struct: MemorySegment): Boolean {
        val release = struct.get(ADDRESS, releaseCallback)
        if (create == null || join == null) {
            val call = linker.downcallHandle(release, FunctionDescriptor.ofVoid(ADDRESS))
            Thread.ofPlatform().start { call.invokeWithArguments(struct) }.join()
        } else {
            Arena.ofConfined().use { arena ->
                val thread = arena.allocate(JAVA_LONG)
                // A thread's routine returns void*, but release returns nothing: pthread_join discards the result.
                check(create.invokeWithArguments(thread, MemorySegment.NULL, release, struct) == 0) {
                    "pthread_create failed"
                }
                check(join.invokeWithArguments(thread.get(JAVA_LONG, 0), MemorySegment.NULL) == 0) {
                    "pthread_join failed"
                }
            }
        }
        return struct.get(ADDRESS, releaseCallback) == MemorySegment.NULL
    }
}
