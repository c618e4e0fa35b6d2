// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

class InternalsSpec : FunSpec({
    test("Spark's internals are used only in the Spark versions that were tested [SPK-09]") {
        Internals.whyNot("4.2.0") shouldBe null
        Internals.whyNot("4.2.7-SNAPSHOT") shouldBe null
        for (other in listOf("4.1.3", "4.20.0", "4.3.0", "5.4.2", "4", "")) Internals.whyNot(other) shouldBe
            "Spark is $other, but only these versions are tested: [4.2]"
    }

    test("the log warns once per application that an untested version reads rows [SPK-09]") {
        val warnings = mutableListOf<String>()
        val handler = object : Handler() {
            override fun publish(record: LogRecord) {
                warnings += "${record.level} ${record.message}"
            }

            override fun flush() = Unit

            override fun close() = Unit
        }
        val logger = Logger.getLogger(Internals::class.java.name)
        logger.addHandler(handler)
        try {
            for (application in listOf("app-1", "app-1", "app-2", "app-2"))
                Internals.warn(application, "Spark is 5.0.0")
        } finally {
            logger.removeHandler(handler)
        }
        warnings shouldBe List(2) {
            "WARNING functions over columns read rows by Spark's public API, which is several times slower, since " +
                "Spark is 5.0.0"
        }
    }
})
