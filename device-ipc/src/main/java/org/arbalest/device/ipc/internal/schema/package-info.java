// SPDX-License-Identifier: Apache-2.0
/** Schemas in messages, and the layout of batches that follows from them. */
@NullMarked
package org.arbalest.device.ipc.internal.schema;

import org.jspecify.annotations.NullMarked;
