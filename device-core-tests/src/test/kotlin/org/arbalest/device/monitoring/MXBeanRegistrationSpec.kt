// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.MemoryPool
import org.arbalest.support.ResourceCountersExtension
import java.lang.management.ManagementFactory
import javax.management.Attribute
import javax.management.ObjectName

/** The MXBeans, as a monitoring tool sees them. */
class MXBeanRegistrationSpec : FunSpec({
    extension(ResourceCountersExtension)

    val server = ManagementFactory.getPlatformMBeanServer()

    fun attributes(name: ObjectName): Map<String, Any?> {
        val names = server.getMBeanInfo(name).attributes.map { it.name }
        return server.getAttributes(name, names.toTypedArray()).filterIsInstance<Attribute>()
            .associate { it.name to it.value }
    }

    test("the bean of the resource counters has the current value of each counter") {
        val name = ObjectName("org.arbalest:type=ResourceCounters")
        val registration = ResourceCounters.registerMXBean()
        registration.objectName() shouldBe name.toString()
        registration.use {
            val numbers = ResourceCounters::class.java.recordComponents.associateBy {
                it.name.replaceFirstChar(Char::uppercase)
            }
            Devices.cpu().allocate(100).use {
                val now = ResourceCounters.now()
                attributes(name) shouldBe numbers.mapValues { (_, component) -> component.accessor.invoke(now) }
                attributes(name)["BufferBytes"] shouldBe now.bufferBytes()
            }
            server.getMBeanInfo(name).descriptor.getFieldValue("mxbean") shouldBe "true"
            shouldThrow<IllegalStateException> { ResourceCounters.registerMXBean() }.message shouldBe
                "org.arbalest:type=ResourceCounters is registered already"
        }
        server.isRegistered(name) shouldBe false
        registration.close()
        ResourceCounters.registerMXBean().close()
    }

    test("the bean of a pool has its statistics, can trim it, and may have any name") {
        MemoryPool.of(Devices.cpu().memory(), 1L shl 20).use { pool ->
            MXBeanRegistration.of(pool, "a,b*").use { registration ->
                val registered = ObjectName(registration.objectName())
                registered.getKeyProperty("name") shouldBe ObjectName.quote("a,b*")
                pool.allocate(5000).close()
                pool.allocate(5000).use {
                    val seen = attributes(registered)
                    seen["Device"] shouldBe "CPU"
                    seen.filterKeys { it != "Device" } shouldBe mapOf(
                        "LiveBytes" to 8192L, "CachedBytes" to 0L, "PeakBytes" to 8192L, "LimitBytes" to 1048576L,
                        "Hits" to 1L, "Misses" to 1L, "Evictions" to 0L,
                    )
                }
                attributes(registered)["CachedBytes"] shouldBe 8192L
                server.invoke(registered, "trim", emptyArray(), emptyArray())
                pool.statistics().cachedBytes() shouldBe 0
                shouldThrow<IllegalStateException> { MXBeanRegistration.of(pool, "a,b*") }.message shouldContain
                    "is registered already"
                MXBeanRegistration.of(pool, "another").close()
            }
            server.queryNames(ObjectName("org.arbalest:*"), null).isEmpty() shouldBe true
            shouldThrow<IllegalArgumentException> { MXBeanRegistration.of(pool, "") }
        }
    }

    test("a registration can be closed after another party has unregistered its bean") {
        val registration = ResourceCounters.registerMXBean()
        server.unregisterMBean(ObjectName(registration.objectName()))
        registration.close()
    }
})
