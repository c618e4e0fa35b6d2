// SPDX-License-Identifier: Apache-2.0
package io.kotest.provided

import io.kotest.core.config.AbstractProjectConfig
import org.arbalest.spark.Cluster

/** Ends Spark before the JVM: its workers would start executors anew while they exit. */
class ProjectConfig : AbstractProjectConfig() {
    override suspend fun afterProject() = Cluster.stop()
}
