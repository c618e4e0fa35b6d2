// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.vortex

import org.arbalest.interop.EngineContract

internal class VortexSpec : EngineContract(Vortex)
