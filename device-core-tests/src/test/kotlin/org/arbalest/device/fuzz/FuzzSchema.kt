// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.fuzz

import org.arbalest.device.c.CData
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.support.struct
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.StructKind.SCHEMA
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/**
 * Schemas of any shape and format. The import accepts or rejects them and releases them once, and an imported field is
 * equal after export and import.
 */
internal object FuzzSchema : FuzzTarget() {
    private val formats = listOf(
        "n", "b", "c", "L", "e", "g", "z", "U", "vu", "vz", "w:3", "w:0", "d:9,2", "d:19,3,256", "d:5,-2,32", "tdD",
        "tdm", "tts", "ttn", "tsm:", "tsu:UTC", "tDu", "tiM", "tin", "+l", "+L", "+vl", "+vL", "+w:2", "+s", "+m",
        "+ud:0,1", "+us:", "+us:5", "+r",
    )

    override fun run(input: Input) = Arena.ofConfined().use { arena ->
        val schema = arena.struct(SCHEMA)
        make(input, arena, schema, 0)
        val field = refusable { CData.importSchema(schema) }
        check(RawArrowSchema.release(schema.address()) == 0L) { "the import did not release the schema" }
        if (field != null) {
            val out = arena.struct(SCHEMA)
            CData.exportSchema(field, out)
            val back = CData.importSchema(out)
            check(back == field) { "$field was exported and imported as $back" }
        }
    }

    private fun make(input: Input, arena: Arena, schema: MemorySegment, depth: Int) {
        val own = input.choose(formats)
        val format = if (input.oneIn(4)) text(input, 6) else if (input.oneIn(4)) own + text(input, 4) else own
        val usual = when {
            !own.startsWith("+") || own == "+us:" -> 0
            own == "+r" || own == "+ud:0,1" -> 2
            own == "+s" -> input.below(4)
            else -> 1
        }
        val children = if (depth >= 4) 0 else if (input.oneIn(8)) input.below(6) - 2 else usual
        val metadata = if (input.oneIn(4)) FuzzMetadata.block(input) else null
        val name = if (input.oneIn(16)) null else text(input, 3)
        PeerNodes.schema(schema, if (input.oneIn(64)) null else format, name, metadata, flags = input.below(8).toLong(),
            children = children.toLong())
        for (i in 0 until children) {
            make(input, arena, at(RawArrowSchema.child(schema.address(), i.toLong())), depth + 1)
            if (input.oneIn(64)) {
                val moved = arena.struct(SCHEMA)
                PeerMoves.moveSchemaChild(schema, i.toLong(), moved)
                PeerMoves.release(moved, SCHEMA)
            }
        }
        if (depth < 4 && input.oneIn(8)) {
            PeerNodes.setSchemaDictionary(schema)
            make(input, arena, at(RawArrowSchema.dictionary(schema.address())), depth + 1)
        }
        if (input.oneIn(64)) PeerNodes.nullSchemaChildren(schema)
    }

    /** Returns text of Latin letters, digits, and all other values of a byte. */
    private fun text(input: Input, most: Int): String =
        input.bytes(input.below(most + 1)).map { Char(it.toInt() and 0xFF) }.filter { it != '\u0000' }.joinToString("")

    private fun at(address: Long): MemorySegment = MemorySegment.ofAddress(address).reinterpret(RawArrowSchema.SIZE)

    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) = fuzz(data)
}
