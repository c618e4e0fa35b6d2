// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.types.Field
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** A schema that the C peer creates. [tamper] can corrupt a struct after its creation. */
internal class CSchema(
    val format: String?,
    val name: String? = "",
    val flags: Long = 2,
    val metadata: ByteArray? = null,
    val children: List<CSchema> = emptyList(),
    val dictionary: CSchema? = null,
    val tamper: (MemorySegment) -> Unit = {},
) {
    constructor(format: String, vararg children: CSchema) : this(format, children = children.toList())

    fun named(newName: String?): CSchema = CSchema(format, newName, flags, metadata, children, dictionary, tamper)

    fun flagged(newFlags: Long): CSchema = CSchema(format, name, newFlags, metadata, children, dictionary, tamper)

    fun write(out: MemorySegment) {
        PeerNodes.schema(out, format, name, metadata, flags, children.size.toLong())
        children.forEachIndexed { i, child -> child.write(childOf(out, i.toLong())) }
        if (dictionary != null) {
            PeerNodes.setSchemaDictionary(out)
            dictionary.write(dictionaryOf(out))
        }
        tamper(out)
    }

    /** The number of structs. */
    val nodes: Long get() = 1 + children.sumOf { it.nodes } + (dictionary?.nodes ?: 0)

    override fun toString(): String = "$format \"$name\" $flags $children $dictionary"
}

internal fun childOf(schema: MemorySegment, i: Long): MemorySegment =
    MemorySegment.ofAddress(RawArrowSchema.child(schema.address(), i))

internal fun dictionaryOf(schema: MemorySegment): MemorySegment =
    MemorySegment.ofAddress(RawArrowSchema.dictionary(schema.address()))

internal fun isReleased(schema: MemorySegment): Boolean = RawArrowSchema.release(schema.address()) == 0L

/** Imports the schema that the C peer creates, and checks that its struct is released. */
internal fun imported(schema: CSchema): Field = Arena.ofConfined().use { arena ->
    val struct = arena.allocate(ArrowSchemaStruct.LAYOUT)
    schema.write(struct)
    CData.importSchema(struct).also { isReleased(struct) shouldBe true }
}

/** Checks that the import fails with EINVAL and a message with all of [words], and that it releases the struct. */
internal fun refused(schema: CSchema, vararg words: String) {
    Arena.ofConfined().use { arena ->
        val struct = arena.allocate(ArrowSchemaStruct.LAYOUT)
        schema.write(struct)
        withClue(schema) {
            val error = shouldThrow<DeviceException> { CData.importSchema(struct) }
            error.errno() shouldBe Errno.EINVAL
            for (word in words) error.message!! shouldContain word
            isReleased(struct) shouldBe true
        }
    }
}

/** Exports a field, passes the struct to [read], and releases it. */
internal fun <T> exported(field: Field, read: (MemorySegment) -> T): T = Arena.ofConfined().use { arena ->
    val struct = arena.allocate(ArrowSchemaStruct.LAYOUT).fill(0xA5.toByte())
    CData.exportSchema(field, struct)
    try {
        read(struct)
    } finally {
        PeerMoves.release(struct, StructKind.SCHEMA)
    }
}

/** Returns the C peer's hash of an exported field. */
internal fun checksum(field: Field): Long = exported(field, PeerNodes::schemaChecksum)

/** Returns the C peer's hash of a schema that it creates itself. */
internal fun checksum(schema: CSchema): Long = Arena.ofConfined().use { arena ->
    val struct = arena.allocate(ArrowSchemaStruct.LAYOUT)
    schema.write(struct)
    PeerNodes.schemaChecksum(struct).also { PeerMoves.release(struct, StructKind.SCHEMA) }
}

/**
 * Imports the peer's schema and exports it again. The peer's hash must be the same, and a second import must return an
 * equal field.
 */
internal fun roundTrip(schema: CSchema): Field {
    val field = imported(schema)
    withClue(schema) {
        checksum(field) shouldBe checksum(schema)
        val again = exported(field) { struct ->
            Arena.ofConfined().use { arena ->
                val moved = arena.allocate(ArrowSchemaStruct.LAYOUT)
                PeerMoves.move(struct, moved, StructKind.SCHEMA)
                CData.importSchema(moved)
            }
        }
        again shouldBe field
        again.hashCode() shouldBe field.hashCode()
    }
    return field
}

/** Returns a block of metadata in the encoding of the C data interface. */
internal fun block(pairs: List<Pair<ByteArray, ByteArray>>, count: Int = pairs.size): ByteArray {
    val bytes = ByteBuffer.allocate(4 + pairs.sumOf { 8 + it.first.size + it.second.size })
        .order(ByteOrder.nativeOrder())
    bytes.putInt(count)
    for ((key, value) in pairs) bytes.putInt(key.size).put(key).putInt(value.size).put(value)
    return bytes.array()
}

internal fun block(vararg pairs: Pair<String, String>): ByteArray =
    block(pairs.map { (key, value) -> key.toByteArray() to value.toByteArray() })
