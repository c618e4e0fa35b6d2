// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.DeviceType
import org.arbalest.support.fake.FakeGpuProvider
import org.arbalest.support.fake.FakeProvider

/** Fake devices of the kinds whose memory the CPU can access (DEV-11). */
class PinnedFakeProvider : FakeProvider(listOf(DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED, DeviceType.ROCM_HOST)
    .associateWith { true })

/** Fake GPUs, of types that no other provider serves. */
class TestGpuProvider : FakeGpuProvider(GPU, GPU_HOST) {
    companion object {
        /** The memory of a fake GPU. */
        val GPU = DeviceType(1001)

        /** The main memory that a fake GPU can access. */
        val GPU_HOST = DeviceType(1002)
    }
}
