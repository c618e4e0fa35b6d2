// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.internal.memory.ByteReader
import org.arbalest.device.internal.memory.ByteWriter
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.support.EveryType
import kotlin.random.Random

/** Tests of schemas as bytes of a message to another process. */
class FieldBytesSpec : FunSpec({
    val schema by lazy { EveryType.batch(0, 4).use { it.schema() } }

    fun bytes(field: Field): ByteArray = ByteWriter().also { FieldBytes.write(field, it) }.toArray()

    fun read(bytes: ByteArray): Field = ByteReader(bytes).let { reader ->
        FieldBytes.read(reader).also { reader.end() }
    }

    test("a field of any type is read back with its name, flags and metadata [IPC-01]") {
        for (field in schema.fields()) {
            val named = field.withMetadata(Metadata.of("key", "value")).withNullable(false)
            for (each in listOf(field, named)) withClue(each) { read(bytes(each)) shouldBe each }
        }
        val whole = schema.asField()
        read(bytes(whole)) shouldBe whole
    }

    test("bytes that are cut or changed give a field or a known exception, and nothing else [IPC-06]") {
        val good = bytes(schema.asField())
        for (length in good.indices) {
            val failure = runCatching { read(good.copyOf(length)) }.exceptionOrNull()
            withClue(length) { (failure as DeviceException).message shouldContain "the message ends at byte $length" }
        }
        val random = Random(6)
        repeat(5000) {
            val bad = good.clone().also { it[random.nextInt(it.size)] = random.nextInt().toByte() }
            val failure = runCatching { read(bad) }.exceptionOrNull()
            withClue("$failure") {
                (failure == null || failure is DeviceException || failure is MalformedException) shouldBe true
            }
        }
    }
})
