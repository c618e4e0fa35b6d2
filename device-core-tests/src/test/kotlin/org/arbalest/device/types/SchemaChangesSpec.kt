// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.c.CData
import org.arbalest.device.support.CSchema
import org.arbalest.device.support.exported
import org.arbalest.device.support.imported
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension

class SchemaChangesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    val meters = Metadata.of("unit", "m")
    val schema = Schema.of(
        listOf(Field.of("id", DataType.INT64).withNullable(false),
            Field.of("height", DataType.FLOAT32).withMetadata(meters), Field.of("name", DataType.UTF8)),
        Metadata.of("source", "survey"),
    )

    test("select returns the fields in the requested order, and keeps the schema's metadata and flags") {
        val some = schema.select("height", "id")
        some.fields() shouldBe listOf(schema.fields()[1], schema.fields()[0])
        some.metadata() shouldBe schema.metadata()
        val odd = imported(CSchema("+s", CSchema("i").named("a"), CSchema("u").named("b")).named("batch")
            .flagged(2L or (1L shl 40)))
        Schema.ofStruct(odd).select("b").asField() shouldBe odd.withType(DataType.struct(odd.type().children()[1]))
        Schema.ofStruct(odd).select("b").asField().flags() shouldBe (2L or (1L shl 40))
    }

    test(
        "select repeats a repeated field, may select none, and rejects an unknown field with the known ones",
    ) {
        schema.select("id", "id").fields() shouldBe List(2) { schema.fields()[0] }
        schema.select().fields() shouldBe listOf()
        shouldThrow<IllegalArgumentException> { schema.select("id", "width") }.message shouldBe
            "the schema has no field \"width\"; it has [id, height, name]"
    }

    test("withMetadata changes only the metadata of a schema") {
        val other = schema.withMetadata(meters)
        other.metadata() shouldBe meters
        other.fields() shouldBe schema.fields()
        other.withMetadata(schema.metadata()) shouldBe schema
        schema.withMetadata(Metadata.empty()).metadata() shouldBe Metadata.empty()
    }

    test(
        "withExtension replaces a field's two extension keys, and keeps its other metadata, type and nullability " +
            "[SCH-16]",
    ) {
        val plain = Field.of("id", DataType.fixedSizeBinary(16)).withNullable(false).withMetadata(meters)
        val uuid = plain.withExtension("arrow.uuid", "")
        uuid.extensionName() shouldBe "arrow.uuid"
        uuid.extensionMetadata() shouldBe byteArrayOf()
        uuid.metadata() shouldBe meters.with("ARROW:extension:name", "arrow.uuid").with("ARROW:extension:metadata", "")
        uuid.withMetadata(meters) shouldBe plain
        val other = uuid.withExtension("mine", byteArrayOf(0, -1))
        other.metadata().entries().map { it.key() } shouldBe
            listOf("unit", "ARROW:extension:name", "ARROW:extension:metadata")
        other.extensionMetadata() shouldBe byteArrayOf(0, -1)
        exported(other) { CData.importSchema(it) } shouldBe other
        for (broken in listOf({ plain.withExtension("half \uD800", "") }, { plain.withExtension("x", "half \uD800") }))
            shouldThrow<IllegalArgumentException> { broken() }
    }
})
