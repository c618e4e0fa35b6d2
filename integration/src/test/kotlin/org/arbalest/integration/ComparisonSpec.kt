// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.integration.json.IntegrationFile
import org.arbalest.support.ResourceCountersExtension

/** Tests that a comparison finds each kind of difference, and names its path, its row and both values. */
class ComparisonSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** Expects the difference that follows from a change of the sample. */
    fun planted(name: String, part: String, other: String, difference: String) = test("$name is found") {
        Sample.difference(Sample.changed(part, other)) shouldBe difference
    }

    planted("a null bit", "\"VALIDITY\": [1, 1, 1, 1, 0]", "\"VALIDITY\": [1, 1, 1, 0, 0]",
        "batch 0, a.b[1]: row 2: expected a value, found null")
    planted("a value in place of a null", "[1, 0, 1], \"OFFSET\"", "[1, 1, 1], \"OFFSET\"",
        "batch 0, a.b: row 1: expected null, found a value")
    planted("an offset of a list", "[0, 2, 2, 5]", "[0, 1, 2, 5]",
        "batch 0, a.b: row 0: expected length 2, found length 1")
    planted("a list that is too long", "[0, 2, 2, 5]", "[0, 3, 3, 5]",
        "batch 0, a.b: row 0: expected length 2, found length 3")
    planted("an integer", "10, 11, 12", "10, 11, 22", "batch 0, a.b[0]: row 2: expected 12, found 22")
    planted("a text", "yz!", "yy!", "batch 0, word: row 1: expected \"yz!\", found \"yy!\"")
    planted("an index", "[0, 1, 1]", "[1, 1, 1]", "batch 0, color: row 0: expected \"red\", found \"green\"")
    planted("a value of a dictionary", "\"red\"", "\"rot\"", "batch 0, color: row 0: expected \"red\", found \"rot\"")
    planted("the bytes of a key", "0B0C", "0B0D", "batch 0, sizes[0].key: row 2: expected 0x0B0C, found 0x0B0D")
    planted("a floating-point number", "[1.5, 0.0]", "[1.25, 0.0]",
        "batch 0, sizes[0].value: row 0: expected 1.5, found 1.25")
    planted("a type id", "\"TYPE_ID\": [9, 5, 9], \"OFFSET\": [0, 0, 1]",
        "\"TYPE_ID\": [9, 9, 9], \"OFFSET\": [0, 1, 1]",
        "batch 0, either: row 1: expected type id 5, found type id 9")
    planted("a decimal", "-12345", "-12346", "batch 0, either.price: row 1: expected -123.45, found -123.46")
    planted("an inlined text", "\"hi\"", "\"ho\"", "batch 0, either.text: row 0: expected \"hi\", found \"ho\"")
    planted("the offset of a view", "\"OFFSET\": 1}", "\"OFFSET\": 2}",
        "batch 0, either.text: row 2: expected \"a longer text\", found \" longer text!\"")
    planted("a run end", "\"DATA\": [1, 3]", "\"DATA\": [2, 3]",
        "batch 0, runs: row 1: expected 9223372036854775807, found -7")
    planted("a number of 64 bits", "9223372036854775807", "9223372036854775806",
        "batch 0, runs: row 1: expected 9223372036854775807, found 9223372036854775806")

    planted("a value of metadata", "\"en\"", "\"de\"",
        "schema, word, metadata \"lang\": expected \"en\", found \"de\"")
    planted("missing metadata", "{\"key\": \"lang\", \"value\": \"en\"}, ", "",
        "schema, word, metadata \"lang\": expected \"en\", found none")
    planted("metadata of the schema", "\"sample\"", "\"example\"",
        "schema, metadata \"source\": expected \"sample\", found \"example\"")
    planted("the id of a dictionary", "\"id\": 4, \"indexType\"", "\"id\": 3, \"indexType\"",
        "schema, color: expected dictionary 4, found dictionary 3")
    planted("the order of a dictionary", "\"isOrdered\": false", "\"isOrdered\": true",
        "schema, color: expected a dictionary without order, found an ordered dictionary")
    planted("the width of indices", "\"isSigned\": true, \"bitWidth\": 8", "\"isSigned\": false, \"bitWidth\": 8",
        "schema, color: expected indices of int8, found of uint8")
    planted("the order of keys", "\"keysSorted\": false", "\"keysSorted\": true",
        "schema, sizes: expected map with keys in any order, found map with sorted keys")
    planted("the nullability of a field", "\"word\", \"nullable\": false", "\"word\", \"nullable\": true",
        "schema, word: expected not nullable, found nullable")
    planted("the nullability of the values of a map", "\"value\", \"nullable\": true", "\"value\", \"nullable\": false",
        "schema, sizes.entries.value: expected nullable, found not nullable")
    planted("the name of a child", "\"name\": \"values\", \"nullable\"", "\"name\": \"value\", \"nullable\"",
        "schema, runs.values: expected the name \"values\", found \"value\"")
    planted("the parameter of a type", "\"scale\": 2", "\"scale\": 3",
        "schema, either.price: expected decimal128(20, 2), found decimal128(20, 3)")
    planted("the type ids of a union", "\"typeIds\": [5, 9]", "\"typeIds\": [6, 9]",
        "schema, either: expected DENSE union with type ids [5, 9], found DENSE union with type ids [6, 9]")
    planted("a time zone", "\"UTC\"", "\"CET\"",
        "schema, runs.values: expected timestamp[s, tz=UTC], found timestamp[s, tz=CET]")

    test("batches of different lengths differ") {
        IntegrationFile.parse(Sample.text).batch(0).use { batch ->
            batch.slice(0, 2).use {
                BatchComparison.difference(3, batch, it) shouldBe "batch 3: expected 3 rows, found 2"
                BatchComparison.difference(4, it, batch) shouldBe "batch 4: expected 2 rows, found 3"
            }
        }
    }

    test("a missing field differs") {
        val schema = IntegrationFile.parse(Sample.text).schema().schema()
        SchemaComparison.difference(schema, Schema.of(schema.fields().take(1), schema.metadata())) shouldBe
            "schema: expected 6 fields [a, word, color, sizes, either, runs], found 1 field [a]"
    }

    test("the order of metadata does not count") {
        val schema = IntegrationFile.parse(Sample.text).schema().schema()
        val one = schema.withMetadata(Metadata.of(linkedMapOf("a" to "1", "b" to "2")))
        val other = schema.withMetadata(Metadata.of(linkedMapOf("b" to "2", "a" to "1")))
        SchemaComparison.difference(one, other).shouldBeNull()
    }

    for ((name, change) in mapOf(
        "the name of the entries of a map" to ("\"entries\"" to "\"some_entries\""),
        "the name of the keys of a map" to ("\"name\": \"key\"" to "\"name\": \"some_key\""),
        "the bytes of a null" to ("13, 14]" to "13, 99]"),
        "the sign of zero" to ("[1.5, 0.0]" to "[1.5, -0.0]"),
        "the index of a null" to ("\"DATA\": [0, 1, 1]" to "\"DATA\": [0, 1, 0]"),
    )) {
        test("$name does not count") {
            val (part, other) = change
            check(part in Sample.text)
            Sample.difference(Sample.text.replace(part, other)).shouldBeNull()
        }
    }

    test("NaN equals NaN, and no number") {
        val part = "[1.5, 0.0]"
        val nan = IntegrationFile.parse(Sample.changed(part, "[\"NaN\", 0.0]"))
        nan.batch(0).use { one ->
            nan.batch(0).use { BatchComparison.difference(0, one, it).shouldBeNull() }
            IntegrationFile.parse(Sample.text).batch(0).use {
                BatchComparison.difference(0, one, it) shouldBe
                    "batch 0, sizes[0].value: row 0: expected NaN, found 1.5"
            }
        }
    }

    test("values behind another index, in another run or another view are equal") {
        val text = Sample.text
            .replace("\"DATA\": [\"red\", \"green\"]", "\"DATA\": [\"green\", \"red\"]")
            .replace("\"OFFSET\": [0, 3, 8]", "\"OFFSET\": [0, 5, 8]").replace("[0, 1, 1]", "[1, 0, 1]")
            .replace("\"2D61206C6F6E676572207465787421\"", "\"00\", \"61206C6F6E6765722074657874\"")
            .replace("\"BUFFER_INDEX\": 0, \"OFFSET\": 1", "\"BUFFER_INDEX\": 1, \"OFFSET\": 0")
            .replace("\"count\": 2, \"VALIDITY\": [1, 1], \"DATA\": [1, 3]",
                "\"count\": 3, \"VALIDITY\": [1, 1, 1], \"DATA\": [1, 2, 3]")
            .replace("\"count\": 2, \"VALIDITY\": [1, 1], \"DATA\": [\"-7\",",
                "\"count\": 3, \"VALIDITY\": [1, 1, 1], \"DATA\": [\"-7\", \"9223372036854775807\",")
        Sample.difference(text).shouldBeNull()
    }
})
