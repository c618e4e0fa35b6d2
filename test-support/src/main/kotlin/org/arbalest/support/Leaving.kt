// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.device.ProcessExit
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.JAVA_INT

/** The ways in which a process ends. */
enum class Leaving(
    /** The expected exit code. */
    val code: Int,
) {
    SYSTEM_EXIT(3),
    HALT(4),
    SIGTERM(143),

    /** A return from `main`. */
    RETURN(0),
    PROCESS_EXIT(5),
    ;

    /** Ends the process. Returns for [RETURN] only. */
    fun leave() {
        when (this) {
            SYSTEM_EXIT -> Runtime.getRuntime().exit(code)
            HALT -> Runtime.getRuntime().halt(code)
            SIGTERM -> {
                val raise = Linker.nativeLinker().defaultLookup().findOrThrow("raise")
                Linker.nativeLinker().downcallHandle(raise, FunctionDescriptor.of(JAVA_INT, JAVA_INT))
                    .invokeWithArguments(code - 128)
                Thread.currentThread().join()
            }
            RETURN -> return
            PROCESS_EXIT -> ProcessExit.exit(code)
        }
    }
}
