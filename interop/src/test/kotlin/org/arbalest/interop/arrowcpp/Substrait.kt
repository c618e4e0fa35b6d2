// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.interop.Batches
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/**
 * The query engine of Arrow C++, which reads one stream and writes another, both by address. It is called by the JNI
 * method behind `AceroSubstraitConsumer`.
 */
internal object Substrait {
    private val wrapper = ArrowCpp.library.let { Class.forName("org.apache.arrow.dataset.substrait.JniWrapper") }
    private val instance: Any = wrapper.getMethod("get").apply { trySetAccessible() }.invoke(null)
    private val execute =
        wrapper.getMethod("executeSerializedPlan", String::class.java, Array<String>::class.java, java.lang.Long.TYPE)
            .apply { trySetAccessible() }

    /**
     * Runs a plan in Substrait's JSON on the stream at [input], which the plan takes over as table `T`. The result is
     * pulled from [out].
     */
    fun execute(plan: String, input: MemorySegment, out: MemorySegment) {
        try {
            execute.invoke(instance, plan, arrayOf("T", input.address().toString()), out.address())
        } catch (e: java.lang.reflect.InvocationTargetException) {
            throw e.targetException
        }
    }

    /**
     * Returns the plan that copies its input to its output. The engine takes the types from the stream, not from the
     * plan.
     */
    fun identity(columns: List<String>): String = plan(read(columns), columns)

    /** Returns the plan that selects the rows of [Batches] of 64-bit integers in which two columns are equal. */
    fun whereEqual(column: String, other: String): String {
        val condition = function(1, "BOOL", column, other)
        return plan("""{"filter": {"input": ${read(COLUMNS)}, "condition": $condition}}""", COLUMNS,
            "functions_comparison.yaml", "equal:any_any")
    }

    /** Returns the plan that divides `v` by a column of [Batches] of 64-bit integers. */
    fun dividedBy(column: String): String {
        val quotient = function(1, "I64", "v", column)
        val project = """{"project": {"common": {"emit": {"outputMapping": [3]}}, """ +
            """"input": ${read(COLUMNS)}, "expressions": [$quotient]}}"""
        return plan(project, listOf("q"), "functions_arithmetic.yaml", "divide:i64_i64")
    }

    private val COLUMNS = listOf("i", "v", "w")

    private fun read(columns: List<String>): String {
        val types = columns.joinToString { """{"i64": {"nullability": "NULLABILITY_NULLABLE"}}""" }
        return """{"read": {"baseSchema": {"names": [${quoted(columns)}], "struct": {"types": [$types]}}, """ +
            """"namedTable": {"names": ["T"]}}}"""
    }

    private fun function(reference: Int, result: String, vararg columns: String): String {
        val arguments = columns.joinToString { column ->
            val field =
                """{"directReference": {"structField": {"field": ${COLUMNS.indexOf(column)}}}, "rootReference": {}}"""
            """{"value": {"selection": $field}}"""
        }
        val type = """{"${result.lowercase()}": {"nullability": "NULLABILITY_NULLABLE"}}"""
        return """{"scalarFunction": {"functionReference": $reference, "outputType": $type, """ +
            """"arguments": [$arguments]}}"""
    }

    private fun plan(input: String, names: List<String>, file: String? = null, function: String? = null): String {
        val uri = "https://github.com/substrait-io/substrait/blob/main/extensions/$file"
        val declared = """"extensionUris": [{"extensionUriAnchor": 1, "uri": "$uri"}],
            "extensions": [{"extensionFunction":
                {"extensionUriReference": 1, "functionAnchor": 1, "name": "$function"}}],"""
        return """{${if (file == null) "" else declared} """ +
            """"relations": [{"root": {"input": $input, "names": [${quoted(names)}]}}]}"""
    }

    private fun quoted(names: List<String>) = names.joinToString { "\"$it\"" }

    /** Returns the stream of [reader] after it passed through a plan of Arrow C++. */
    fun through(
        reader: RecordBatchReader,
        plan: String = identity(reader.schema().fields().map { it.name() }),
    ): RecordBatchReader =
        Arena.ofConfined().use { arena ->
            val (given, taken) = List(2) { arena.allocate(ArrowArrayStreamStruct.LAYOUT) }
            CData.exportStream(reader, given, CExport.DATA)
            execute(plan, given, taken)
            CData.importStream(taken, CImport.DATA)
        }
}
