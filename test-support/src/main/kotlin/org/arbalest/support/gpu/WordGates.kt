// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import org.arbalest.device.DeviceStream
import org.arbalest.testkit.contract.Gate
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.invoke.VarHandle
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

/**
 * Gates for a GPU's streams, which wait for a word in pinned memory. No thread waits, and no host function blocks
 * others.
 *
 * @param allocate returns pinned memory of a number of bytes, which remains until the process ends
 * @param wait makes a stream wait until the word at an address is 1 or more, for example by `cuStreamWaitValue32`
 */
class WordGates(allocate: (Long) -> MemorySegment, private val wait: (DeviceStream, Long) -> Unit) {
    private val allocated = lazy { allocate(4L * WORDS) }
    private val words by allocated
    private val next = AtomicInteger()
    private val shut = ConcurrentLinkedQueue<Gate>()

    /** Returns the number of allocations of pinned memory for the words: none before the first gate. */
    fun blocks(): Int = if (allocated.isInitialized()) 1 else 0

    /** Holds the work that is queued in a stream from now on. */
    fun shut(stream: DeviceStream): Gate {
        val word = words.asSlice(4L * (next.getAndIncrement() % WORDS), 4)
        WORD.setRelease(word, 0L, 0)
        val gate = object : Gate {
            override fun open() {
                WORD.setRelease(word, 0L, 1)
                shut -= this
            }

            /** Returns false: a failure on a GPU would end the GPU for the process. */
            override fun fail(): Boolean = false.also { open() }
        }
        shut += gate
        wait(stream, word.address())
        return gate
    }

    /** Opens the gates that a failed test has left shut, so that later tests do not hang. */
    val opened: TestCaseExtension = object : TestCaseExtension {
        override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult =
            execute(testCase).also { shut.toList().forEach { it.open() } }
    }

    private companion object {
        const val WORDS = 1 shl 16
        val WORD: VarHandle = JAVA_INT.varHandle()
    }
}
