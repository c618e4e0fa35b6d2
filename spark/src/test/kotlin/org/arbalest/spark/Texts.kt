// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row

/** What a value of Spark's is, with the bytes of binary. */
internal fun text(value: Any?): String = when (value) {
    is ByteArray -> "${value.toList()}"
    is Row -> "${List(value.size()) { text(value.get(it)) }}"
    else -> "$value"
}

/** All rows, in the order of their texts. */
internal fun Dataset<Row>.texts(): List<String> = collectAsList().map { text(it) }.sorted()
