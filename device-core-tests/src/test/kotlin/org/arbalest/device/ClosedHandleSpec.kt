// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.columns.Column
import org.arbalest.support.ResourceCountersExtension
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import kotlin.concurrent.thread
import kotlin.random.Random

/**
 * Closed-handle tests for every public method that takes an array, found by reflection. Each method refuses a closed
 * handle. A close by another thread does not free the memory while the method runs.
 */
class ClosedHandleSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("every public method rejects a closed array [OWN-19]") {
        val wrong = mutableListOf<String>()
        for (door in arrayDoors()) {
            for ((kind, make) in kinds) {
                val array = make()
                array.close()
                if (!takes(door, array)) continue
                val answer = callDoor(door, array)
                if (answer !is IllegalStateException) wrong += "${title(door)} of $kind: $answer"
            }
        }
        withClue(wrong.joinToString("\n")) { wrong.shouldBeEmpty() }
    }

    test("a closed handle still describes itself, and nothing else [OWN-19]") {
        val closed = listOf(
            RecordBatch::class.java to doorBatch(),
            DeviceBuffer::class.java to Devices.cpu().allocate(8),
            DeviceStream::class.java to Devices.cpu().createStream(),
        )
        closed.forEach { it.second.close() }
        val answering = closed.associate { (type, handle) ->
            type.simpleName to type.methods.filter { it.parameterCount == 0 && !Modifier.isStatic(it.modifiers) }
                .filter { method -> runCatching { method.invoke(handle) }.isSuccess }.map { it.name }.toSortedSet()
        }
        answering shouldBe mapOf(
            "RecordBatch" to setOf("asRecordBatch", "close", "device", "field", "isOpen", "length", "schema"),
            "DeviceBuffer" to setOf("close", "device", "isCpuAccessible", "size"),
            "DeviceStream" to setOf("close", "device"),
        )
    }

    include(racingClose(rounds = 50))
})

/** The races of [ClosedHandleSpec], with many more rounds. */
class ClosedHandleStressSpec : FunSpec({
    extension(ResourceCountersExtension)

    include(racingClose(rounds = Integer.getInteger("arbalest.closes", 500)))
})

private fun racingClose(rounds: Int): TestFactory = funSpec {
    test("every public method succeeds or throws while another thread closes its array, $rounds times each [OWN-19]") {
        val wrong = mutableListOf<String>()
        Closer().use { closer ->
            for (door in arrayDoors()) {
                for ((kind, make) in kinds) {
                    if (!make().use { takes(door, it) }) continue
                    repeat(rounds) {
                        val array = make()
                        closer.close(array)
                        val answer = callDoor(door, array)
                        closer.await()
                        if (answer is Throwable && answer !is IllegalStateException && answer !is DeviceException &&
                            answer !is IllegalArgumentException && answer !is IndexOutOfBoundsException) {
                            wrong += "${title(door)} of $kind: $answer"
                        }
                    }
                }
            }
        }
        withClue(wrong.joinToString("\n")) { wrong.shouldBeEmpty() }
    }

    test("a column makes its views and children, or throws, while its array is closed, $rounds times each [OWN-19]") {
        val wrong = mutableListOf<String>()
        Closer().use { closer ->
            for (door in columnDoors()) {
                for (name in listOf("name", "text")) {
                    repeat(rounds) {
                        val array = doorBatch()
                        val column = array.column(name)
                        closer.close(array)
                        val answer = runCatching { door.invoke(column) }.exceptionOrNull()?.cause
                        closer.await()
                        if (answer != null && answer !is IllegalStateException && answer !is IllegalArgumentException)
                            wrong += "${title(door)} of $name: $answer"
                    }
                }
            }
        }
        withClue(wrong.joinToString("\n")) { wrong.shouldBeEmpty() }
    }
}

/** Returns the methods of [Column] that make a view or a related column without reading values. */
private fun columnDoors(): List<Method> = Column::class.java.methods.filter {
    it.parameterCount == 0 && !Modifier.isStatic(it.modifiers)
}
    .filter {
        it.name.startsWith("as") ||
            it.name in setOf("items", "dictionary", "indices", "runs", "storage", "bufferCount", "nullCount")
    }
    .also { it.size shouldBeGreaterThan 10 }

/** A thread that closes each array after a short random time. */
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

private val kinds: Map<String, () -> DeviceArray> = mapOf("a batch" to ::doorBatch,
    "a column" to { doorBatch().use { it.retainChild(0) } }, "an import" to { doorImport() })
