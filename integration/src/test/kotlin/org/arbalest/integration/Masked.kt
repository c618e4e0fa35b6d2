// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ArrayNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** JSON texts of the integration format, without the parts that a writer may write differently. */
internal object Masked {
    private val mapper = ObjectMapper()

    /**
     * Returns the first difference between two texts, with its path, or null without one. The values of nulls do not
     * count, nor does a null member of an object.
     */
    fun difference(expected: String, found: String): String? =
        difference("$", mask(mapper.readTree(expected)), mask(mapper.readTree(found)))

    private fun mask(node: JsonNode): JsonNode {
        if (node is ObjectNode) {
            val validity = node["VALIDITY"]
            for (name in listOf("DATA", "VIEWS")) {
                val values = node[name] as? ArrayNode ?: continue
                for (i in 0 until values.size()) if (validity != null && validity[i].asInt() == 0) values.setNull(i)
            }
            node.properties().filter { it.value.isNull }.forEach { node.remove(it.key) }
        }
        node.forEach(::mask)
        return node
    }

    private fun difference(path: String, expected: JsonNode, found: JsonNode): String? = when {
        expected is ObjectNode && found is ObjectNode -> {
            val names = (expected.fieldNames().asSequence() + found.fieldNames().asSequence()).toSortedSet()
            names.firstNotNullOfOrNull { difference("$path.$it", expected.path(it), found.path(it)) }
        }
        expected is ArrayNode && found is ArrayNode && expected.size() == found.size() ->
            (0 until expected.size()).firstNotNullOfOrNull { difference("$path[$it]", expected[it], found[it]) }
        expected == found -> null
        else -> "$path: expected $expected, found $found"
    }
}
