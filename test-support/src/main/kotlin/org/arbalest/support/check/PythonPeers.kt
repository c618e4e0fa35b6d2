// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceStream
import org.arbalest.device.tensors.DLPack
import org.arbalest.support.python.Python
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType.methodType
import java.util.concurrent.ConcurrentHashMap

/** The libraries that a step has used, with their versions. */
object Versions {
    val found: MutableMap<String, String> = ConcurrentHashMap()
}

/** The libraries of Python in this process; see `peers.py`. The variable `peer` is the library in use. */
internal class PythonPeers(isOnGpu: Boolean) {
    private val python = checkNotNull(Python.hosting()) { "no Python has started this process" }
    private val reasons = ConcurrentHashMap<String, String>()
    private var column: DeviceArray? = null
    private var failure: Throwable? = null

    init {
        val code = checkNotNull(Python::class.java.getResource("peers.py")) { "no resource peers.py" }.readText()
        val handle = MethodHandles.lookup().bind(this, "lend", methodType(Long::class.java, Long::class.java,
            Int::class.java))
        val stub = Linker.nativeLinker().upcallStub(handle, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT),
            Arena.global())
        python.run(code)
        python.run("import sys\nversion = sys.version.split()[0]\nlend = LEND(${stub.address()})\n" +
            "peers, gpu = {}, ${if (isOnGpu) "True" else "False"}")
        Versions.found["Python"] = python.read("version")
    }

    /** Returns the reason why a library cannot be used, or null. */
    fun missing(name: String): String? = reasons.computeIfAbsent(name) {
        run("peers['$name'], reason = find('$name', gpu)")
        read("reason").also {
            if (it.isEmpty()) Versions.found[name] = read("str(peers['$name'].version)")
        }
    }.ifEmpty { null }

    /** Sets the library in use. */
    fun use(name: String): Unit = run("peer = peers['$name']")

    /** Runs a block in which [name] is in use, and Python's function `lend` exports a column. */
    fun lending(column: DeviceArray, name: String, block: () -> Unit) {
        use(name)
        this.column = column
        try {
            block()
        } finally {
            this.column = null
        }
    }

    /** Called by Python. Returns the address of a tensor of the present column; 0 after a failure. */
    @Suppress("unused")
    private fun lend(stream: Long, isVersioned: Int): Long {
        try {
            val form = if (isVersioned != 0) DLPack.VERSIONED else DLPack.UNVERSIONED
            val exported = checkNotNull(column) { "no column is exported now" }.retain()
            try {
                return exported.device().wrapStream(stream).use { form.exportTensor(exported, it) }.address()
            } catch (e: Throwable) {
                exported.close()
                throw e
            }
        } catch (e: Throwable) {
            // a throwable that leaves an upcall ends the JVM
            failure = e
            return 0
        }
    }

    /** Imports the tensor of the variable `capsule`, which a producer has made ready for a stream. */
    fun takeTensor(stream: DeviceStream?): DeviceArray {
        val isVersioned = python.isCapsule("capsule", "dltensor_versioned")
        val form = if (isVersioned) DLPack.VERSIONED else DLPack.UNVERSIONED
        val tensor = python.takeCapsule("capsule", if (isVersioned) "dltensor_versioned" else "dltensor")
        run("del capsule")
        return if (stream == null) form.importTensor(tensor) else form.importTensor(tensor, stream)
    }

    fun setCapsule(variable: String, name: String, pointer: MemorySegment): Unit =
        python.setCapsule(variable, name, pointer)

    /** Returns the struct of a capsule, which stays the capsule's. */
    fun pointer(variable: String, name: String, layout: MemoryLayout): MemorySegment =
        python.pointer(variable, name).reinterpret(layout.byteSize())

    /** Returns the value of an expression, which must be a string. */
    fun read(expression: String): String {
        run("value = $expression")
        return python.read("value")
    }

    /** Runs statements. Throws Python's error, or the one of [lend] that caused it. */
    fun run(code: String) {
        failure = null
        python.run(
            "import traceback\nfailure = ''\ntry:\n    exec(${gson().toJson(code.trimIndent())}, globals())\n" +
                "except BaseException as e:\n" +
                "    failure = traceback.format_exc().strip()\n",
        )
        failure?.let { throw it }
        val words = python.read("failure")
        check(words.isEmpty()) { "${words.lines().last()}\n$words" }
    }
}
