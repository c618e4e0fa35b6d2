// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.ArrowSchemaStruct
import org.arbalest.device.internal.array.ArrayImport
import org.arbalest.device.internal.schema.SchemaImporter
import org.arbalest.support.LedgerExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.lang.reflect.Type
import kotlin.concurrent.thread
import kotlin.random.Random

/** Every public method that takes an array, found by reflection: it refuses a closed handle, and another thread's close does not pull the memory away. */
class ClosedHandleSpec : FunSpec({
    extension(LedgerExtension)

    test("whatever takes an array refuses one that was closed [OWN-19]") {
        val wrong = mutableListOf<String>()
        for (door in doors()) {
            for ((kind, make) in kinds) {
                val array = make()
                array.close()
                val answer = call(door, array)
                if (answer !is IllegalStateException) wrong += "${title(door)} of $kind: $answer"
            }
        }
        withClue(wrong.joinToString("\n")) { wrong.shouldBeEmpty() }
    }

    include(racingClose(rounds = 50))
})

/** The same against many more closes. */
class ClosedHandleStressSpec : FunSpec({
    extension(LedgerExtension)

    include(racingClose(rounds = 5_000))
})

private fun racingClose(rounds: Int): TestFactory = funSpec {
    test("whatever takes an array throws or ends well while another thread closes it, $rounds times each [OWN-19]") {
        val wrong = mutableListOf<String>()
        Closer().use { closer ->
            for (door in doors()) {
                for ((kind, make) in kinds) {
                    repeat(rounds) {
                        val array = make()
                        closer.close(array)
                        val answer = call(door, array)
                        closer.await()
                        if (answer is Throwable && answer !is IllegalStateException && answer !is DeviceException && answer !is IllegalArgumentException && answer !is IndexOutOfBoundsException) {
                            wrong += "${title(door)} of $kind: $answer"
                        }
                    }
                }
            }
        }
        withClue(wrong.joinToString("\n")) { wrong.shouldBeEmpty() }
    }

    test("whatever a column makes of itself is made, or throws, while another thread closes its array, $rounds times each [OWN-19]") {
        val wrong = mutableListOf<String>()
        Closer().use { closer ->
            for (door in columnDoors()) {
                for (name in listOf("name", "text")) {
                    repeat(rounds) {
                        val array = batch()
                        val column = array.column(name)
                        closer.close(array)
                        val answer = runCatching { door.invoke(column) }.exceptionOrNull()?.cause
                        closer.await()
                        if (answer != null && answer !is IllegalStateException && answer !is IllegalArgumentException) wrong += "${title(door)} of $name: $answer"
                    }
                }
            }
        }
        withClue(wrong.joinToString("\n")) { wrong.shouldBeEmpty() }
    }
}

/** What a column makes without reading values. */
private fun columnDoors(): List<Method> = Column::class.java.methods.filter { it.parameterCount == 0 && !Modifier.isStatic(it.modifiers) }
    .filter { it.name.startsWith("as") || it.name in setOf("items", "dictionary", "indices", "runs", "storage", "bufferCount", "nullCount") }
    .also { it.size shouldBeGreaterThan 10 }

/** A thread that closes arrays at some moment soon. */
private class Closer : AutoCloseable {
    @Volatile private var next: DeviceArray? = null

    @Volatile private var isOver = false

    private val thread = thread(name = "closer") {
        val random = Random(1)
        while (!isOver) {
            val array = next
            if (array == null) {
                Thread.yield()
                continue
            }
            repeat(random.nextInt(300)) { Thread.onSpinWait() }
            array.close()
            next = null
        }
    }

    fun close(array: DeviceArray) {
        next = array
    }

    fun await() {
        while (next != null) Thread.yield()
    }

    override fun close() {
        isOver = true
        thread.join()
    }
}

/** A link has a peer, and `ArrayLinkSpec`; `show` prints. The others answer of what a closed handle was, or do not look at the array yet. */
private val leftOut = setOf("send", "show", "device", "field", "schema", "length", "structs", "isOpen", "close", "toString")

/** The methods of an array, and those that are given one. */
private fun doors(): List<Method> {
    val all = publicClasses().flatMap { it.declaredMethods.toList() }.filter { Modifier.isPublic(it.modifiers) && !it.isSynthetic }
    val own = all.filter { it.declaringClass == DeviceArray::class.java && !Modifier.isStatic(it.modifiers) }
    val others = all.filter { door -> door.genericParameterTypes.any(::isOfArrays) }
    return (own + others).distinct().filter { it.name !in leftOut || (it.name == "toString" && it.parameterCount > 0) }.also { it.size shouldBeGreaterThan 40 }
}

private fun isOfArrays(type: Type): Boolean = type == DeviceArray::class.java || type.typeName == "java.util.List<${DeviceArray::class.java.name}>"

private fun title(door: Method): String = "${door.declaringClass.simpleName}.${door.name}(${door.parameterTypes.joinToString { it.simpleName }})"

@JvmRecord
private data class Row(val name: Long, val text: String)

private fun batch(): DeviceArray = Devices.cpu().batchBuilder(3).use { it.int64("name", longArrayOf(1, 2, 3)).utf8("text", listOf("a", "b", "c")).build() }

private fun imported(): DeviceArray = Arena.ofConfined().use { arena ->
    val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
    val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
    batch().use { it.exportDeviceArray(out, schema) }
    DeviceArray.importDeviceArray(out, schema)
}

private val kinds: Map<String, () -> DeviceArray> = mapOf("a batch" to ::batch, "a column" to { batch().use { it.child(0) } }, "an import" to ::imported)

private fun close(data: ArrayData) {
    data.buffers().forEach { it?.close() }
    data.children().forEach(::close)
}

/** Calls a door with an array, and gives back what comes of it. Returns the answer, or what was thrown. */
private fun call(door: Method, array: DeviceArray): Any? = Arena.ofConfined().use { arena ->
    val outs = List(2) { arena.allocate(256, 8) }
    var given = 0
    fun isOut(type: Class<*>) = door.name.startsWith("export") && (type == MemorySegment::class.java || type == java.lang.Long.TYPE)
    Examples(door).use { examples ->
        fun argument(generic: Type, type: Class<*>): Any = when {
            type == DeviceArray::class.java -> array
            isOfArrays(generic) -> listOf(array)
            isOut(type) -> outs[given++].let { if (type == MemorySegment::class.java) it else it.address() }
            type == Field::class.java -> array.field()
            type == Schema::class.java && array.field().type() is NestedType.StructType -> array.schema()
            type == Class::class.java -> Row::class.java
            type == Records::class.java -> Records.of(Row::class.java)
            type == Integer.TYPE -> 0
            type == java.lang.Long.TYPE -> 1L
            else -> examples.of(type)
        }
        val receiver = if (Modifier.isStatic(door.modifiers)) null else argument(door.declaringClass, door.declaringClass)
        val arguments = door.parameters.map { argument(it.parameterizedType, it.type) }
        try {
            val answer = door.invoke(receiver, *arguments.toTypedArray())
            if (answer is MemorySegment) (receiver as DLPack).delete(answer)
            if (answer is AutoCloseable) answer.close()
            if (answer is ArrayData) close(answer)
            answer
        } catch (e: InvocationTargetException) {
            e.targetException
        } finally {
            ArrayImport.giveBack(outs[0].address())
            SchemaImporter.giveBack(outs[1].address())
        }
    }
}
