// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.ChildJvm

/** Writes into DuckDB, which [LocalWrites] makes in one process. */
class AdbcSinkEngineSpec : FunSpec({
    val output by lazy {
        ChildJvm.run(LocalWrites::class, options = listOf("--add-opens=java.base/sun.util.calendar=ALL-UNNAMED"),
            seconds = 300)
    }
    val said by lazy {
        output.output.lines().filter { ": " in it }.associate { it.substringBefore(": ") to it.substringAfter(": ") }
    }

    fun says(name: String, value: String) = withClue(output.output) { said[name] shouldBe value }

    test("an append adds the rows of all partitions by their columns' names, with nulls [SPK-27]") {
        says("append", "3001 6498499 2701")
        says("append by name", "6001 12996999 5401")
    }

    test("an overwrite replaces the rows and keeps the table [SPK-27]") {
        says("overwrite", "10 45 9")
        says("overwrite with nothing", "0 0 0")
        withClue(output.output) { said.getValue("null overwrites") shouldContain "NOT NULL constraint failed" }
    }

    test("a write creates a table that does not exist, also without rows [SPK-27]") {
        says("create", "3000 6498500 2700")
        says("create without rows", "0 0 0")
    }

    test("rows of failed attempts are not in the table [SPK-27]") {
        says("retried", "4000 7998000 4000, 4 tasks failed once")
    }

    test("only one of several complete attempts at a partition counts [SPK-27]") {
        says("attempts", "250 31125 0")
    }

    test("a failed job leaves the table as it was, and creates none [SPK-27]") {
        for (mode in listOf("append", "overwrite")) says("failed $mode", "true, 4000 7998000 4000")
        says("failed create", "true, 0")
        says("after", "4000 7998000 4000")
    }

    test("no staging table and no resource is left [SPK-27]") {
        says("left", "0")
        says("counters", "${ResourceCounters.now()}")
    }

    test("an error of the database names the table [SPK-27]") {
        withClue(output.output) {
            said.getValue("null") shouldStartWith "IllegalStateException cannot append to the table t: "
            said.getValue("null overwrites") shouldStartWith "IllegalStateException cannot overwrite the table t: "
            said.getValue("types") shouldStartWith "IllegalStateException cannot append to the table t: "
        }
    }

    test("a table that takes no rows is an error before the query runs [SPK-27]") {
        withClue(output.output) {
            said.getValue("a view") shouldStartWith "IllegalStateException cannot prepare a write into the table seen: "
            said.getValue("a view") shouldContain ", 0 rows computed"
        }
    }

    test("columns that the DataFrame lacks have the table's defaults, sequences and generated values [SPK-27]") {
        says("filled", "4000 4000 2020-02-29 hi n 4000")
        says("filled again", "5 5 2000-01-01  5")
    }

    test("a missing column that the table needs is the database's error, and changes nothing [SPK-27]") {
        withClue(output.output) {
            said.getValue("needed") shouldStartWith "IllegalStateException cannot overwrite the table filled: "
            said.getValue("needed") shouldContain "NOT NULL constraint failed: filled.needed"
            said.getValue("generated") shouldContain "cannot prepare a write into the table filled: "
        }
        says("filled at last", "5 10")
    }

    test("ErrorIfExists, Spark's default, and Ignore create a table, each row once [SPK-27]") {
        for (mode in listOf("error", "errorifexists", "ignore"))
            says(mode, "4000 7998000 4000, 4 tasks failed once")
        for (mode in listOf("error", "ignore")) says("failed $mode", "true, 0")
    }

    test("ErrorIfExists fails for a table that exists, and Ignore leaves it, before any task [SPK-27]") {
        withClue(output.output) {
            for ((mode, table) in mapOf("error" to "`on ce`", "errorifexists" to "`main`.`once2`"))
                said.getValue("$mode again") shouldStartWith "TableAlreadyExistsException " +
                    "[TABLE_OR_VIEW_ALREADY_EXISTS] Cannot create table or view $table because it already exists."
            for (mode in listOf("error", "errorifexists"))
                said.getValue("$mode again") shouldEndWith ", 4000 7998000 4000, 0 rows computed"
            said.getValue("default") shouldContain "`once3`"
        }
        says("ignore again", "no failure, 4000 7998000 4000, 0 rows computed")
    }

    for ((name, error) in mapOf(
        "columns" to "cannot write the columns [nam, more] into the table t: it has only [id, name]; rename these",
        "twice" to "cannot write the columns [Id] into the table t: it has only [id, name]; rename these columns, " +
            "or drop them",
        "no columns" to "cannot write into the table t: the DataFrame has no columns",
        "another source's mode" to "org.arbalest.spark.Numbers is read-only",
        "same names" to "two columns have the name id",
        "no type" to "Arrow has no type for id, which is variant in Spark",
        "query" to "a write by AdbcSource has no option query; it has source, driver, entrypoint, table, quote, ",
        "no table" to "cannot write into range(3): option(\"table\", …) must be the name of a table",
        "no driver" to "no ADBC driver at /nowhere.so",
        "partitions" to "the database decides how it stores a table; remove partitionBy",
        "another source" to "org.arbalest.spark.Numbers is read-only",
        "a given schema" to "org.arbalest.spark.Numbers has a schema of its own, so format(\"arbalest\") cannot read " +
            "with .schema(id INT)",
    )) {
        test("a plan that does not fit is an error that names the fault: $name [SPK-27]") {
            withClue(output.output) { said.getValue(name) shouldContain error }
        }
    }

    test("DuckDB returns each type and its nulls as Spark wrote them [SPK-27]") {
        says("types back", "equal")
        withClue(output.output) { said.getValue("types of columns") shouldStartWith "true, " }
    }
})
