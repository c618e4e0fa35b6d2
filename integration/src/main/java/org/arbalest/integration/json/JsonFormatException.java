// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

/** Thrown for a JSON text that does not follow the format. The message begins with the place in the text. */
public final class JsonFormatException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  JsonFormatException(String place, String fault) {
    super(place + ": " + fault);
  }
}
