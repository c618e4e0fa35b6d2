// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.Validation
import org.arbalest.integration.json.IntegrationFile
import org.arbalest.integration.json.JsonFormatException
import org.arbalest.integration.json.JsonSchema
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension

/** Tests the JSON format: each type, and texts that do not follow it. */
class JsonFormatSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("the sample is the same after it was read and written") {
        val file = IntegrationFile.parse(Sample.text)
        file.batch(0).use { batch ->
            batch.validate(Validation.FULL)
            Masked.difference(Sample.text, IntegrationFile.write(file.schema(), listOf(batch))).shouldBeNull()
        }
    }

    for (range in listOf(0 until 40, 5 until 29, 3 until 3)) {
        test("the rows $range of each type are the same after they were written and read") {
            EveryType.batch(0, 40).use { whole ->
                whole.slice(range.first.toLong(), range.count().toLong()).use { batch ->
                    val schema = JsonSchema.numbered(batch.schema())
                    val again = IntegrationFile.parse(IntegrationFile.write(schema, listOf(batch)))
                    SchemaComparison.difference(schema, again.schema()).shouldBeNull()
                    again.batch(0).use {
                        it.validate(Validation.FULL)
                        BatchComparison.difference(0, batch, it).shouldBeNull()
                    }
                }
            }
        }
    }

    test("an infinite number and NaN are texts") {
        val text = Sample.changed("[1.5, 0.0]", "[\"NaN\", \"-Infinity\"]")
        val file = IntegrationFile.parse(text)
        file.batch(0).use {
            Masked.difference(text, IntegrationFile.write(file.schema(), listOf(it))).shouldBeNull()
        }
    }

    test("a null of text may have fewer bytes than its offsets") {
        val text = Sample.changed("[1, 1, 1], \"OFFSET\": [0, 1, 4, 4]", "[1, 0, 1], \"OFFSET\": [0, 1, 4, 4]")
            .replace("yz!", "").replace("\"word\", \"nullable\": false", "\"word\", \"nullable\": true")
        IntegrationFile.parse(text).batch(0).use { it.column("word").isNull(1) shouldBe true }
    }

    test("offsets may be missing without elements") {
        val text = """
            {"schema": {"fields": [
               {"name": "a", "nullable": true, "type": {"name": "largebinary"}, "children": []}]},
             "batches": [{"count": 0, "columns": [
               {"name": "a", "count": 0, "VALIDITY": [], "OFFSET": [], "DATA": []}]}]}
        """
        IntegrationFile.parse(text).batch(0).use {
            it.validate(Validation.FULL)
            it.length() shouldBe 0
        }
    }

    test("a union may have a bitmap without nulls, as before version 5 of Arrow's files") {
        Sample.difference(Sample.changed("\"TYPE_ID\"", "\"VALIDITY\": [1, 1, 1], \"TYPE_ID\"")).shouldBeNull()
    }

    /** Expects the message of an error that follows from a change of the sample. */
    fun fault(name: String, part: String, other: String, message: String) = test("$name is an error") {
        shouldThrow<JsonFormatException> { IntegrationFile.parse(Sample.changed(part, other)).batch(0).close() }
            .message shouldBe message
    }

    fault("an unknown type", "\"name\": \"utf8view\"", "\"name\": \"utf9\"",
        "\$.schema.fields[4].children[1].type: the type \"utf9\" is unknown")
    fault("an unknown member", "\"metadata\": null", "\"note\": 1",
        "\$.schema.fields[0].children[0]: the member \"note\" is unknown here")
    fault("a missing member", "\"SIZE\": 2, ", "",
        "\$.batches[0].columns[4].children[1].VIEWS[0]: \"SIZE\" is missing")
    fault("a missing dictionary", "\"id\": 4, \"data\"", "\"id\": 5, \"data\"",
        "\$.batches[0].columns[2]: dictionary 4 is missing")
    fault("an offset that decreases", "[0, 2, 2, 5]", "[0, 2, 1, 5]",
        "\$.batches[0].columns[0].children[0].OFFSET[2]: 1 is less than the offset before it, 2")
    fault("an offset that does not fit the text", "[0, 1, 4, 4]", "[0, 2, 4, 4]",
        "\$.batches[0].columns[1].DATA[0]: it has 1 bytes, but its offsets are 0 and 2")
    fault("a wrong number of values", "[10, 11, 12, 13, 14]", "[10, 11, 12, 13]",
        "\$.batches[0].columns[0].children[0].children[0].DATA: it has 4 elements instead of 5")
    fault("an integer out of range", "[0, 1, 1]", "[0, 128, 1]",
        "\$.batches[0].columns[2].DATA[1]: 128 is not within -128 to 127")
    fault("a text in place of a number", "[1, 3]", "[1, \"x\"]",
        "\$.batches[0].columns[5].children[0].DATA[1]: an integer of at most 64 bits is expected, not \"x\"")
    fault("a decimal that does not fit", "-12345", "1" + "0".repeat(40),
        "\$.batches[0].columns[4].children[0].DATA[0]: 1" + "0".repeat(40) + " does not fit in 128 bits with a sign")
    fault("odd hexadecimal digits", "\"0A\"", "\"A\"",
        "\$.batches[0].columns[3].children[0].children[0].DATA[0]: " +
            "hexadecimal digits in pairs are expected, not \"A\"")
    fault("another name than the schema's", "\"name\": \"word\", \"count\"", "\"name\": \"words\", \"count\"",
        "\$.batches[0].columns[1]: its name is \"words\", but the schema's is \"word\"")
    fault("an inlined text of another size", "\"hi\"", "\"him\"",
        "\$.batches[0].columns[4].children[1].VIEWS[0].INLINED: it has 3 bytes instead of 2")
    fault("a wrong number of children", "\"typeIds\": [5, 9]", "\"typeIds\": [5]",
        "\$.schema.fields[4].type: a union has 1 type ids [5] for 2 children")

    fault("a null of a union", "\"TYPE_ID\"", "\"VALIDITY\": [1, 0, 1], \"TYPE_ID\"",
        "\$.batches[0].columns[4].VALIDITY[1]: unions have no nulls of their own")

    test("a text that is not JSON is an error") {
        shouldThrow<JsonFormatException> { IntegrationFile.parse("{\"schema\": ") }
            .message!!.startsWith("the text is not JSON: ") shouldBe true
    }
})
