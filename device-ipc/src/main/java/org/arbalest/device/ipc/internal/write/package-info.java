// SPDX-License-Identifier: Apache-2.0
/** Writing: batches as messages, dictionaries, files and streams. */
@NullMarked
package org.arbalest.device.ipc.internal.write;

import org.jspecify.annotations.NullMarked;
