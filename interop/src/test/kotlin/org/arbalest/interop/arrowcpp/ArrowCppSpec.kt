package org.arbalest.interop.arrowcpp

import org.arbalest.interop.EngineContract

internal class ArrowCppSpec : EngineContract(ArrowCppEngine)
