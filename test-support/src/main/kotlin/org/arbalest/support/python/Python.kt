// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.python

import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.invoke.MethodHandle
import java.util.Optional

/**
 * Python in this process, called through its C API by FFM. A process can have only one. Every function may be called on
 * any thread.
 */
class Python private constructor(symbols: SymbolLookup) {
    private val names = HashMap<String, MemorySegment>()
    private val ensure = symbols.function("PyGILState_Ensure", JAVA_INT)
    private val release = symbols.function("PyGILState_Release", null, JAVA_INT)
    private val runSimpleString = symbols.function("PyRun_SimpleString", JAVA_INT, ADDRESS)
    private val addModule = symbols.function("PyImport_AddModule", ADDRESS, ADDRESS)
    private val getAttribute = symbols.function("PyObject_GetAttrString", ADDRESS, ADDRESS, ADDRESS)
    private val setAttribute = symbols.function("PyObject_SetAttrString", JAVA_INT, ADDRESS, ADDRESS, ADDRESS)
    private val decRef = symbols.function("Py_DecRef", null, ADDRESS)
    private val newCapsule = symbols.function("PyCapsule_New", ADDRESS, ADDRESS, ADDRESS, ADDRESS)
    private val capsulePointer = symbols.function("PyCapsule_GetPointer", ADDRESS, ADDRESS, ADDRESS)
    private val setCapsuleName = symbols.function("PyCapsule_SetName", JAVA_INT, ADDRESS, ADDRESS)
    private val isCapsule = symbols.function("PyCapsule_IsValid", JAVA_INT, ADDRESS, ADDRESS)
    private val asText = symbols.function("PyUnicode_AsUTF8", ADDRESS, ADDRESS)

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

    /** Returns the pointer of a capsule, which stays the capsule's. */
    fun pointer(variable: String, name: String): MemorySegment = locked {
        withVariable(variable) { pointer(it, variable, name) }
    }

    private fun pointer(capsule: MemorySegment, variable: String, name: String): MemorySegment {
        check(isCapsule(capsule, text(name)) == 1) { "the variable $variable is no capsule with the name $name" }
        return capsulePointer(capsule, text(name)) as MemorySegment
    }

    /** Takes the pointer out of a capsule, and renames the capsule to mark it as used. */
    fun takeCapsule(variable: String, name: String): MemorySegment = locked {
        withVariable(variable) { capsule ->
            pointer(capsule, variable, name).also { check(setCapsuleName(capsule, text("used_$name")) == 0) }
        }
    }

    companion object {
        private const val NOW_GLOBAL = 0x102
        private val libc = Linker.nativeLinker().defaultLookup()
        private val open by lazy { libc.function("dlopen", ADDRESS, ADDRESS, JAVA_INT) }

        /**
         * Loads Python into this process and starts it.
         *
         * @param library the path or name of the library
         * @param home the folder of Python's own modules, or null if Python knows it
         * @param path the path of other modules, or null
         * @param preload the libraries that modules are linked with but would not find by themselves
         */
        fun load(library: String, home: String?, path: String?, preload: List<String>): Python {
            for (name in preload + library) { // modules find Python's functions in the process
                val handle = Arena.ofConfined().use { open(it.allocateFrom(name), NOW_GLOBAL) } as MemorySegment
                check(handle.address() != 0L) {
                    "dlopen of $name failed: ${(libc.function("dlerror", ADDRESS)() as MemorySegment).text()}"
                }
            }
            for ((variable, value) in listOf("PYTHONHOME" to home, "PYTHONPATH" to path)) Arena.ofConfined().use {
                val name = it.allocateFrom(variable)
                if (value == null) libc.function("unsetenv", JAVA_INT, ADDRESS)(name)
                else libc.function("setenv", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT)(name, it.allocateFrom(value), 1)
            }
            val symbols = SymbolLookup.libraryLookup(library, Arena.global())
            symbols.function("Py_InitializeEx", null, JAVA_INT)(0)
            symbols.function("PyEval_SaveThread", ADDRESS)() // releases the GIL, so that other threads can take it
            return Python(symbols)
        }

        /** Returns the Python whose program runs this JVM, started by `launch.py`; null if there is no Python. */
        fun hosting(): Python? {
            val all = open(MemorySegment.NULL, NOW_GLOBAL) as MemorySegment
            val symbol = libc.function("dlsym", ADDRESS, ADDRESS, ADDRESS)
            val process = SymbolLookup { name ->
                val found = Arena.ofConfined().use { symbol(all, it.allocateFrom(name)) } as MemorySegment
                Optional.of(found).filter { it.address() != 0L }
            }
            return if (process.find("PyGILState_Ensure").isPresent) Python(process) else null
        }
    }
}

/** A native function, called by `invokeWithArguments`, since tests do not need a fast call. */
private class Function(private val handle: MethodHandle) {
    operator fun invoke(vararg arguments: Any): Any? = handle.invokeWithArguments(*arguments)
}

private fun SymbolLookup.function(name: String, result: MemoryLayout?, vararg arguments: MemoryLayout): Function {
    val descriptor = if (result == null) FunctionDescriptor.ofVoid(*arguments)
    else FunctionDescriptor.of(result, *arguments)
    val address = find(name).orElseThrow { NoSuchElementException("the library has no function $name") }
    return Function(Linker.nativeLinker().downcallHandle(address, descriptor))
}

private fun MemorySegment.text(): String? = if (address() == 0L) null else reinterpret(Long.MAX_VALUE).getString(0)
