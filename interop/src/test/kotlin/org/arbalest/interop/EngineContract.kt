// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.interop.Batches.part
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.lang.foreign.Arena
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS

/**
 * The tests that every engine passes: all types in both directions, in whole batches and in slices, and the ways in
 * which a stream can end.
 */
internal abstract class EngineContract(private val engine: Engine) : FunSpec() {
    private val int64 = Types.all.first { it.name == "int64" }

    init {
        extension(Had.needed { engine.missing })
        extension(ResourceCountersExtension)

        for (type in Types.all) {
            val refusal = engine.refuses[type.name]
            if (type.name in engine.misreads) {
                test("${engine.name} takes $type, reads its values and returns them") {
                    takesAndGives(type, whole(type))
                }

                test("known bug: ${engine.name} reads wrong values from slices of $type") {
                    take(type, inSlices(type)).use { it.differences() shouldBeGreaterThan 0 }
                }
            } else if (refusal == null) {
                test("${engine.name} takes $type, whole and sliced, reads its values and returns them [ARR-12]") {
                    takesAndGives(type)
                }
            } else {
                test("${engine.name} rejects $type with its own message") {
                    shouldThrow<Exception> { take(type, inSlices(type)).close() }
                        .stackTraceToString() shouldContain refusal
                }
            }
        }

        for (batches in listOf(0, 1, 300)) {
            test("${engine.name} takes a stream of $batches batches and returns its rows [STR-01]") {
                take(int64, Batches.stream(int64) { if (it < batches) Batches.built(int64, 10 * it, 10) else null })
                    .use { kept ->
                        kept.differences() shouldBe 0
                        read(kept) shouldBe Batches.expected(int64, 0 until 10 * batches)
                    }
            }
        }

        test("${engine.name} reports the message of a stream that fails [STR-09]") {
            val error = shouldThrow<Exception> { take(int64, tearing(1)).close() }
            error.stackTraceToString() shouldContain "the tape tore"
        }

        test("the first batch of a stream of ${engine.name} outlives the closed stream and its source [STR-05]") {
            val first = take(int64, many()).use { kept -> give(kept).use { it.next()!! } }
            first.use { it.column("i").getLong(0) shouldBe 0 }
        }

        test("a stream of ${engine.name} is closed before its first batch is pulled [STR-05]") {
            take(int64, many()).use { give(it).close() }
        }

        test("${engine.name} serves four threads at once, and releases arrays on any thread [OWN-10]") {
            val threads = Executors.newFixedThreadPool(4)
            try {
                val types = Types.all.filter { it.name !in engine.refuses && it.name !in engine.misreads }
                val work = List(4) { thread ->
                    Callable { types.filterIndexed { i, _ -> i % 4 == thread }.forEach(::takesAndGives) }
                }
                threads.invokeAll(work).forEach { it.get() }
            } finally {
                threads.shutdown()
                threads.awaitTermination(5, SECONDS)
            }
        }
    }

    private fun takesAndGives(type: TypeCase, batches: RecordBatchReader = inSlices(type)) {
        withClue(type) {
            take(type, batches).use { kept ->
                kept.differences() shouldBe 0
                val change = engine.changes[type.name] ?: { it }
                read(kept) shouldBe Batches.expected(type, ROWS).mapValues { (_, value) -> value?.let(change) }
            }
        }
    }

    /**
     * Returns rows laid by hand, slices of such rows, a slice without rows, rows made by the library, and a slice of
     * those.
     */
    private fun inSlices(type: TypeCase): RecordBatchReader = Batches.stream(type) { batch ->
        when (batch) {
            0 -> Batches.laid(type, 0, 30)
            1 -> Batches.laid(type, 25, 40).part(5, 20)
            2 -> Batches.laid(type, 0, 9).part(4, 0)
            3 -> Batches.built(type, 50, 30)
            4 -> Batches.built(type, 70, 30).part(10, 20)
            else -> null
        }
    }

    private fun whole(type: TypeCase): RecordBatchReader =
        Batches.stream(type) { batch -> if (batch < 2) Batches.laid(type, 50 * batch, 50, before = 0) else null }

    private fun many(): RecordBatchReader = Batches.stream(int64) {
        if (it < 100) Batches.built(int64, 1000 * it, 1000) else null
    }

    /** Returns a stream that fails after [batches] batches. */
    protected fun tearing(batches: Int): RecordBatchReader =
        Batches.stream(int64) {
            if (it < batches) Batches.built(int64, 10 * it, 10) else throw IOException("the tape tore")
        }

    protected fun take(type: TypeCase, reader: RecordBatchReader): Kept = reader.asStruct { engine.take(it, type) }

    private fun give(kept: Kept): RecordBatchReader = Arena.ofConfined().use { arena ->
        arena.allocate(ArrowArrayStreamStruct.LAYOUT).let { out ->
            kept.give(out)
            CData.importStream(out, CImport.DATA)
        }
    }

    private fun read(kept: Kept): Map<Long, Any?> = give(kept).use(Batches::read)

    private companion object {
        val ROWS = 0 until 100
    }
}
