// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row

/** Returns the text of a Spark value, with the bytes of binary values. */
internal fun text(value: Any?): String = when (value) {
    is ByteArray -> "${value.toList()}"
    is Row -> "${List(value.size()) { text(value.get(it)) }}"
    else -> "$value"
}

/** Returns the texts of all rows, sorted. */
internal fun Dataset<Row>.texts(): List<String> = collectAsList().map { text(it) }.sorted()
