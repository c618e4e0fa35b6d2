// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.sharing.SharedArray
import org.arbalest.device.statistics.Statistics
import org.arbalest.device.tensors.DLPack
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.support.fake.FakeUserEvent
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.reflect.Method
import kotlin.concurrent.thread

/**
 * The exception class of each failure, as the page on errors documents it: for every public method that takes an array,
 * found by reflection, and for each kind of mistake.
 */
class ErrorsSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    /**
     * Returns the methods that throw an exception which the page does not allow for the array. Each method may also
     * refuse another argument for its type or number, and the CPU shares no memory with other processes.
     * `Statistics.of` is left out, because it reads data that another side wrote, like an import.
     */
    fun wrong(
        array: () -> DeviceArray,
        field: Field? = null,
        call: (Method, DeviceArray, Field) -> Any? = ::callDoor,
        allowed: (Throwable) -> Boolean,
    ): List<String> =
        arrayDoors().filterNot { it.declaringClass == Statistics::class.java && it.name == "of" }.mapNotNull { door ->
            array().use { given ->
                if (!takes(door, given)) return@use null
                val answer = call(door, given, field ?: given.field())
                val isFine = answer !is Throwable || answer is IllegalArgumentException ||
                    answer is IndexOutOfBoundsException || allowed(answer) ||
                    (door.declaringClass == SharedArray::class.java && answer.isOf(Errno.ENOSYS))
                if (isFine) null else "${title(door)}: $answer"
            }
        }

    fun List<String>.shouldBeNone() = withClue(joinToString("\n")) { shouldBeEmpty() }

    test("every public method reports an array of the wrong type as a mistake of the caller [ERR-01]") {
        val text = { doorBatch().use { it.retainChild(1) } }
        wrong(text, Field.of("text", DataType.INT64)) { false }.shouldBeNone()
    }

    test("every public method waits for an array that is not ready, or throws IllegalStateException [ERR-02]") {
        // the same error as for a ready array
        val isElsewhere = { t: Throwable -> t.isOf(Errno.ENOSYS) && "an ArrowArray is in main memory" in "$t" }
        wrong({ NotReady.array() }, call = NotReady::call) { it is IllegalStateException || isElsewhere(it) }
            .shouldBeNone()
        NotReady.destroyEvents()
    }

    test("every public method works on an opaque device, or fails with ENOSYS [ERR-03]") {
        wrong({ doorImport { RawArrowDeviceArray.setDeviceType(it.address(), 17) } }) { it.isOf(Errno.ENOSYS) }
            .shouldBeNone()
    }

    test("every public method works with a malformed array, or fails with EINVAL [ERR-03]") {
        wrong(::malformed) { it.isOf(Errno.EINVAL) }.shouldBeNone()
    }

    val cpu = Devices.cpu()
    val numbers = Schema.of(listOf(Field.of("a", DataType.INT64)))

    /** The kinds of mistakes, each with the expected exception class and a call that makes the mistake. */
    val mistakes: Map<String, Pair<Class<out Throwable>, (RecordBatch) -> Unit>> = mapOf(
        "reading a missing column" to (IllegalArgumentException::class.java to { it.column("b") }),
        "a getter of another type" to
            (IllegalArgumentException::class.java to { it.column("text").getLong(0) }),
        "a view of another type" to (IllegalArgumentException::class.java to { it.column("text").asLongs() }),
        "an impossible conversion" to
            (IllegalArgumentException::class.java to { it.convertTo(Field.of("", DataType.INT8)) }),
        "an impossible conversion of a stream" to
            (IllegalArgumentException::class.java to {
                RecordBatchReader.of(it.schema(), listOf(it.retain())).use { reader -> reader.convertTo(numbers) }
            }),
        "a concatenation of different types" to (IllegalArgumentException::class.java to {
            it.retainChild(0).use { other -> DeviceArray.concat(listOf(it, other)) }
        }),
        "a stream of arrays with another type" to
            (IllegalArgumentException::class.java to { RecordBatchReader.of(numbers, listOf(it.retain())) }),
        "exporting text as a tensor" to (IllegalArgumentException::class.java to {
            it.retainChild(1).use { text -> DLPack.VERSIONED.exportTensor(text) }
        }),
        "an export to a NULL address" to
            (IllegalArgumentException::class.java to { CData.exportArray(it, MemorySegment.NULL, CExport.DATA) }),
        "adopting a NULL event" to (IllegalArgumentException::class.java to { cpu.adoptEvent(0) }),
        "appending a null to a column that is not nullable" to (IllegalArgumentException::class.java to {
            BatchBuilder.of(cpu, 1).use { b -> b.column(Field.of("a", DataType.INT8).withNullable(false)).appendNull() }
        }),
        "reading a row that does not exist" to (IndexOutOfBoundsException::class.java to { it.column(0).getLong(3) }),
        "building columns of different lengths" to (IllegalStateException::class.java to {
            BatchBuilder.of(cpu).use { b -> b.int64("a", longArrayOf(1)).int64("b", longArrayOf()).build() }
        }),
        "building columns shorter than the batch" to (IllegalStateException::class.java to {
            BatchBuilder.of(cpu, 2).use { b -> b.int64("a", longArrayOf(1)).build() }
        }),
        "using a consumed handle" to
            (IllegalStateException::class.java to { it.retain().also(RecordBatch::close).move() }),
        "reading a null as a number" to
            (NoSuchElementException::class.java to { nulls().use { batch -> batch.column(0).getLong(0) } }),
        "converting nulls to a field that is not nullable" to (DeviceException::class.java to {
            nulls().use { batch ->
                batch.convertTo(Schema.of(listOf(Field.of("a", DataType.INT64).withNullable(false))).asField())
            }
        }),
        "exporting nulls as a tensor" to (DeviceException::class.java to {
            nulls().use { batch -> batch.retainChild(0).use { DLPack.VERSIONED.exportTensor(it) } }
        }),
        "an allocation that is too large" to (DeviceException::class.java to { cpu.allocate(1L shl 60) }),
    )
    for ((what, expected) in mistakes) {
        test("$what throws ${expected.first.simpleName} [ERR-01, ERR-02, ERR-03]") {
            doorBatch().use { batch ->
                runCatching { expected.second(batch) }.exceptionOrNull()?.javaClass shouldBe expected.first
            }
        }
    }
})

private fun Throwable.isOf(errno: Int) = this is DeviceException && errno() == errno

private fun nulls(): RecordBatch = BatchBuilder.of(Devices.cpu(), 1).use {
    it.column(Field.of("a", DataType.INT64)).appendNull()
    it.build()
}

/** Returns a batch with a text column whose offsets decrease. */
private fun malformed(): RecordBatch = doorImport { out ->
    val offsets = RawArrowArray.buffer(RawArrowArray.child(out.address(), 1), 1)
    MemorySegment.ofAddress(offsets).reinterpret(16).setAtIndex(JAVA_INT, 2, 0)
}

/** A source of arrays, each with an event that completes when a thread waits for it. */
private object NotReady {
    private lateinit var event: FakeUserEvent
    private lateinit var device: Device
    private val cells = mutableListOf<MemorySegment>()

    fun destroyEvents() {
        for (cell in cells) device.adoptEvent(cell.get(JAVA_LONG, 0)).close()
        cells.clear()
    }

    fun array(): RecordBatch {
        device = Devices.device(DeviceType.CUDA_HOST, 0)
        event = FakeDevice.of(DeviceType.CUDA_HOST, 0).userEvent()
        val cell = Arena.ofAuto().allocateFrom(JAVA_LONG, event.handle)
        cells += cell // the producer owns this cell, which must live as long as the array
        return doorImport {
            RawArrowDeviceArray.setDeviceType(it.address(), DeviceType.CUDA_HOST.code())
            RawArrowDeviceArray.setDeviceId(it.address(), 0)
            RawArrowDeviceArray.setSyncEvent(it.address(), cell.address())
        }
    }

    fun call(door: Method, array: DeviceArray, field: Field): Any? {
        var answer: Any? = null
        val caller = thread { answer = callDoor(door, array, field) }
        val end = System.nanoTime() + 30_000_000_000
        while (caller.isAlive) {
            check(System.nanoTime() < end) { "${title(door)} neither returned nor waited within 30 seconds" }
            if (caller.state == Thread.State.WAITING || caller.state == Thread.State.TIMED_WAITING) event.complete()
            Thread.yield()
        }
        event.complete()
        return answer
    }
}
