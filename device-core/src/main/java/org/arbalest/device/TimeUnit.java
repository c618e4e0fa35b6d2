package org.arbalest.device;

/** The unit of a time, timestamp or duration. */
public enum TimeUnit {
  /** 1 s. */
  SECOND('s'),
  /** 10⁻³ s. */
  MILLISECOND('m'),
  /** 10⁻⁶ s. */
  MICROSECOND('u'),
  /** 10⁻⁹ s. */
  NANOSECOND('n');

  final char code;

  TimeUnit(char code) {
    this.code = code;
  }
}
