// SPDX-License-Identifier: Apache-2.0
/** Async streams, as consumer and as producer. */
@NullMarked
package org.arbalest.device.internal.async;

import org.jspecify.annotations.NullMarked;
