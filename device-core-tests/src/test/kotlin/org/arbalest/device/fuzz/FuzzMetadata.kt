// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.fuzz

import org.arbalest.device.DeviceException
import org.arbalest.device.c.CData
import org.arbalest.device.support.struct
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.StructKind.SCHEMA
import java.lang.foreign.Arena
import java.nio.BufferUnderflowException
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Metadata of any bytes (SCH-04, SCH-05): the import returns exactly the pairs that the bytes encode. */
internal object FuzzMetadata : FuzzTarget() {
    private const val MOST_PAIRS = 1 shl 16

    override fun run(input: Input) {
        val block = block(input) ?: return
        Arena.ofConfined().use { arena ->
            val schema = arena.struct(SCHEMA)
            PeerNodes.schema(schema, "n", metadata = block)
            val read = try {
                CData.importSchema(schema).metadata().entries().map {
                    it.keyBytes().toList() to it.valueBytes().toList()
                }
            } catch (e: DeviceException) {
                check("metadata" in e.message!!) { e }
                null
            }
            check(read == entries(block)) { "${block.toList()} was read as $read" }
            PeerMoves.release(schema, SCHEMA)
        }
    }

    /** Returns a block as C could contain it. Its lengths may be wrong, but do not lead beyond its end. */
    fun block(input: Input): ByteArray? {
        val data = ByteBuffer.wrap(input.bytes(4 + input.below(64))).order(ByteOrder.nativeOrder())
        if (input.oneIn(2)) data.putInt(0, data.getInt(0) and 3)
        val pairs = data.getInt(0)
        if (pairs < 0 || pairs > MOST_PAIRS) return data.array()
        var at = 4
        repeat(2 * pairs) {
            if (data.capacity() - at < 4) return null // the block has no space for the next length
            val room = data.capacity() - at - 4
            if (data.getInt(at) > room) data.putInt(at, data.getInt(at) and 15)
            if (data.getInt(at) > room) data.putInt(at, room)
            if (data.getInt(at) < 0) return data.array()
            at += 4 + data.getInt(at)
        }
        return data.array()
    }

    /** Returns the pairs that a block encodes, or null if it is malformed. */
    private fun entries(block: ByteArray): List<Pair<List<Byte>, List<Byte>>>? = try {
        val data = ByteBuffer.wrap(block).order(ByteOrder.nativeOrder())
        fun bytes() = ByteArray(data.getInt()).also(data::get).toList()
        val pairs = data.getInt()
        if (pairs !in 0..MOST_PAIRS) null else List(pairs) { bytes() to bytes() }
    } catch (_: NegativeArraySizeException) {
        null
    } catch (_: BufferUnderflowException) {
        null
    }

    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) = fuzz(data)
}
