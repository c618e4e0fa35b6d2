// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.apache.arrow.flatbuf.CompressionType
import org.apache.arrow.flatbuf.MetadataVersion
import org.apache.arrow.flatbuf.Type
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.ipc.Crafted.BatchOf
import org.arbalest.device.ipc.Crafted.BlockOf
import org.arbalest.device.ipc.Crafted.FieldOf
import org.arbalest.device.ipc.Crafted.batchMessage
import org.arbalest.device.ipc.Crafted.dictionaryMessage
import org.arbalest.device.ipc.Crafted.framed
import org.arbalest.device.ipc.Crafted.int32
import org.arbalest.device.ipc.Crafted.int64
import org.arbalest.device.ipc.Crafted.join
import org.arbalest.device.ipc.Crafted.longs
import org.arbalest.device.ipc.Crafted.numbers
import org.arbalest.device.ipc.Crafted.schemaMessage
import org.arbalest.device.ipc.Crafted.tensorMessage
import org.arbalest.device.ipc.Crafted.type
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayInputStream
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import kotlin.random.Random

/** Files and streams with one fault each: the error has the position, the fault and the numbers. */
class ArrowFileHostileSpec : FunSpec() {
    private val numbers = FieldOf("n", int64)
    private val body = longs(1, 2, 3, 4)

    private val full = IpcReadOptions.defaults().withValidation(Validation.FULL)

    private fun batch(
        rows: Long = 4,
        nodes: List<Pair<Long, Long>> = listOf(4L to 0L),
        buffers: List<Pair<Long, Long>> = listOf(0L to 0L, 0L to 32L),
        variadic: List<Long> = listOf(),
        codec: Byte? = null,
        method: Byte = 0,
    ) = BatchOf(rows, nodes, buffers, variadic, codec, method)

    private val words = FieldOf("word", type(Type.Utf8), dictionary = 7)
    private val indices = longs(1)
    private val ofIndices = batch(2, listOf(2L to 0L), listOf(0L to 0L, 0L to 8L))
    private val values = numbers(0, 1, 2, 0x6261)
    private val ofValues = batch(2, listOf(2L to 0L), listOf(0L to 0L, 0L to 12L, 12L to 2L))

    /** Checks the error of each way to read a file and a stream with one batch. */
    private fun refuses(
        fault: String,
        batch: BatchOf,
        body: ByteArray = this.body,
        field: FieldOf = numbers,
        bodyLength: Long = body.size.toLong(),
        options: IpcReadOptions = IpcReadOptions.defaults(),
    ) {
        val message = batchMessage(batch, bodyLength)
        fails(fault, file(field, message, body), Inputs.files, options)
        fails(fault, join(framed(schemaMessage(field)), framed(message, body)), Inputs.streams, options)
    }

    private fun fails(
        fault: String,
        bytes: ByteArray,
        inputs: List<Inputs>,
        options: IpcReadOptions = IpcReadOptions.defaults(),
    ) {
        for (input in inputs) withClue(input) {
            val thrown = shouldThrow<IpcException> { input.read(bytes, options) }
            thrown.message!! shouldContain fault
            val isNamed = input == Inputs.MAPPED_FILE || input == Inputs.FILE_BY_PATH_AND_CHANNEL
            (thrown.file() != null) shouldBe isNamed
            val name = if (isNamed) "${thrown.file()}: " else ""
            thrown.message!! shouldStartWith "${name}at byte ${thrown.position()}: "
            check(thrown.position() in 0..bytes.size) { thrown }
        }
    }

    private fun file(field: FieldOf, message: ByteArray, body: ByteArray, blocks: (BlockOf) -> BlockOf = { it }) =
        Crafted.file(listOf(field), batches = listOf(message to body), blocks = blocks)

    private fun stream(vararg messages: ByteArray) = join(framed(schemaMessage(numbers)), *messages)

    private fun rows(bytes: ByteArray, input: Inputs): List<Any?> {
        val rows = mutableListOf<Any?>()
        input.read(bytes) { batch: RecordBatch ->
            val column = batch.asColumn()
            (0 until column.length()).mapTo(rows, column::get)
        }
        return rows.map { (it as Map<*, *>).values.single() }
    }

    init {
        extension(ResourceCountersExtension)

        test("what these tests make is read, unless it has a fault") {
            val message = batchMessage(batch(), 32)
            val file = file(numbers, message, body)
            for (input in Inputs.files) rows(file, input) shouldContainExactly listOf(1L, 2, 3, 4)
            val stream = stream(framed(message, body), Crafted.end)
            for (input in Inputs.streams) rows(stream, input) shouldContainExactly listOf(1L, 2, 3, 4)
        }

        context("a batch is rejected") {
            test("with a negative number of rows") { refuses("negative number of rows: -1", batch(rows = -1)) }
            test("with a negative length") { refuses("array 0 has the length -4", batch(nodes = listOf(-4L to 0L))) }
            test("with more nulls than rows") { refuses("4 and 5 nulls", batch(nodes = listOf(4L to 5L))) }
            test("with negative nulls") { refuses("4 and -1 nulls", batch(nodes = listOf(4L to -1L))) }
            test("with nulls without a bitmap") { refuses("null_count = 1", batch(nodes = listOf(4L to 1L))) }
            for (rows in listOf(3L, 5L, 0L)) test("with $rows rows and a column of 4 [FIL-15]") {
                refuses("the batch has $rows rows, but its column \"n\" has 4", batch(rows = rows))
            }
            test("with a column of another length that is not read, also by rowCount [FIL-15]") {
                val fields = listOf(numbers, FieldOf("other", int64))
                val nodes = listOf(4L to 0L, 2L to 0L)
                val two = batch(4, nodes, listOf(0L to 0L, 0L to 32L, 0L to 0L, 0L to 16L))
                val fault = "the batch has 4 rows, but its column \"other\" has 2"
                val first = IpcReadOptions.defaults().withColumns("n")
                val message = batchMessage(two, 32)
                val file = Crafted.file(fields, batches = listOf(message to body))
                fails(fault, file, Inputs.files, first)
                fails(
                    fault, join(framed(schemaMessage(*fields.toTypedArray())), framed(message, body)),
                    Inputs.streams, first,
                )
                ArrowFile.open(ByteChannel(file), first).use {
                    shouldThrow<IpcException> { it.rowCount() }.message!! shouldContain fault
                }
            }
            test("with too few arrays") { refuses("has 0 arrays", batch(nodes = listOf())) }
            test("with too many arrays") { refuses("has 2 arrays", batch(nodes = listOf(4L to 0L, 4L to 0L))) }
            test("with too few buffers") { refuses("has 1 buffers", batch(buffers = listOf(0L to 0L))) }
            test("with too many buffers") {
                refuses("3 buffers", batch(buffers = listOf(0L to 0L, 0L to 32L, 0L to 8L)))
            }
            test("with a buffer that begins before the body") {
                refuses("8 bytes at byte -8 of a body of 32 bytes", batch(buffers = listOf(0L to 0L, -8L to 8L)))
            }
            test("with a buffer that ends behind the body") {
                refuses("buffer 1 has 32 bytes at byte 8", batch(buffers = listOf(0L to 0L, 8L to 32L)))
            }
            test("with a buffer whose end overflows") {
                val buffers = listOf(0L to 0L, Long.MAX_VALUE - 7 to 32L)
                refuses("32 bytes at byte ${Long.MAX_VALUE - 7}", batch(buffers = buffers))
            }
            test("with a buffer of a negative size") {
                refuses("has -32 bytes", batch(buffers = listOf(0L to 0L, 0L to -32L)))
            }
            test("with a buffer that is too small") {
                refuses("need 32 bytes, but buffers[1] has 24", batch(buffers = listOf(0L to 0L, 0L to 24L)))
            }
            test("with a length that overflows the size of its buffer") {
                val rows = 1L shl 61
                refuses("do not fit in memory", batch(rows, listOf(rows to 0L)))
            }
            test("with a body that is longer than the input") {
                val message = batchMessage(batch(), 1000)
                fails("the footer says 32", file(numbers, message, body), Inputs.files)
                fails("968", stream(framed(message, body)), listOf(Inputs.STREAM_CHANNEL, Inputs.INPUT_STREAM))
                fails("has 1000 bytes, but only 32", stream(framed(message, body)), listOf(Inputs.STREAM_SEGMENT))
            }
            test("with a body of a negative length") { refuses("negative: -1", batch(), bodyLength = -1) }
            test("with a body whose end overflows") {
                val message = batchMessage(batch(buffers = listOf(0L to 0L, 0L to 0L)), Long.MAX_VALUE)
                val stream = stream(framed(message, body))
                fails("${Long.MAX_VALUE} bytes", stream, Inputs.streams)
            }
            test("with an unknown codec") { refuses("codec 9 is unknown", batch(codec = 9)) }
            test("with an unknown method of compression") {
                refuses("method 3 of compression is unknown", batch(codec = CompressionType.ZSTD, method = 3))
            }
            test("with a bitmap that has other nulls than the batch says") {
                val bits = batch(nodes = listOf(4L to 1L), buffers = listOf(0L to 8L, 0L to 32L))
                refuses("null", bits)
            }
            test("with offsets that decrease") {
                val text = batch(2, listOf(2L to 0L), listOf(0L to 0L, 0L to 12L, 12L to 4L))
                refuses("offsets", text, numbers(0, 4, 2, 0), FieldOf("t", type(Type.Utf8)))
            }
            test("with an offset behind the data") {
                val text = batch(2, listOf(2L to 0L), listOf(0L to 0L, 0L to 12L, 12L to 4L))
                refuses("beyond the 4 bytes", text, numbers(0, 4, 5, 0), FieldOf("t", type(Type.Utf8)))
            }
            test("with text that is not UTF-8") {
                val text = batch(1, listOf(1L to 0L), listOf(0L to 0L, 0L to 8L, 8L to 1L))
                refuses("UTF-8", text, numbers(0, 1, 0xff, 0), FieldOf("t", type(Type.Utf8)), options = full)
            }
        }

        context("views are rejected") {
            val view = FieldOf("v", type(Type.Utf8View))
            val one = listOf(1L to 0L)

            test("without the number of their buffers") {
                refuses("has 0 counts", batch(1, one, listOf(0L to 0L, 0L to 16L)), field = view)
            }
            test("with more buffers than the message") {
                val huge = batch(1, one, listOf(0L to 0L, 0L to 16L), variadic = listOf(1L shl 60))
                refuses("${1L shl 60} buffers of data, but the message has 2", huge, field = view)
            }
            test("with a negative number of buffers") {
                val negative = batch(1, one, listOf(0L to 0L, 0L to 16L), variadic = listOf(-1))
                refuses("has -1 buffers of data", negative, field = view)
            }
            test("with a view into a buffer that does not exist") {
                val wrong = batch(1, one, listOf(0L to 0L, 0L to 16L), variadic = listOf(0))
                refuses("v", wrong, numbers(20, 0x64636261, 3, 0), view)
            }
        }

        context("compressed buffers are rejected") {
            for (codec in listOf(CompressionType.LZ4_FRAME, CompressionType.ZSTD)) {
                val name = CompressionType.name(codec.toInt())
                fun compressed(size: Long) = batch(buffers = listOf(0L to 0L, 0L to size), codec = codec)

                test("with $name, if they are shorter than the size in front") {
                    refuses("has 7 bytes", compressed(7))
                }
                test("with $name, if the size is negative") {
                    refuses("negative: -2", compressed(32), longs(-2, 0, 0, 0))
                }
                test("with $name, if they declare 2^40 bytes [FIL-06]") {
                    refuses("maxAllocation", compressed(32), longs(1L shl 40, 0, 0, 0))
                }
                test("with $name, if they declare 2^63 - 1 bytes") {
                    refuses("maxAllocation", compressed(32), longs(Long.MAX_VALUE, 0, 0, 0))
                }
                test("with $name, if the sizes together overflow, without a limit") {
                    val unlimited = IpcReadOptions.defaults().withMaxAllocation(Long.MAX_VALUE)
                    val huge = longs(1L shl 62, 0, 1L shl 62, 0, 1L shl 62, 0, (1L shl 62) + 100, 0)
                    val fields = List(4) { FieldOf("n$it", int64) }
                    val buffers = List(8) { if (it % 2 == 0) 0L to 0L else (it / 2 * 16L) to 16L }
                    val message = batchMessage(batch(4, List(4) { 4L to 0L }, buffers, codec = codec), 64)
                    val stream = join(framed(schemaMessage(*fields.toTypedArray())), framed(message, huge))
                    fails("may be allocated", stream, Inputs.streams, unlimited)
                    val file = Crafted.file(fields, batches = listOf(message to huge))
                    fails("may be allocated", file, Inputs.files, unlimited)
                }
                test("with $name, if they are not $name") {
                    refuses("a compressed buffer is malformed", compressed(32), longs(32, 1, 2, 3))
                }
                test("with $name, if they are empty behind the size") {
                    refuses("a compressed buffer is malformed", compressed(8), longs(32))
                }
            }

            test("when one fails while others are decompressed by other threads") {
                // the failing one comes first; the others still write when it fails
                val columns = 16
                val bytes = Random(1).nextBytes(1 shl 20)
                val frame = lz4(bytes)
                val parts = List(columns) { if (it == 0) longs(1L shl 20, 0) else longs(1L shl 20) + frame }
                val starts = parts.runningFold(0L) { at, part -> at + part.size }
                val buffers = List(2 * columns) {
                    if (it % 2 == 0) 0L to 0L else starts[it / 2] to parts[it / 2].size.toLong()
                }
                val all = join(*parts.toTypedArray())
                val rows = (1L shl 20) / 8
                val batch = batch(rows, List(columns) { rows to 0L }, buffers, codec = CompressionType.LZ4_FRAME)
                val message = batchMessage(batch, all.size.toLong())
                val fields = Array(columns) { FieldOf("n$it", int64) }
                val stream = join(framed(schemaMessage(*fields)), framed(message, all))
                repeat(10) { fails("a compressed buffer is malformed", stream, listOf(Inputs.STREAM_SEGMENT)) }
            }
        }

        test("buffers whose ranges together overflow are not read into a small allocation") {
            // bodies of 2^63 bytes exist only as numbers; the sum of these ranges is 784 modulo 2^64
            val end = Long.MAX_VALUE - 4096
            val big = end - 99
            val second = 1L shl 62
            val ranges =
                listOf(0L to big, second to end - 59 - second, second + 8 to end - 61 - second, end - 2000 to 1000L)
            val fields = Array(2) { FieldOf("n$it", int64) }
            val message = batchMessage(batch(1, List(2) { 1L to 1L }, ranges), end)
            val stream = join(framed(schemaMessage(*fields)), framed(message, ByteArray(1 shl 16)))
            for (limit in listOf(1L shl 32, Long.MAX_VALUE)) {
                val options = IpcReadOptions.defaults().withMaxAllocation(limit)
                val streams = listOf(Inputs.STREAM_CHANNEL, Inputs.INPUT_STREAM)
                fails("may be allocated", stream, streams, options)
            }
        }

        test("buffers that overlap very often are rejected, because they cost more time than the input is long") {
            val columns = 2_000
            val buffers = List(2 * columns) { if (it % 2 == 0) 0L to 0L else 0L to 8_000L }
            val message = batchMessage(batch(1_000, List(columns) { 1_000L to 0L }, buffers), 8_000)
            val fields = List(columns) { FieldOf("n$it", int64) }
            val stream = join(framed(schemaMessage(*fields.toTypedArray())), framed(message, ByteArray(8_000)))
            fails("16000000 bytes altogether, but the body has 8000", stream, Inputs.streams)
        }

        context("a schema is rejected") {
            fun refusesSchema(fault: String, message: ByteArray) = fails(fault, framed(message), Inputs.streams)

            test("that is big-endian [FIL-09]") { refusesSchema("big-endian", schemaMessage(numbers, endianness = 1)) }
            test("of version V3 [FIL-09]") {
                refusesSchema("V3", schemaMessage(numbers, version = MetadataVersion.V3))
            }
            test("of an unknown version") { refusesSchema("number 17", schemaMessage(numbers, version = 17)) }
            test("with integers of 7 bits") {
                refusesSchema("7", schemaMessage(FieldOf("n", type(Type.Int, 7))))
            }
            test("with binary values of 2^31 - 1 bytes, unless it is read") {
                val bytes = framed(schemaMessage(FieldOf("b", type(Type.FixedSizeBinary, Int.MAX_VALUE))))
                for (input in Inputs.streams) input.read(bytes) shouldBe 0
            }
            test("with binary values of a negative size") {
                refusesSchema("-1", schemaMessage(FieldOf("b", type(Type.FixedSizeBinary, -1))))
            }
            test("with an unknown unit") {
                refusesSchema("date unit 5", schemaMessage(FieldOf("d", type(Type.Date, 5, 2))))
            }
            test("with a list without items") {
                refusesSchema("0 children", schemaMessage(FieldOf("l", type(Type.List))))
            }
            test("with two types of one dictionary") {
                refusesSchema("two types", schemaMessage(words, FieldOf("n", int64, dictionary = 7)))
            }
            for (depth in listOf(63, 64, 65, 66, 120, 200)) test("that nests $depth levels deep, or is read") {
                var field = numbers
                repeat(depth) { field = FieldOf("l", type(Type.List), listOf(field)) }
                val bytes = framed(schemaMessage(field))
                for (input in Inputs.streams) withClue(input) {
                    if (depth < 63) input.read(bytes) shouldBe 0
                    else shouldThrow<IpcException> { input.read(bytes) }.message!! shouldContain "deep"
                }
            }
        }

        context("a stream is rejected") {
            val message = framed(batchMessage(batch(), 32), body)

            test("with a second schema") {
                fails("a second schema", stream(message, framed(schemaMessage(numbers))), Inputs.streams)
            }
            test("with a tensor") { fails("Tensor", stream(framed(tensorMessage())), Inputs.streams) }
            test("that begins with a batch") { fails("RecordBatch instead of Schema", message, Inputs.streams) }
            test("without a byte") { fails("before its schema", byteArrayOf(), Inputs.streams) }
            test("that is a file") {
                fails("open it with ArrowFile", file(numbers, batchMessage(batch(), 32), body), Inputs.streams)
            }
            test("with metadata of 2 GiB") {
                fails("bytes", stream(numbers(-1, Int.MAX_VALUE)), Inputs.streams)
            }
            test("with metadata of a negative size") { fails("-5 bytes", stream(numbers(-1, -5)), Inputs.streams) }
            test("whose metadata is larger than the limit [FIL-06]") {
                val options = IpcReadOptions.defaults().withMaxAllocation(64)
                fails("at most 64", stream(message), listOf(Inputs.STREAM_CHANNEL, Inputs.INPUT_STREAM), options)
            }
            test("whose body is larger than the limit [FIL-06]") {
                val message = batchMessage(batch(buffers = listOf(0L to 0L, 0L to 8_000L)), 8_000)
                val large = stream(framed(message, ByteArray(8_000)))
                val options = IpcReadOptions.defaults().withMaxAllocation(4_000)
                fails("maxAllocation", large, listOf(Inputs.STREAM_CHANNEL, Inputs.INPUT_STREAM), options)
            }
            test("after an error, even if the rest of it is well-formed") {
                val bytes = stream(framed(batchMessage(batch(rows = -1), 32), body), message)
                ArrowStream.open(ByteArrayInputStream(bytes), IpcReadOptions.defaults()).use {
                    shouldThrow<IpcException> { it.next() }
                    shouldThrow<IllegalStateException> { it.next() }.message!! shouldContain "failed"
                }
            }
        }

        context("a dictionary is rejected") {
            val batches = framed(batchMessage(ofIndices, 8), indices)
            fun refusesDictionary(fault: String, vararg messages: ByteArray) =
                fails(fault, join(framed(schemaMessage(words)), *messages), Inputs.streams, full)

            test("that is missing") {
                refusesDictionary("dictionary 7, which was not defined before", batches)
                val file = Crafted.file(listOf(words), batches = listOf(batchMessage(ofIndices, 8) to indices))
                fails("dictionary 7, which was not defined before", file, Inputs.files)
            }
            test("that is a delta without a first part") {
                refusesDictionary(
                    "has a delta, but was not defined before",
                    framed(dictionaryMessage(7, ofValues, 16, isDelta = true), values), batches,
                )
            }
            test("that is not part of the schema") {
                refusesDictionary("8 is not part of the schema", framed(dictionaryMessage(8, ofValues, 16), values))
            }
            test("with other rows than values") {
                val wrong = BatchOf(3, ofValues.nodes, ofValues.buffers)
                refusesDictionary("2 values in a batch of 3 rows", framed(dictionaryMessage(7, wrong, 16), values))
            }
            test("when it is read, and not again with each batch") {
                // aligned, so that nothing is copied
                val two = batch(2, listOf(2L to 0L), listOf(0L to 0L, 0L to 12L, 16L to 2L))
                val text = numbers(0, 1, 2, 0, 0x6261, 0)
                val wrong = text.copyOf().also { it[16] = -1 } // not UTF-8
                val head = join(framed(schemaMessage(words)), framed(dictionaryMessage(7, two, 24)))
                refusesDictionary("UTF-8", framed(dictionaryMessage(7, two, 24), wrong))
                val stream = join(head, text, batches, batches)
                Arena.ofConfined().use { arena ->
                    val segment = arena.allocate(stream.size.toLong(), 64).copyFrom(MemorySegment.ofArray(stream))
                    ArrowStream.open(segment, {}, full).use {
                        it.next()!!.close()
                        segment.set(ValueLayout.JAVA_BYTE, head.size + 16L, -1) // finds out whether it is read again
                        it.next()!!.close()
                        it.next() shouldBe null
                    }
                }
            }
            test("that is too short for the indices") {
                val one = batch(1, listOf(1L to 0L), listOf(0L to 0L, 0L to 8L, 12L to 2L))
                refusesDictionary("index", framed(dictionaryMessage(7, one, 16), values), batches)
            }
            test("whose parts need a huge bitmap together, but no memory alone") {
                val nothing = FieldOf("s", type(Type.Struct_), dictionary = 7)
                val rows = 1L shl 36 // a bitmap of 8 GiB
                val first = dictionaryMessage(7, batch(rows, listOf(rows to 0L), listOf(0L to 0L)), 0)
                val one = dictionaryMessage(7, batch(1, listOf(1L to 1L), listOf(0L to 8L)), 8, isDelta = true)
                val stream = join(framed(schemaMessage(nothing)), framed(first), framed(one, longs(0)), batches)
                fails("maxAllocation", stream, Inputs.streams)
            }
            for (type in listOf(Type.Null, Type.Struct_)) {
                test("whose length overflows with its delta, of type ${Type.name(type.toInt())}") {
                    val nothing = FieldOf("s", type(type), dictionary = 7)
                    val rows = 1L shl 62
                    val buffers = if (type == Type.Null) listOf() else listOf(0L to 0L)
                    val nulls = batch(rows, listOf(rows to 0L), buffers)
                    fun part(isDelta: Boolean) = dictionaryMessage(7, nulls, 0, isDelta)
                    val stream = join(framed(schemaMessage(nothing)), framed(part(false)), framed(part(true)), batches)
                    for (limit in listOf(1L shl 32, Long.MAX_VALUE)) {
                        val options = IpcReadOptions.defaults().withMaxAllocation(limit)
                        fails("maxAllocation", stream, Inputs.streams, options)
                    }
                }
            }
            test("whose parts together are larger than the limit [FIL-06]") {
                val bytes = 3_000
                val text = numbers(0, bytes) + ByteArray(bytes) { 'a'.code.toByte() }
                val large = batch(1, listOf(1L to 0L), listOf(0L to 0L, 0L to 8L, 8L to bytes.toLong()))
                fun part(isDelta: Boolean) = framed(dictionaryMessage(7, large, text.size.toLong(), isDelta), text)
                val stream = join(framed(schemaMessage(words)), part(false), part(true), batches)
                for (input in Inputs.streams) input.read(stream) shouldBe 2
                fails("maxAllocation", stream, Inputs.streams, IpcReadOptions.defaults().withMaxAllocation(4_000))
            }
        }

        context("a file is rejected") {
            val message = batchMessage(batch(), 32)
            fun refusesBlock(fault: String, blocks: (BlockOf) -> BlockOf) =
                fails(fault, file(numbers, message, body, blocks), Inputs.files)

            test("with a batch at a negative position") {
                refusesBlock("at byte -8") { BlockOf(-8, it.header, it.body) }
            }
            test("with a batch behind the footer") {
                refusesBlock("at byte 100000") { BlockOf(100_000, it.header, it.body) }
            }
            test("with a batch whose end overflows") {
                refusesBlock("${Long.MAX_VALUE} bytes of body") { BlockOf(it.offset, it.header, Long.MAX_VALUE) }
            }
            test("with a negative size of metadata") {
                refusesBlock("has -8 bytes") { BlockOf(it.offset, -8, it.body) }
            }
            test("with metadata that is longer than its block") {
                refusesBlock("can follow") { BlockOf(it.offset, 16, it.body) }
            }
            test("with a block that is shorter than the body") {
                refusesBlock("the footer says 8") { BlockOf(it.offset, it.header, 8) }
            }
            test("with a block that is not at a message") {
                refusesBlock("at byte") { BlockOf(it.offset + 8, it.header - 8, it.body) }
            }
            test("with a block that is the schema") {
                refusesBlock("Schema instead of RecordBatch") { BlockOf(8, framed(schemaMessage(numbers)).size, 0) }
            }
            test("with a footer of 2 GiB") {
                val bytes = file(numbers, message, body)
                numbers(Int.MAX_VALUE).copyInto(bytes, bytes.size - 10)
                fails("the footer has 2147483647 bytes", bytes, Inputs.files)
            }
            test("whose footer is larger than the limit [FIL-06]") {
                val options = IpcReadOptions.defaults().withMaxAllocation(16)
                fails("maxAllocation", file(numbers, message, body), Inputs.files, options)
            }
            test("with more rows than a long can count") {
                val rows = Long.MAX_VALUE / 2 + 1
                val nothing = batchMessage(BatchOf(rows, listOf(), listOf()), 0)
                val file = Crafted.file(listOf(), batches = List(2) { nothing to byteArrayOf() })
                ArrowFile.open(ByteChannel(file), IpcReadOptions.defaults()).use {
                    shouldThrow<IpcException> { it.rowCount() }.message!! shouldContain "$rows"
                }
            }
            test("that is empty") { fails("has 0 bytes", byteArrayOf(), Inputs.files) }
            test("that is a stream") { fails("open it with ArrowStream", stream(framed(message, body)), Inputs.files) }
            test("of the first version of Feather") {
                fails("Feather file of version 1", "FEA1".toByteArray() + ByteArray(60), Inputs.files)
            }
        }

        context("older input is read") {
            test("with messages that have no continuation mark [FIL-09]") {
                val message = batchMessage(batch(), 32)
                val stream = join(
                    framed(schemaMessage(numbers), isLegacy = true), framed(message, body, isLegacy = true), numbers(0),
                )
                for (input in Inputs.streams) rows(stream, input) shouldContainExactly listOf(1L, 2, 3, 4)
                val file = Crafted.file(listOf(numbers), batches = listOf(message to body), isLegacy = true)
                for (input in Inputs.files) rows(file, input) shouldContainExactly listOf(1L, 2, 3, 4)
            }
            test("whose footer has no version, as Arrow Java wrote it before 1.0 [FIL-09]") {
                fun old(footer: Short, message: Short): ByteArray {
                    val batch = batchMessage(batch(), 32, message) to body
                    return Crafted.file(listOf(numbers), batches = listOf(batch), version = footer)
                }
                for (input in Inputs.files) {
                    rows(old(MetadataVersion.V1, MetadataVersion.V4), input) shouldContainExactly listOf(1L, 2, 3, 4)
                }
                fails("V1", old(MetadataVersion.V1, MetadataVersion.V1), Inputs.files)
                fails("V3", old(MetadataVersion.V3, MetadataVersion.V4), Inputs.files)
            }
            test("with the bitmap of a union in version V4, unless it has nulls") {
                val union = FieldOf("u", type(Type.Union, 0, 2), listOf(FieldOf("n", int32)))
                val data = ByteArray(8) + numbers(5, 6)
                fun stream(nulls: Long) = join(
                    framed(schemaMessage(union, version = MetadataVersion.V4)),
                    framed(
                        batchMessage(
                            BatchOf(2, listOf(2L to nulls, 2L to 0L), listOf(0L to 0L, 0L to 2L, 0L to 0L, 8L to 8L)),
                            16, MetadataVersion.V4,
                        ),
                        data,
                    ),
                )
                for (input in Inputs.streams) input.read(stream(0)) shouldBe 2
                fails("has 1 nulls in its own bitmap", stream(1), Inputs.streams)
            }
            for (hasBitmap in listOf(true, false)) {
                val name = if (hasBitmap) "the bitmap of run-ends, as of Arrow C++," else "run-ends without a bitmap"
                test("with $name in version V4, beside a union [FIL-09]") {
                    val runs = FieldOf(
                        "r", type(Type.RunEndEncoded), listOf(FieldOf("run_ends", int32, isNullable = false), numbers),
                    )
                    val union = FieldOf("u", type(Type.Union, 0, 2), listOf(FieldOf("i", int32)))
                    val none = 0L to 0L
                    val bitmap = if (hasBitmap) listOf(none) else listOf()
                    fun stream(nulls: Long) = join(
                        framed(schemaMessage(runs, union, version = MetadataVersion.V4)),
                        framed(
                            batchMessage(
                                BatchOf(
                                    2, listOf(2L to nulls, 1L to 0L, 1L to 0L, 2L to 0L, 2L to 0L),
                                    bitmap + listOf(none, 0L to 4L, none, 8L to 8L, none, 16L to 2L, none, 24L to 8L),
                                ),
                                32, MetadataVersion.V4,
                            ),
                            longs(2, 7, 0) + numbers(5, 6),
                        ),
                    )
                    for (input in Inputs.streams) withClue(input) {
                        input.read(stream(0)) {
                            it.column("r").toList() shouldBe listOf(7L, 7L)
                            it.column("u").toList() shouldBe listOf(5, 6)
                        } shouldBe 2
                        val options = IpcReadOptions.defaults().withColumns("u") // the other one is skipped
                        input.read(stream(0), options) { it.column("u").toList() shouldBe listOf(5, 6) } shouldBe 2
                    }
                    if (hasBitmap) fails("has 1 nulls in its own bitmap", stream(1), Inputs.streams)
                }
            }
            test("with bytes behind its end mark, which stay in the input") {
                val rest = ByteArrayInputStream(stream(Crafted.end, numbers(1, 2, 3)))
                ArrowStream.open(rest, IpcReadOptions.defaults()).use { it.next() shouldBe null }
                rest.available().toLong() shouldBeGreaterThanOrEqual 12
            }
        }
    }

    private fun lz4(bytes: ByteArray): ByteArray {
        val output = java.io.ByteArrayOutputStream()
        org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream(output).use { it.write(bytes) }
        return output.toByteArray()
    }
}
