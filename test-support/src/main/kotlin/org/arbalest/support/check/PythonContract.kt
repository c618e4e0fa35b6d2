// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.Gate
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicLong

private const val ROWS = 100_000
private const val CUDF_ROWS = 10_000

/** The libraries of tensors, as in `peers.py`. */
private val TENSORS = listOf("NumPy", "PyTorch", "CuPy")

/** The first number of the next tensor, so that no two have equal bytes. */
private val first = AtomicLong()

/**
 * The contract of an exchange with libraries of Python, in a process that Python's program started: contents, places
 * and the order of streams, in both directions.
 *
 * @param isOnGpu whether the process uses a GPU. No library of Python uses a simulated one; without a GPU, NumPy and
 *     PyTorch exchange tensors in main memory, and the tests of the others are not run
 */
fun pythonContract(isOnGpu: Boolean, gpu: () -> Device, gate: (DeviceStream) -> Gate): TestFactory = funSpec {
    val peers by lazy { PythonPeers(isOnGpu) }
    val cpu = Devices.cpu()

    test("a failure in Python fails its test, with Python's message") {
        shouldThrow<IllegalStateException> { peers.run("assert 1 == 2, 'one is not two'") }.message shouldContain
            "AssertionError: one is not two"
    }

    for (name in TENSORS) {
        val needed = SkipWithout { peers.missing(name) }
        val isHere = isOnGpu && name != "NumPy"
        val device by lazy { if (isHere) gpu() else cpu }

        fun column(stream: DeviceStream, from: Long): DeviceArray = BatchBuilder.of(cpu, ROWS).use { batch ->
            batch.int64("n", LongArray(ROWS) { 3 * (from + it) }).build()
        }.use { it.copyTo(device, stream) }.use { it.retainChild(0) }

        test("$name reads a column where it lies, and passes its stream").config(extensions = listOf(needed)) {
            val from = first.getAndAdd(ROWS.toLong())
            device.createStream().use { writer ->
                column(writer, from).use { column ->
                    peers.lending(column, name) {
                        peers.run(
                            """
                            column = Column(lend, peer.device)
                            with peer.working():
                                tensor = peer.take(column)
                                assert peer.is_whole(tensor, $from, $ROWS), tensor
                            assert column.streams == [peer.handle], (column.streams, peer.handle)
                            assert peer.address(tensor) == ${column.asColumn().bufferAddress(1)}, "it is a copy"
                            del tensor, column
                            """,
                        )
                    }
                }
            }
        }

        test("a tensor of $name is an array in its place, and is freed with it").config(extensions = listOf(needed)) {
            val from = first.getAndAdd(ROWS.toLong())
            device.createStream().use { ours ->
                peers.use(name)
                peers.run(
                    """
                    with peer.working():
                        tensor = peer.numbers(0, $ROWS)
                        del tensor
                        before = peer.held()
                        tensor = peer.numbers($from, $ROWS)
                        address = str(peer.address(tensor))
                        capsule = peer.share(tensor, ${if (isHere) ours.handle() else 0})
                    del tensor
                    """,
                )
                peers.takeTensor(ours.takeIf { isHere }).use { array ->
                    array.device() shouldBe device
                    "${array.asColumn().bufferAddress(1)}" shouldBe peers.read("address")
                    array.copyTo(cpu, ours).use { back ->
                        back.synchronize()
                        back.asColumn().toLongArray() shouldBe LongArray(ROWS) { 3 * (from + it) }
                    }
                }
                eventually("$name has its memory back") { peers.read("str(peer.held() - before)") == "0" }
            }
        }

        if (name != "NumPy") test("the stream of $name waits for a column that is not written yet, and no thread does")
            .config(extensions = listOf(needed, SkipWithout { "no GPU".takeUnless { isHere } })) {
                device.createStream().use { writer ->
                    // the first round loads the kernels, which may wait for all other work
                    for (isHeld in listOf(false, true)) {
                        val from = first.getAndAdd(ROWS.toLong())
                        val held = if (isHeld) gate(writer) else null
                        column(writer, from).use { column ->
                            peers.lending(column, name) {
                                peers.run(
                                    """
                                    with peer.working():
                                        tensor = peer.take(Column(lend, peer.device))
                                        result = tensor + 1
                                    """,
                                )
                                if (isHeld) peers.run("assert not peer.is_done(), 'the stream did not wait'")
                                held?.open()
                                peers.run(
                                    """
                                    peer.wait()
                                    with peer.working():
                                        assert peer.is_whole(result - 1, $from, $ROWS), result
                                    del tensor, result
                                    """,
                                )
                            }
                        }
                    }
                }
            }
    }

    test("pylibcudf reads a batch with nulls, and its to_arrow_device is an array with these rows twice")
        .config(extensions = listOf(SkipWithout { peers.missing("Pylibcudf") })) {
            Arena.ofShared().use { arena ->
                val schema = ArrowSchemaStruct.allocate(arena)
                val struct = ArrowDeviceArrayStruct.allocate(arena)
                withNulls().use { source ->
                    gpu().wrapStream(0).use { stream ->
                        val options = CExport.DEVICE.schemaTo(schema).countNulls(stream).consumerStream(stream)
                        CData.exportArray(source.copyTo(gpu()), struct, options)
                    }
                    peers.use("Pylibcudf")
                    peers.setCapsule("schema", "arrow_schema", schema)
                    peers.setCapsule("array", "arrow_device_array", struct)
                    peers.run("schema, array = peer.share(peer.twice(schema, array))")
                    val theirs = CImport.DEVICE
                        .schema(peers.pointer("schema", "arrow_schema", ArrowSchemaStruct.LAYOUT))
                    val array = CData.importBatch(
                        peers.pointer("array", "arrow_device_array", ArrowDeviceArrayStruct.LAYOUT), theirs,
                    )
                    peers.run("del schema, array")
                    array.use { it.copyTo(cpu) }.use { back ->
                        back.synchronize()
                        back.length() shouldBe 2L * CUDF_ROWS
                        for (i in 0..1) {
                            val once = (0L until CUDF_ROWS).map { source.column(i).get(it) }
                            (0L until back.length()).map { back.column(i).get(it) } shouldBe once + once
                        }
                    }
                }
            }
        }
}

private fun withNulls(): RecordBatch = BatchBuilder.of(Devices.cpu(), CUDF_ROWS).use { batch ->
    batch.column(Field.of("n", DataType.INT64), List(CUDF_ROWS) { if (it % 7 == 3) null else it * 3L })
    batch.utf8("t", List(CUDF_ROWS) { if (it % 5 == 1) null else "text $it" }).build()
}
