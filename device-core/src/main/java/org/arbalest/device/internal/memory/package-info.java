// SPDX-License-Identifier: Apache-2.0
/**
 * Native memory: raw access, checked addresses, the slots whose handles C holds, and where failures go that nobody can
 * be told. Knows no array.
 */
@NullMarked
package org.arbalest.device.internal.memory;

import org.jspecify.annotations.NullMarked;
