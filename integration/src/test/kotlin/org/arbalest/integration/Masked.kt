// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ArrayNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** JSON texts of the integration format, without what they may write differently: the values of nulls. */
internal object Masked {
    private val mapper = ObjectMapper()

    fun of(text: String): JsonNode = mask(mapper.readTree(text))

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
}
