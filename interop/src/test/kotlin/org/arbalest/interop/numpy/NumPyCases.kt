// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.numpy

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.tensors.DLPack
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension.Bool8
import org.arbalest.device.types.Extension.FixedShapeTensor
import org.arbalest.device.types.Field
import org.arbalest.support.python.Python
import java.lang.foreign.MemorySegment

/**
 * The tests of tensors between one NumPy and the library, in one form of DLPack. The interpreter has a class `Ours`;
 * its objects return a capsule.
 */
internal class NumPyCases(private val numPy: NumPy, private val python: Python, private val form: DLPack) {
    private val capsule = if (form == DLPack.VERSIONED) "dltensor_versioned" else "dltensor"
    private val asked = if (form == DLPack.VERSIONED) "max_version=(1, 0)" else ""

    /** The cases, by the names of their tests. */
    val all: Map<String, () -> Unit> = NAMED.mapValues { (_, case) -> { case(this) } }

    private fun column(
        field: Field,
        rows: Int,
        fill: (ColumnBuilder) -> Unit,
    ): DeviceArray = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(field).let(fill)
        batch.build().use { it.retainChild(0) }
    }

    private fun longs(vararg values: Long) = column(Field.of("n", DataType.INT64), values.size) { it.appendAll(values) }

    /** Passes a tensor to NumPy as the variable [variable], which is then its only owner. */
    private fun give(tensor: MemorySegment, variable: String = "a") {
        python.setCapsule("capsule", capsule, tensor)
        python.run("$variable = numpy.from_dlpack(Ours(capsule))")
        python.isCapsule("capsule", "used_$capsule") shouldBe true
        python.run("del capsule")
    }

    /** Takes the tensor that NumPy returns for an expression. */
    private fun take(expression: String): MemorySegment {
        python.run("capsule = ($expression).__dlpack__($asked)")
        return python.takeCapsule("capsule", capsule).also { python.run("del capsule") }
    }

    private fun done() {
        check(ResourceCounters.now().isZero) { "not released after the case: ${ResourceCounters.now()}" }
    }

    private val types = mapOf(
        "int8" to DataType.INT8, "int16" to DataType.INT16, "int32" to DataType.INT32, "int64" to DataType.INT64,
        "uint8" to DataType.UINT8, "uint16" to DataType.UINT16, "uint32" to DataType.UINT32,
        "uint64" to DataType.UINT64, "float16" to DataType.FLOAT16, "float32" to DataType.FLOAT32,
        "float64" to DataType.FLOAT64,
    )

    private fun everyTypeOut() {
        for ((dtype, type) in types) {
            val array = column(Field.of("n", type), 5) { c ->
                repeat(5) { if (dtype.startsWith("f")) c.append(it + 0.5) else c.append(it + 1L) }
            }
            val address = array.asColumn().bufferAddress(1)
            array.use { give(form.exportTensor(it.slice(1, 4))) }
            val first = if (dtype.startsWith("f")) 1.5 else 2
            python.run("""
                assert a.dtype == numpy.dtype("$dtype"), a.dtype
                assert a.shape == (4,), a.shape
                assert a.tolist() == [$first + i for i in range(4)], a.tolist()
                assert a.ctypes.data == $address + a.itemsize, a.ctypes.data
            """)
            ResourceCounters.now().exports() shouldBe 1
            python.run("del a")
            done()
        }
        val booleans = form.exportTensor(column(Field.bool8("b"), 3) { it.append(true).append(false).append(true) })
        if (numPy.knowsBool) {
            give(booleans)
            python.run("assert a.dtype == numpy.dtype(bool) and a.tolist() == [True, False, True], a\ndel a")
        } else {
            isNotTaken(booleans, capsule, "RuntimeError")
        }
        give(form.exportTensor(longs()))
        python.run("assert a.shape == (0,) and a.dtype == numpy.int64, a\ndel a")
        done()
    }

    private fun everyTypeIn() {
        for ((dtype, type) in types) {
            python.run("x = numpy.arange(1, 6).astype('$dtype')\naddress = str(x.ctypes.data)\nseen = weakref.ref(x)")
            val array = form.importTensor(take("x"))
            python.run("del x\nassert seen() is not None")
            array.field().run { type() to isNullable } shouldBe (type to false)
            array.asColumn().bufferAddress(1) shouldBe python.read("address").toLong()
            array.validate(Validation.FULL)
            List(5) { array.asColumn().getDouble(it.toLong()) } shouldBe listOf(1.0, 2.0, 3.0, 4.0, 5.0)
            array.close()
            python.run("assert seen() is None")
            done()
        }
        if (numPy.knowsBool) form.importTensor(take("numpy.array([True, False])")).use { array ->
            array.field().extension() shouldBe Bool8()
            List(2) { array.asColumn().getBoolean(it.toLong()) } shouldBe listOf(true, false)
        }
        form.importTensor(take("numpy.arange(10)[3:7]")).use {
            it.asColumn().toLongArray().toList() shouldBe listOf(3L, 4L, 5L, 6L)
        }
        form.importTensor(take("numpy.empty(0, 'float32')")).use { it.length() shouldBe 0 }
        form.importTensor(take("numpy.array(7)")).use { it.asColumn().toLongArray().toList() shouldBe listOf(7L) }
        done()
    }

    private fun dimensionsOut() {
        val lists = Field.of(
            "t",
            DataType.fixedSizeList(Field.of("item", DataType.fixedSizeList(Field.of("item", DataType.INT32), 2)), 3),
        )
        val nested = column(lists, 4) { c ->
            repeat(4) { row ->
                c.appendList(3)
                repeat(3) { i -> c.items().appendList(2).items().append(row * 6L + i * 2).append(row * 6L + i * 2 + 1) }
            }
        }
        nested.use { give(form.exportTensor(it.slice(1, 3))) }
        python.run("assert (a == numpy.arange(24, dtype='int32').reshape(4, 3, 2)[1:]).all() and a.shape == (3, 3, " +
            "2), a\ndel a")
        val turned = Field.of("t", DataType.fixedSizeList(Field.of("item", DataType.FLOAT64), 24))
            .withExtension(FixedShapeTensor(listOf(2, 3, 4), listOf(), listOf(2, 0, 1)))
        give(form.exportTensor(column(turned, 2) { c ->
            repeat(2) { row -> c.appendTensor(2, 3, 4).items().appendAll(DoubleArray(24) { row * 24.0 + it }) }
        }))
        python.run("assert (a == numpy.arange(48.0).reshape(2, 2, 3, 4).transpose(0, 3, 1, 2)).all() and a.shape == " +
            "(2, 4, 2, 3), a\ndel a")
        done()
    }

    private fun dimensionsIn() {
        form.importTensor(take("numpy.arange(24).reshape(2, 3, 4)")).use { array ->
            array.field().extension() shouldBe FixedShapeTensor(listOf(3, 4), listOf(), listOf())
            array.asColumn().getTensor(1).run { values().getLong(index(2, 1)) } shouldBe 21
        }
        form.importTensor(take("numpy.arange(24).reshape(2, 3, 4).transpose(0, 2, 1)")).use { array ->
            array.field().extension() shouldBe FixedShapeTensor(listOf(3, 4), listOf(), listOf(1, 0))
            array.asColumn().getTensor(1).logicalShape() shouldBe listOf(4, 3)
            give(form.exportTensor(array.retain()))
            python.run("assert (a == numpy.arange(24).reshape(2, 3, 4).transpose(0, 2, 1)).all() and a.shape == (2, " +
                "4, 3), a\ndel a")
        }
        for ((expression, expected) in listOf(
            "numpy.arange(6)[::2]" to listOf(0L, 2L, 4L), "numpy.arange(6)[::-1]" to listOf(5L, 4L, 3L, 2L, 1L, 0L),
            "numpy.arange(6).reshape(2, 3).T" to listOf(0L, 3L, 1L, 4L, 2L, 5L),
            "numpy.arange(12).reshape(3, 4)[:, 1:3]" to listOf(1L, 2L, 5L, 6L, 9L, 10L),
            "numpy.lib.stride_tricks.as_strided(numpy.arange(3), (2, 3), (0, 8))" to listOf(0L, 1L, 2L, 0L, 1L, 2L),
        )) {
            shouldThrow<DeviceException> { form.importTensor(take(expression)) }.message shouldContain "importCopy()"
            form.importCopy(take(expression)).use { array ->
                val values = if (array.field().extension() == null) array.asColumn()
                    .toLongArray().toList() else (0 until array.length())
                    .flatMap { array.asColumn().getTensor(it).values().toLongArray().toList() }
                values shouldBe expected
            }
        }
        done()
    }

    private fun writing() {
        longs(1, 2, 3).use { array ->
            if (form == DLPack.VERSIONED) {
                give(form.exportTensor(array.retain()))
                python.run("assert not a.flags.writeable\ndel a")
                give(form.exportCopy(array, Devices.cpu().memory(), Devices.cpu().defaultStream()))
                python.run("assert a.flags.writeable\na[0] = 99\nassert a.tolist() == [99, 2, 3]\ndel a")
                python.run("x = numpy.arange(3)\nx.flags.writeable = False")
                form.importTensor(take("x")).close()
                python.run("del x")
            } else {
                give(form.exportCopy(array, Devices.cpu().memory(), Devices.cpu().defaultStream()))
                // NumPy treats every tensor without flags as read-only.
                python.run("assert a.tolist() == [1, 2, 3] and not a.flags.writeable\ndel a")
            }
            array.asColumn().getLong(0) shouldBe 1
        }
        done()
    }

    private fun foreignThread() {
        repeat(20) {
            give(form.exportTensor(longs(1, 2)))
            python.run("held = [a]\ndel a\nt = threading.Thread(target=held.clear)\nt.start()\nt.join()")
            done()
        }
    }

    private fun ourThread() {
        python.run("x = numpy.arange(3)\nseen = weakref.ref(x)")
        val array = form.importTensor(take("x"))
        python.run("del x")
        val thread = Thread.ofPlatform().start { array.close() }
        thread.join()
        python.run("assert seen() is None")
        done()
    }

    private fun notTaken() {
        give(form.exportTensor(longs(1)))
        val again = form.exportTensor(longs(2))
        isNotTaken(again, "used_$capsule", "ValueError")
        python.run("del a")
        done()
    }

    /** Expects NumPy to reject a tensor, and releases it as a capsule would do. */
    private fun isNotTaken(tensor: MemorySegment, name: String, error: String) {
        python.setCapsule("capsule", name, tensor)
        python.run("""
            try:
                numpy.from_dlpack(Ours(capsule))
                raise AssertionError("taken")
            except $error:
                pass
            del capsule
        """)
        val before = ResourceCounters.now().exports()
        form.delete(tensor)
        ResourceCounters.now().exports() shouldBe before - 1
    }

    private fun refused() {
        python.run("x = numpy.zeros(3, 'complex128')\nseen = weakref.ref(x)")
        shouldThrow<DeviceException> { form.importTensor(take("x")) }.message shouldContain
            "kDLComplex of 128 bits, for which Arrow has no type"
        python.run("del x\nassert seen() is None")
        done()
    }

    private fun roundTrip() {
        python.run("x = numpy.arange(1000) * 3\nseen = weakref.ref(x)")
        val array = form.importTensor(take("x"))
        python.run("del x")
        give(form.exportTensor(array.slice(10, 500)))
        array.close()
        python.run("assert seen() is not None and a[0] == 30 and a.shape == (500,)\nb = a[5:]\ndel a\nassert seen() " +
            "is not None\ndel b\nassert seen() is None")
        done()
    }

    private fun thousandOut() {
        longs(1, 2, 3, 4).use { array ->
            repeat(1000) {
                give(form.exportTensor(array.slice(it % 4L, 1)))
                python.run("assert a[0] == ${it % 4 + 1}\ndel a")
            }
            ResourceCounters.now().run { listOf(exports(), arrays()) } shouldBe listOf(0L, 1L)
        }
        done()
    }

    private fun thousandIn() {
        python.run("x = numpy.arange(4)\nbefore = sys.getrefcount(x)")
        repeat(1000) {
            form.importTensor(take("x")).use { array -> array.asColumn().getLong(it % 4L) shouldBe it % 4L }
        }
        python.run("assert sys.getrefcount(x) == before\ndel x")
        done()
    }

    companion object {
        private val NAMED: Map<String, (NumPyCases) -> Unit> = mapOf(
            "NumPy reads columns of every type without a copy, and releases them" to NumPyCases::everyTypeOut,
            "the library reads NumPy arrays of every type without a copy, and releases them" to
                NumPyCases::everyTypeIn,
            "NumPy reads fixed-size lists and tensors as dimensions" to NumPyCases::dimensionsOut,
            "the library imports any order of dimensions, and copies values that are not contiguous" to
                NumPyCases::dimensionsIn,
            "NumPy may write to a copy, but not to a read-only tensor" to NumPyCases::writing,
            "a Python thread releases a tensor of the library" to NumPyCases::foreignThread,
            "a Java thread releases a NumPy array" to NumPyCases::ourThread,
            "NumPy rejects a used capsule, and its tensor is released" to NumPyCases::notTaken,
            "the library rejects complex numbers, and releases the NumPy array" to NumPyCases::refused,
            "a NumPy array that returns to NumPy lives until NumPy releases it" to NumPyCases::roundTrip,
            "NumPy takes and releases a thousand slices" to NumPyCases::thousandOut,
            "the library takes and releases a NumPy array a thousand times" to NumPyCases::thousandIn,
        )

        /** The names of the cases' tests. */
        val names: Set<String> = NAMED.keys
    }
}

/** A separate process with one NumPy, which prints for each case whether it succeeded. */
internal object NumPyProgram {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val numPy = NumPy.valueOf(arguments.single())
        val python = numPy.start()
        python.run("""
            import sys, threading, weakref, numpy
            version = numpy.__version__

            class Ours:
                def __init__(self, capsule):
                    self.capsule = capsule

                def __dlpack__(self, *, stream=None, **others):
                    return self.capsule

                def __dlpack_device__(self):
                    return (1, 0)
        """)
        println("NumPy ${python.read("version")}")
        for (form in numPy.forms) {
            for ((what, case) in NumPyCases(numPy, python, form).all) {
                val failure = runCatching(case).exceptionOrNull()
                if (failure == null) println("good: $form $what") else failure.printStackTrace(System.out)
            }
        }
        println("all cases ran")
    }
}
