package org.arbalest.device.opencl

import io.kotest.core.spec.style.FunSpec
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.contract.backendContract

class OpenClContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(OpenClBackend.needed)
    extension(LedgerExtension)

    include(backendContract(OpenClBackend))
})
