// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec

/**
 * What every backend must do, for [org.arbalest.device.Device]s of any kind: memory, copies, order, events, what is
 * kept alive, errors, foreign threads, tensors.
 *
 *     class MyContractSpec : FunSpec({
 *         extension(LeakExtension())
 *         include(backendContract(MyBackend))
 *     })
 *
 * Nothing in it sleeps: work is held back by [Backend.gate]. For a device that does everything at once the tests that
 * need a gate see to it that nothing has to be waited for.
 */
public fun backendContract(backend: Backend): TestFactory = funSpec {
    beforeTest { Held.begin() }
    include(memoryContract(backend))
    include(copyContract(backend))
    include(orderContract(backend))
    include(eventContract(backend))
    include(lifetimeContract(backend))
    include(tensorContract(backend))
}
