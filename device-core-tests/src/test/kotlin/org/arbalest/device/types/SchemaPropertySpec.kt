// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.RandomSource
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.checkAll
import org.arbalest.device.support.CSchema
import org.arbalest.device.support.block
import org.arbalest.device.support.imported
import org.arbalest.device.support.roundTrip
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayOutputStream
import java.io.ObjectInputStream
import java.io.ObjectOutputStream
import kotlin.random.Random

private val LETTERS = "abcXYZ .\"\\ é日\n\t".toList()

/**
 * Random legal schemas up to some depth, with names, flags, metadata and dictionaries. They do not use the library's
 * code that writes formats.
 */
private class Schemas(private val random: Random) {
    fun any(depth: Int): CSchema =
        decorated(if (depth == 0 || random.nextInt(3) == 0) leaf(depth) else nested(depth - 1))

    private fun leaf(depth: Int): CSchema =
        if (depth > 0 && random.nextInt(4) == 0) {
            CSchema(listOf("c", "C", "s", "S", "i", "I", "l", "L").random(random), flags = random.nextLong(2),
                dictionary = any(depth - 1))
        } else {
            CSchema(PLAIN_TYPES.keys.random(random))
        }

    private fun nested(depth: Int): CSchema = when (random.nextInt(7)) {
        0 -> CSchema(listOf("+l", "+L", "+vl", "+vL").random(random), any(depth))
        1 -> CSchema("+w:${random.nextInt(1000)}", any(depth))
        2 -> {
            val key = any(depth).let { it.flagged(it.flags and 2L.inv()) }
            CSchema("+m", children = listOf(decorated(CSchema("+s", key, any(depth)))), flags = 4L * random.nextInt(2))
        }
        3 -> CSchema("+r", CSchema(listOf("s", "i", "l").random(random), name(), 0), any(depth))
        4 -> {
            val ids = (0..127).shuffled(random).take(random.nextInt(5))
            CSchema((if (random.nextBoolean()) "+ud:" else "+us:") + ids.joinToString(","),
                *Array(ids.size) { any(depth) })
        }
        else -> CSchema("+s", *Array(random.nextInt(6)) { any(depth) })
    }

    private fun decorated(schema: CSchema) = CSchema(
        schema.format,
        if (random.nextInt(10) == 0) null else name(),
        schema.flags and 5L or (if (random.nextBoolean()) 2L else 0L) or
            (if (random.nextInt(8) == 0) random.nextLong() and 7L.inv() else 0L),
        if (random.nextInt(4) == 0) block(List(1 + random.nextInt(4)) { bytes() to bytes() }) else null,
        schema.children,
        schema.dictionary,
    )

    private fun name() = buildString { repeat(random.nextInt(12)) { append(LETTERS.random(random)) } }

    private fun bytes() = random.nextBytes(random.nextInt(40))
}

@Suppress("UNCHECKED_CAST")
private fun <T : Any> serialized(value: T): T {
    val bytes = ByteArrayOutputStream().also { out -> ObjectOutputStream(out).use { it.writeObject(value) } }
        .toByteArray()
    return ObjectInputStream(bytes.inputStream()).use { it.readObject() } as T
}

private val anySchema = arbitrary { source: RandomSource -> Schemas(source.random).any(source.random.nextInt(6)) }

class SchemaPropertySpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("any legal schema from C survives import and export [SCH-20]") {
        checkAll(2000, anySchema) { schema -> roundTrip(schema) }
    }

    test("any legal schema from C keeps its flags and its metadata in Java serialization [SCH-24]") {
        checkAll(500, anySchema) { schema ->
            val field = imported(schema)
            val read = serialized(field)
            read shouldBe field
            read.flags() shouldBe field.flags()
            (read.type() == field.type()) shouldBe true
            val batch = Schema.of(listOf(field), field.metadata())
            serialized(batch) shouldBe batch
            serialized(batch).fields() shouldBe batch.fields()
        }
    }
})
