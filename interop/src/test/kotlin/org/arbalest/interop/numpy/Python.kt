// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.numpy

import org.arbalest.interop.I32
import org.arbalest.interop.PTR
import org.arbalest.interop.function
import org.arbalest.interop.text
import java.lang.foreign.Arena
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup

/**
 * Python in this process, of which there can be one: its C interface, by FFM. Every function may be called on any
 * thread.
 */
internal class Python(
    /** The library's path or name. */
    library: String,
    /** Where its own modules are; null if it knows. */
    home: String?,
    /** Where other modules are. */
    path: String?,
    /** What modules are linked with, and would not find. */
    preload: List<String>,
) {
    private val libc = Linker.nativeLinker().defaultLookup()
    private val names = HashMap<String, MemorySegment>()
    private val symbols: SymbolLookup

    init {
        val dlopen = libc.function("dlopen", PTR, PTR, I32)
        for (name in preload + library) { // RTLD_NOW and RTLD_GLOBAL: modules take Python's functions from the process
            check((dlopen(text(name), 0x102) as MemorySegment).address() != 0L) {
                "dlopen of $name failed: ${(libc.function("dlerror", PTR)() as MemorySegment).text()}"
            }
        }
        for ((variable, value) in listOf("PYTHONHOME" to home, "PYTHONPATH" to path)) {
            if (value == null) libc.function("unsetenv", I32, PTR)(text(variable))
            else libc.function("setenv", I32, PTR, PTR, I32)(text(variable), text(value), 1)
        }
        symbols = SymbolLookup.libraryLookup(library, Arena.global())
        symbols.function("Py_InitializeEx", null, I32)(0)
        symbols.function("PyEval_SaveThread", PTR)() // this thread does not keep the others out
    }

    private val ensure = symbols.function("PyGILState_Ensure", I32)
    private val release = symbols.function("PyGILState_Release", null, I32)
    private val runSimpleString = symbols.function("PyRun_SimpleString", I32, PTR)
    private val addModule = symbols.function("PyImport_AddModule", PTR, PTR)
    private val getAttribute = symbols.function("PyObject_GetAttrString", PTR, PTR, PTR)
    private val setAttribute = symbols.function("PyObject_SetAttrString", I32, PTR, PTR, PTR)
    private val decRef = symbols.function("Py_DecRef", null, PTR)
    private val newCapsule = symbols.function("PyCapsule_New", PTR, PTR, PTR, PTR)
    private val capsulePointer = symbols.function("PyCapsule_GetPointer", PTR, PTR, PTR)
    private val setCapsuleName = symbols.function("PyCapsule_SetName", I32, PTR, PTR)
    private val isCapsule = symbols.function("PyCapsule_IsValid", I32, PTR, PTR)
    private val asText = symbols.function("PyUnicode_AsUTF8", PTR, PTR)

    /** A text of C's, for good: a capsule keeps the pointer to its name. */
    private fun text(value: String) = synchronized(names) {
        names.getOrPut(value) { Arena.global().allocateFrom(value) }
    }

    private fun <T> locked(call: () -> T): T {
        val state = ensure() as Int
        try {
            return call()
        } finally {
            release(state)
        }
    }

    private fun main() = addModule(text("__main__")) as MemorySegment

    /** Runs statements; what they raise is in the process's output, and fails. */
    fun run(code: String): Unit = locked {
        check(Arena.ofConfined().use { runSimpleString(it.allocateFrom(code.trimIndent())) } == 0) {
            "Python failed at:\n${code.trimIndent()}"
        }
    }

    /** What a variable says, which is a text. */
    fun read(variable: String): String = locked {
        withVariable(variable) { checkNotNull((asText(it) as MemorySegment).text()) }
    }

    private fun <T> withVariable(name: String, use: (MemorySegment) -> T): T {
        val value = getAttribute(main(), text(name)) as MemorySegment
        check(value.address() != 0L) { "there is no $name" }
        try {
            return use(value)
        } finally {
            decRef(value)
        }
    }

    /** Sets a variable to a capsule. */
    fun setCapsule(variable: String, name: String, pointer: MemorySegment): Unit = locked {
        val capsule = newCapsule(pointer, text(name), MemorySegment.NULL) as MemorySegment
        check(setAttribute(main(), text(variable), capsule) == 0)
        decRef(capsule)
    }

    /** Whether a variable is a capsule of that name. */
    fun isCapsule(variable: String, name: String): Boolean = locked {
        withVariable(variable) { isCapsule(it, text(name)) == 1 }
    }

    /** Takes what is in a capsule, which is called something else from now on. */
    fun takeCapsule(variable: String, name: String): MemorySegment = locked {
        withVariable(variable) { capsule ->
            val pointer = capsulePointer(capsule, text(name)) as MemorySegment
            check(pointer.address() != 0L) { "$variable is no $name" }
            check(setCapsuleName(capsule, text("used_$name")) == 0)
            pointer
        }
    }
}
