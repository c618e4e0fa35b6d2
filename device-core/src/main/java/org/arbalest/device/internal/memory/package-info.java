// SPDX-License-Identifier: Apache-2.0
/**
 * Native memory: raw access, checked addresses, the slots whose handles native code holds, and the log of failures that
 * cannot reach a caller. This package does not know arrays.
 */
@NullMarked
package org.arbalest.device.internal.memory;

import org.jspecify.annotations.NullMarked;
