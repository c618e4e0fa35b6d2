// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec

/**
 * Returns the tests that every backend must pass, for a [org.arbalest.device.Device] of any kind: memory, copies,
 * order, events, lifetime, errors, native threads, tensors, a consumer like cuDF and columns by address.
 *
 *     class MyContractSpec : FunSpec({
 *         extension(LeakExtension())
 *         include(backendContract(MyBackend))
 *     })
 *
 * No test sleeps for a fixed time: [Backend.gate] holds work back. If a device completes all work immediately, the
 * tests with a gate check that nothing has to wait.
 */
public fun backendContract(backend: Backend): TestFactory = funSpec {
    beforeTest { Held.begin() }
    include(memoryContract(backend))
    include(copyContract(backend))
    include(orderContract(backend))
    include(eventContract(backend))
    include(lifetimeContract(backend))
    include(tensorContract(backend))
    include(cudfContract(backend))
    include(foreignColumnContract(backend))
}
