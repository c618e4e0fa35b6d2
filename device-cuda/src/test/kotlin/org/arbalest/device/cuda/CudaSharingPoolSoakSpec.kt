// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.sharingContract

/** The sharing of arrays between two processes, in memory of another library's pool. */
class CudaSharingPoolSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(PoolBackend.imports)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(sharingContract(PoolBackend))
})
