// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import org.arbalest.device.Availability
import org.arbalest.device.DeviceType
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.spi.DeviceProvider

/**
 * Serves fake devices: two of `EXT_DEV`, whose memory the CPU cannot access, or of other types that a subclass names.
 *
 * test-support does not register it, because a user's own backend may serve `EXT_DEV`. Name it, or a subclass, in
 * `META-INF/services/org.arbalest.device.spi.DeviceProvider` of your tests. [FakeDevice] controls the devices.
 *
 * @param types the types served, and whether the CPU can access their memory
 */
open class FakeProvider(
    private val types: Map<DeviceType, Boolean> = mapOf(DeviceType.EXT_DEV to false),
) : DeviceProvider {
    override fun types(): List<DeviceType> = types.keys.toList()

    override fun probe(type: DeviceType): Availability = Availability.Ready(DEVICES)

    override fun open(type: DeviceType, id: Long): DeviceDriver =
        FakeDriver(FakeDevice.create(type, id, types.getValue(type)))

    override fun describe(type: DeviceType, id: Long): String = "a fake device, which a test controls"

    private companion object {
        const val DEVICES = 2
    }
}
