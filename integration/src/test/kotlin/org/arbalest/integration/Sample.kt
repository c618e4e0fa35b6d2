// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import org.arbalest.integration.json.IntegrationFile

/** A small JSON file: one batch of three rows. */
internal object Sample {
    val text = """
        {"schema": {
          "fields": [
            {"name": "a", "nullable": true, "type": {"name": "struct"}, "children": [
              {"name": "b", "nullable": true, "type": {"name": "list"}, "metadata": null, "children": [
                {"name": "item", "nullable": true, "type": {"name": "int", "isSigned": true, "bitWidth": 32},
                 "children": []}]}]},
            {"name": "word", "nullable": false, "type": {"name": "utf8"}, "children": [],
             "metadata": [{"key": "lang", "value": "en"}, {"key": "unit", "value": ""}]},
            {"name": "color", "nullable": true, "type": {"name": "utf8"}, "children": [],
             "dictionary": {"id": 4, "indexType": {"name": "int", "isSigned": true, "bitWidth": 8},
                            "isOrdered": false}},
            {"name": "sizes", "nullable": true, "type": {"name": "map", "keysSorted": false}, "children": [
              {"name": "entries", "nullable": false, "type": {"name": "struct"}, "children": [
                {"name": "key", "nullable": false, "type": {"name": "binary"}, "children": []},
                {"name": "value", "nullable": true, "type": {"name": "floatingpoint", "precision": "DOUBLE"},
                 "children": []}]}]},
            {"name": "either", "nullable": true, "type": {"name": "union", "mode": "DENSE", "typeIds": [5, 9]},
             "children": [
              {"name": "price", "nullable": true,
               "type": {"name": "decimal", "precision": 20, "scale": 2, "bitWidth": 128}, "children": []},
              {"name": "text", "nullable": true, "type": {"name": "utf8view"}, "children": []}]},
            {"name": "runs", "nullable": true, "type": {"name": "runendencoded"}, "children": [
              {"name": "run_ends", "nullable": false, "type": {"name": "int", "isSigned": true, "bitWidth": 16},
               "children": []},
              {"name": "values", "nullable": true, "type": {"name": "timestamp", "unit": "SECOND", "timezone": "UTC"},
               "children": []}]}],
          "metadata": [{"key": "source", "value": "sample"}]},
        "dictionaries": [
          {"id": 4, "data": {"count": 2, "columns": [
            {"name": "DICT4", "count": 2, "VALIDITY": [1, 1], "OFFSET": [0, 3, 8], "DATA": ["red", "green"]}]}}],
        "batches": [{"count": 3, "columns": [
          {"name": "a", "count": 3, "VALIDITY": [1, 1, 1], "children": [
            {"name": "b", "count": 3, "VALIDITY": [1, 0, 1], "OFFSET": [0, 2, 2, 5], "children": [
              {"name": "item", "count": 5, "VALIDITY": [1, 1, 1, 1, 0], "DATA": [10, 11, 12, 13, 14]}]}]},
          {"name": "word", "count": 3, "VALIDITY": [1, 1, 1], "OFFSET": [0, 1, 4, 4], "DATA": ["x", "yz!", ""]},
          {"name": "color", "count": 3, "VALIDITY": [1, 1, 0], "DATA": [0, 1, 1]},
          {"name": "sizes", "count": 3, "VALIDITY": [1, 1, 1], "OFFSET": [0, 1, 1, 2], "children": [
            {"name": "entries", "count": 2, "VALIDITY": [1, 1], "children": [
              {"name": "key", "count": 2, "VALIDITY": [1, 1], "OFFSET": [0, 1, 3], "DATA": ["0A", "0B0C"]},
              {"name": "value", "count": 2, "VALIDITY": [1, 1], "DATA": [1.5, 0.0]}]}]},
          {"name": "either", "count": 3, "TYPE_ID": [9, 5, 9], "OFFSET": [0, 0, 1], "children": [
            {"name": "price", "count": 1, "VALIDITY": [1], "DATA": ["-12345"]},
            {"name": "text", "count": 2, "VALIDITY": [1, 1],
             "VIEWS": [{"SIZE": 2, "INLINED": "hi"},
                       {"SIZE": 13, "PREFIX_HEX": "61206C6F", "BUFFER_INDEX": 0, "OFFSET": 1}],
             "VARIADIC_DATA_BUFFERS": ["2D61206C6F6E676572207465787421"]}]},
          {"name": "runs", "count": 3, "children": [
            {"name": "run_ends", "count": 2, "VALIDITY": [1, 1], "DATA": [1, 3]},
            {"name": "values", "count": 2, "VALIDITY": [1, 1], "DATA": ["-7", "9223372036854775807"]}]}]}]}
    """.trimIndent()

    /** Returns the text with one change; the part to change occurs once. */
    fun changed(part: String, other: String): String {
        check(text.indexOf(part) >= 0 && text.indexOf(part) == text.lastIndexOf(part)) { "not once: $part" }
        return text.replace(part, other)
    }

    /** Returns the first difference of a text to this file: of the schema, or of a batch. */
    fun difference(found: String): String? {
        val expected = IntegrationFile.parse(text)
        val changed = IntegrationFile.parse(found)
        return SchemaComparison.difference(expected.schema(), changed.schema()) ?: expected.batch(0).use { a ->
            changed.batch(0).use { b -> BatchComparison.difference(0, a, b) }
        }
    }
}
