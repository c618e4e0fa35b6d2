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
 * Python in this process, called through its C API by FFM. A process can have only one. Every function may be called on
 * any thread.
 */
internal class Python(
    /** The path or name of the library. */
    library: String,
    /** The folder of Python's own modules, or null if Python knows it. */
    home: String?,
    /** The path of other modules, or null. */
    path: String?,
    /** The libraries that modules are linked with but would not find by themselves. */
    preload: List<String>,
) {
    private val libc = Linker.nativeLinker().defaultLookup()
    private val names = HashMap<String, MemorySegment>()
    private val symbols: SymbolLookup

    init {
        val dlopen = libc.function("dlopen", PTR, PTR, I32)
        for (name in preload + library) { // RTLD_NOW and RTLD_GLOBAL: modules find Python's functions in the process
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
        symbols.function("PyEval_SaveThread", PTR)() // releases the GIL, so that other threads can take it
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

    /** Returns a C string that is never freed, since a capsule keeps the pointer to its name. */
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

    /** Runs statements. If they raise an error, Python prints it to the output of the process, and this call fails. */
    fun run(code: String): Unit = locked {
        check(Arena.ofConfined().use { runSimpleString(it.allocateFrom(code.trimIndent())) } == 0) {
            "Python failed at:\n${code.trimIndent()}"
        }
    }

    /** Returns the value of a variable, which must be a string. */
    fun read(variable: String): String = locked {
        withVariable(variable) { checkNotNull((asText(it) as MemorySegment).text()) }
    }

    private fun <T> withVariable(name: String, use: (MemorySegment) -> T): T {
        val value = getAttribute(main(), text(name)) as MemorySegment
        check(value.address() != 0L) { "Python has no variable $name" }
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

    /** Returns true if a variable is a capsule with this name. */
    fun isCapsule(variable: String, name: String): Boolean = locked {
        withVariable(variable) { isCapsule(it, text(name)) == 1 }
    }

    /** Takes the pointer out of a capsule, and renames the capsule to mark it as used. */
    fun takeCapsule(variable: String, name: String): MemorySegment = locked {
        withVariable(variable) { capsule ->
            val pointer = capsulePointer(capsule, text(name)) as MemorySegment
            check(pointer.address() != 0L) { "the variable $variable is no capsule with the name $name" }
            check(setCapsuleName(capsule, text("used_$name")) == 0)
            pointer
        }
    }
}
