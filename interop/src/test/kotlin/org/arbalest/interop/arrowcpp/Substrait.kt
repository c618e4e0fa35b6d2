package org.arbalest.interop.arrowcpp

import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.abi.ArrowArrayStreamStruct
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Arrow C++'s query engine, which takes a stream in and gives one out, both by address: the JNI method below `AceroSubstraitConsumer`. */
internal object Substrait {
    private val wrapper = Class.forName("org.apache.arrow.dataset.substrait.JniWrapper")
    private val instance: Any = wrapper.getMethod("get").apply { trySetAccessible() }.invoke(null)
    private val execute = wrapper.getMethod("executeSerializedPlan", String::class.java, Array<String>::class.java, java.lang.Long.TYPE)
        .apply { trySetAccessible() }

    /** Runs a plan in Substrait's JSON on the stream at [input], which it takes over as table `T`; what comes out is pulled from [out]. */
    fun execute(plan: String, input: MemorySegment, out: MemorySegment) {
        try {
            execute.invoke(instance, plan, arrayOf("T", input.address().toString()), out.address())
        } catch (e: java.lang.reflect.InvocationTargetException) {
            throw e.targetException
        }
    }

    /** The plan that gives back what it gets. What the engine believes of the types is what the stream says, not what the plan does. */
    fun identity(columns: List<String>): String {
        val names = columns.joinToString { "\"$it\"" }
        val types = columns.joinToString { """{"i64": {"nullability": "NULLABILITY_NULLABLE"}}""" }
        val read = """{"read": {"baseSchema": {"names": [$names], "struct": {"types": [$types]}}, "namedTable": {"names": ["T"]}}}"""
        return """{"relations": [{"root": {"input": $read, "names": [$names]}}]}"""
    }

    /** What [reader] gives, after Arrow C++ has had it. */
    fun through(reader: DeviceArrayReader, plan: String = identity(reader.schema().fields().map { it.name() })): DeviceArrayReader =
        Arena.ofConfined().use { arena ->
            val (given, taken) = List(2) { arena.allocate(ArrowArrayStreamStruct.LAYOUT) }
            reader.exportStream(given)
            execute(plan, given, taken)
            DeviceArrayReader.importStream(taken)
        }
}
