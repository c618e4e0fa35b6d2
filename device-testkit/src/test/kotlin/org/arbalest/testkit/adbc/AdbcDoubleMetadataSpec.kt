// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Field
import org.arbalest.device.NestedType
import org.arbalest.device.abi.ArrowSchemaStruct
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT

/** The ADBC double: what it says of itself and of its tables, in the schemas of `adbc.h`. */
class AdbcDoubleMetadataSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)
    extension(AdbcDoubleExtension())

    fun <T> driver(use: AdbcCalls.() -> T): T = AdbcCalls(AdbcDouble.full).use { it.open().use() }

    /** Names, types and what may be null, as far down as it goes. */
    fun shown(field: Field): String {
        val below = (field.type() as? NestedType)?.children().orEmpty().joinToString(", ") { shown(it) }
        return field.name() + (if (field.isNullable) "" else "!") + if (below.isEmpty()) "" else "($below)"
    }

    fun AdbcCalls.schema(name: String, vararg arguments: Any?): List<String> {
        val stream = stream()
        ok(name, *arguments, stream)
        return DeviceArrayReader.importStream(stream).use { reader -> reader.schema().fields().map(::shown) }
    }

    fun AdbcCalls.info(vararg codes: Int?): Map<Any?, Any?> {
        val list = if (codes.isEmpty()) null else arena.allocateFrom(JAVA_INT, *codes.map { it!! }.toIntArray())
        return rows("ConnectionGetInfo", connection, list, codes.size.toLong()).associate { it["info_name"] to it["info_value"] }
    }

    test("getInfo has each kind of value, and leaves out what it does not know") {
        driver {
            schema("ConnectionGetInfo", connection, null, 0L) shouldContainExactly listOf(
                "info_name!",
                "info_value(string_value, bool_value, int64_value, int32_bitmask, string_list(item), int32_to_int32_list_map(entries!(key!, value(item))))",
            )
            info().size shouldBe 17
            info(0, 2, 3, 77, 103, 508, 517, 522, 10000) shouldBe mapOf<Any?, Any?>(
                0L to "Arbalest's double", 2L to null, 3L to true, 103L to 1001000L, 508L to listOf("SELECT", null, ""),
                517L to listOf(5L to listOf(1L, 7L), 8L to emptyList<Long>(), 9L to null).map { (key, value) -> java.util.AbstractMap.SimpleEntry(key, value) },
                522L to 6L, 10000L to "an own one \u2192",
            )
            AdbcDouble.full.init(AdbcDouble.Init.ODD_VERSION)
            info(103) shouldBe mapOf<Any?, Any?>(103L to -7L)
        }
    }

    val columns = "column_name!, ordinal_position, remarks, xdbc_data_type, xdbc_type_name, xdbc_column_size, xdbc_decimal_digits, xdbc_num_prec_radix, xdbc_nullable, " +
        "xdbc_column_def, xdbc_sql_data_type, xdbc_datetime_sub, xdbc_char_octet_length, xdbc_is_nullable, xdbc_scope_catalog, xdbc_scope_schema, xdbc_scope_table, " +
        "xdbc_is_autoincrement, xdbc_is_generatedcolumn"
    val constraints = "constraint_name, constraint_type!, constraint_column_names!(item), constraint_column_usage(item(fk_catalog, fk_db_schema, fk_table!, fk_column_name!))"

    fun AdbcCalls.objects(depth: Int = 0, catalog: String? = null, schema: String? = null, table: String? = null, types: List<String>? = null, column: String? = null): List<Map<*, *>> {
        val list = types?.let { names -> arena.allocate(ADDRESS, names.size + 1L).also { names.forEachIndexed { i, name -> it.setAtIndex(ADDRESS, i.toLong(), arena.allocateFrom(name)) } } }
        return rows("ConnectionGetObjects", connection, depth, catalog, schema, table, list, column)
    }

    fun Any?.list(name: String) = (this as Map<*, *>)[name] as List<*>?
    fun List<*>?.names(name: String) = this?.map { (it as Map<*, *>)[name] }

    /** catalog.schema.table of all that are shown. */
    fun tables(objects: List<Map<*, *>>) = objects.flatMap { catalog ->
        catalog.list("catalog_db_schemas")!!.flatMap { schema ->
            schema.list("db_schema_tables")!!.map { "${catalog["catalog_name"]}.${(schema as Map<*, *>)["db_schema_name"]}.${(it as Map<*, *>)["table_name"]}" }
        }
    }

    test("getObjects at each depth") {
        driver {
            schema("ConnectionGetObjects", connection, 0, null, null, null, null, null) shouldContainExactly
                listOf("catalog_name", "catalog_db_schemas(item(db_schema_name, db_schema_tables(item(table_name!, table_type!, table_columns(item($columns)), table_constraints(item($constraints))))))")
            objects(1) shouldBe listOf("attic", "memory").map { mapOf("catalog_name" to it, "catalog_db_schemas" to null) }
            objects(2)[1].list("catalog_db_schemas") shouldBe listOf("aux", "main").map { mapOf("db_schema_name" to it, "db_schema_tables" to null) }
            objects(3, schema = "main", table = "t")[1].list("catalog_db_schemas")!!.single().list("db_schema_tables") shouldBe
                listOf(mapOf("table_name" to "t", "table_type" to "table", "table_columns" to null, "table_constraints" to null))
            call("ConnectionGetObjects", connection, 4, null, null, null, null, null, stream()).status shouldBe Status.INVALID_ARGUMENT
            call("ConnectionGetObjects", connection, -1, null, null, null, null, null, stream()).message shouldBe "ConnectionGetObjects: there is no depth -1"
        }
    }

    test("getObjects with filters") {
        driver {
            update("CREATE TEMPORARY TABLE scratch (a INT)")
            update("CREATE TABLE aux.\"tÜ1\" (a INT)")
            tables(objects()) shouldBe listOf("memory.aux.tÜ1", "memory.main.t", "memory.main.child", "null.null.scratch")
            tables(objects(catalog = "m%")) shouldBe listOf("memory.aux.tÜ1", "memory.main.t", "memory.main.child")
            tables(objects(catalog = "")) shouldBe listOf("null.null.scratch")
            tables(objects(schema = "_ain")) shouldBe listOf("memory.main.t", "memory.main.child")
            tables(objects(schema = "")) shouldBe listOf("null.null.scratch")
            tables(objects(table = "t__")) shouldBe listOf("memory.aux.tÜ1")
            tables(objects(table = "%i%")) shouldBe listOf("memory.main.child")
            tables(objects(types = listOf("view", "temporary table"))) shouldBe listOf("null.null.scratch")
            tables(objects(types = emptyList())) shouldBe emptyList()
            objects(catalog = "memory", table = "t", column = "%a%")[0].list("catalog_db_schemas")!![1].list("db_schema_tables")!![0].list("table_columns").names("column_name") shouldBe
                listOf("name", "flag", "day", "at", "raw")
            objects(1, catalog = "nothing") shouldBe emptyList()
        }
    }

    test("getObjects has each column and each kind of constraint") {
        driver {
            fun of(table: String) = objects(catalog = "memory", schema = "main", table = table).single().list("catalog_db_schemas")!!.single().list("db_schema_tables")!!.single() as Map<*, *>
            val t = of("t").list("table_columns")!!.map { it as Map<*, *> }
            t[0] shouldBe mapOf(
                "column_name" to "id", "ordinal_position" to 1L, "remarks" to "the row's number", "xdbc_data_type" to -5L, "xdbc_type_name" to "BIGINT", "xdbc_column_size" to 19L,
                "xdbc_decimal_digits" to 0L, "xdbc_num_prec_radix" to 10L, "xdbc_nullable" to 0L, "xdbc_column_def" to null, "xdbc_sql_data_type" to -5L, "xdbc_datetime_sub" to null,
                "xdbc_char_octet_length" to null, "xdbc_is_nullable" to "NO", "xdbc_scope_catalog" to null, "xdbc_scope_schema" to null, "xdbc_scope_table" to null,
                "xdbc_is_autoincrement" to false, "xdbc_is_generatedcolumn" to false,
            )
            val child = of("child").list("table_columns")!!.map { it as Map<*, *> }
            (t + child).flatMap { it.entries }.filter { it.value != null }.map { it.key }.toSet().size shouldBe 19
            child[1].let { listOf(it["xdbc_scope_catalog"], it["xdbc_scope_schema"], it["xdbc_scope_table"], it["xdbc_column_def"]) } shouldBe listOf("memory", "main", "t", "0")
            of("child").list("table_constraints") shouldBe listOf(
                mapOf("constraint_name" to "child_key", "constraint_type" to "PRIMARY KEY", "constraint_column_names" to listOf("id"), "constraint_column_usage" to null),
                mapOf(
                    "constraint_name" to "child_t", "constraint_type" to "FOREIGN KEY", "constraint_column_names" to listOf("t_id"),
                    "constraint_column_usage" to listOf(mapOf("fk_catalog" to "memory", "fk_db_schema" to "main", "fk_table" to "t", "fk_column_name" to "id")),
                ),
                mapOf("constraint_name" to "child_label", "constraint_type" to "UNIQUE", "constraint_column_names" to listOf("label", "t_id"), "constraint_column_usage" to null),
                mapOf("constraint_name" to "child_id", "constraint_type" to "CHECK", "constraint_column_names" to emptyList<String>(), "constraint_column_usage" to null),
            )
        }
    }

    test("a table's schema, and the types of tables") {
        driver {
            val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
            ok("ConnectionGetTableSchema", connection, null, null, "t", schema)
            AdbcCalls.fields(schema).map { "${it.name()} ${it.type()} ${it.isNullable}" } shouldBe listOf(
                "id int64 false", "name utf8 true", "price float64 true", "flag bool true", "day date32 true", "at timestamp[us, tz=UTC] true", "raw binary true",
            )
            call("ConnectionGetTableSchema", connection, "attic", "main", "t", schema).let { it.status shouldBe Status.NOT_FOUND; it.sqlstate shouldBe "42P01" }
            rows("ConnectionGetTableTypes", connection) shouldBe listOf("table", "temporary table", "view").map { mapOf("table_type" to it) }
            schema("ConnectionGetTableTypes", connection) shouldBe listOf("table_type!")
        }
    }

    test("statistics are what is in the tables, exactly or not, of each kind of value") {
        driver {
            schema("ConnectionGetStatistics", connection, null, null, null, 0.toByte()) shouldContainExactly listOf(
                "catalog_name",
                "catalog_db_schemas!(item(db_schema_name, db_schema_statistics!(item(table_name!, column_name, statistic_key!, statistic_value!(int64, uint64, float64, binary), statistic_is_approximate!))))",
            )
            fun statistics(approximate: Int) = rows("ConnectionGetStatistics", connection, "memory", "main", "t", approximate.toByte()).single()
                .list("catalog_db_schemas")!!.single().list("db_schema_statistics")!!.map { it as Map<*, *> }
                .associate { "${it["column_name"]} ${it["statistic_key"]}" to Pair(it["statistic_value"].let { value -> (value as? ByteArray)?.decodeToString() ?: value }, it["statistic_is_approximate"]) }
            val exact = statistics(0)
            exact["null 6"] shouldBe Pair(10L, false)
            exact["name 5"] shouldBe Pair(1L, false)
            exact["name 1"] shouldBe Pair(9L, false)
            exact["name 4"] shouldBe Pair("row-0", false)
            exact["name 0"] shouldBe Pair(5.0, false)
            exact["price 3"] shouldBe Pair(4.5, false)
            exact["id 3"] shouldBe Pair(9L, false)
            exact["id 1024"] shouldBe Pair(java.math.BigDecimal.ONE, false)
            statistics(1)["name 1"] shouldBe Pair(9.0, true)
            rows("ConnectionGetStatistics", connection, "attic", null, null, 0.toByte()) shouldContain
                mapOf("catalog_name" to "attic", "catalog_db_schemas" to listOf(mapOf("db_schema_name" to "main", "db_schema_statistics" to emptyList<Any>())))
            rows("ConnectionGetStatisticNames", connection) shouldBe listOf(mapOf("statistic_name" to "arbalest.double.ones", "statistic_key" to 1024L))
        }
    }
})
