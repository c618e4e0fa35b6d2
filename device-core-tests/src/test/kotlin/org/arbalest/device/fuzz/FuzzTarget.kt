// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.fuzz

import org.arbalest.device.DeviceException
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.CPeer
import java.nio.MappedByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.Path
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE

/**
 * A target that Jazzer calls with bytes again and again. It builds C structures from the bytes, and uses them as an
 * application would.
 *
 * It does nothing that C may not do, such as a buffer smaller than its type requires, because no importer could detect
 * that. Everything else is allowed. The result must be an array, a schema or a [DeviceException], and no resources may
 * be left.
 */
internal abstract class FuzzTarget {
    protected abstract fun run(input: Input)

    /** Runs one input, and checks the resource counters. */
    fun fuzz(data: ByteArray) {
        note(data)
        CPeer.reset()
        val (counters, peer) = ResourceCounters.now() to CPeer.counts()
        run(Input(data))
        val left = ResourceCounters.now().since(counters)
        check(left.isZero) { "the input left resources: $left" }
        val after = CPeer.counts().copy(releaseCalls = peer.releaseCalls)
        check(after == peer.copy(doubleReleases = 0, violations = 0, violation = "")) {
            "the C peer had $peer, and has $after"
        }
    }

    companion object {
        /**
         * The property with the path of the file that holds the last input, because a JVM that crashes cannot report
         * it.
         */
        const val LAST = "arbalest.fuzz.last"

        private const val MOST_BYTES = 1 shl 16

        private val last: MappedByteBuffer? = System.getProperty(LAST)?.let { path ->
            FileChannel.open(Path.of(path), CREATE, READ, WRITE).use {
                it.map(FileChannel.MapMode.READ_WRITE, 0, MOST_BYTES + 4L)
            }
        }

        private fun note(data: ByteArray) {
            val to = last ?: return
            val size = minOf(data.size, MOST_BYTES)
            to.putInt(0, size)
            to.put(4, data, 0, size)
        }

        /** Returns the result, or null if it was rejected with the documented exception. */
        fun <T> refusable(action: () -> T): T? =
            try {
                action()
            } catch (_: DeviceException) {
                null
            }
    }
}

/** A target with a bug that only coverage leads to. A search that does not find it finds nothing. */
internal object PlantedBug : FuzzTarget() {
    override fun run(input: Input) {
        if (input.byte() == 'A'.code && input.byte() == 'R'.code && input.byte() == 'R'.code) error("the planted bug")
    }

    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) = fuzz(data)
}
