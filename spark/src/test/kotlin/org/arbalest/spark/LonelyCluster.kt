// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

/** A cluster in a process of its own, which reads, makes columns on the executors' devices, says who the executors are, and ends. */
internal object LonelyCluster {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val session = Cluster.builder().getOrCreate()
        val numbers = session.read().format("arbalest").option("source", Numbers::class.java.name).load()
        val rows = Arbalest.columns(numbers) { task, columns ->
            var rows = 0L
            task.onDevice(columns).forEach { rows += it.length() }
            task.stream().synchronize()
            rows
        }
        println("rows: ${rows.collect().sum()}")
        println("executors: ${Cluster.ledgers(session).keys.joinToString()}")
        session.stop()
    }
}
