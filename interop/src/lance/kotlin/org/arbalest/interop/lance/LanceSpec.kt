// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.lance

import org.arbalest.interop.EngineContract

internal class LanceSpec : EngineContract(Lance)
