// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

import org.arbalest.device.types.Metadata;

/**
 * Custom metadata of a message with values of a dictionary.
 *
 * @param id the number of the dictionary in the file or stream; see {@link IpcWriteOptions#withDictionaryMetadata}
 * @param isDelta whether the message adds values to those before
 * @param metadata the metadata
 */
public record DictionaryMetadata(long id, boolean isDelta, Metadata metadata) {}
