// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldNotBeEmpty
import org.arbalest.device.Device
import org.arbalest.device.RecordBatch
import org.arbalest.device.columns.Column
import java.lang.classfile.ClassFile
import java.lang.classfile.instruction.InvokeInstruction

private object Loops {
    fun ofPrimitives(device: Device, longs: LongArray, doubles: DoubleArray, flags: BooleanArray): RecordBatch =
        device.batch(longs.size) {
            int8("int8") { longs[it].toByte() }
            int32("int32") { longs[it].toInt() }
            int64("int64") { longs[it] }
            uint64("uint64") { longs[it].toULong() }
            float32("float32") { doubles[it].toFloat() }
            float64("float64") { doubles[it] }
            bool("bool") { flags[it] }
        }

    fun ofViews(column: Column): Double {
        var sum = 0.0
        val longs = column.longs()
        for (row in longs.indices) if (!longs.isNull(row)) sum += longs[row]
        val doubles = column.doubles()
        for (row in doubles.indices) if (!doubles.isNull(row)) sum += doubles[row]
        return sum
    }
}

/** Returns the methods that a class calls. */
private fun callsIn(type: Class<*>): List<String> {
    val code = type.getResourceAsStream("${type.name.substringAfterLast('.')}.class")!!.use {
        ClassFile.of().parse(it.readBytes())
    }
    return code.methods().flatMap { it.code().stream().flatMap { body -> body.elementStream() }.toList() }
        .filterIsInstance<InvokeInstruction>().map { "${it.owner().asInternalName()}.${it.name().stringValue()}" }
}

class ViewsBoxingSpec : FunSpec({
    fun boxes(calls: List<String>) = calls.filter {
        it.endsWith(".valueOf") || it.endsWith(".box-impl") || it.endsWith("Boxing.boxLong")
    }

    test("loops over primitives box no value, neither in the DSL's lambdas nor in the views") {
        val calls = callsIn(Loops::class.java)
        calls.filter { "append" in it }.shouldNotBeEmpty()
        boxes(calls).shouldBeEmpty()
    }

    test("a view of objects passes the row on without boxing it") {
        val calls = callsIn(ObjectView::class.java)
        calls.filter { it.endsWith(".read") }.shouldNotBeEmpty()
        boxes(calls).shouldBeEmpty()
    }
})
