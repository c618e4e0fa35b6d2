// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.arbalest.device.objects.ColumnName;
import org.arbalest.device.types.Interval;
import org.jspecify.annotations.NullUnmarked;

/** Records as people write them: without annotations for nulls, although core's package has them. */
@NullUnmarked
public final class Trips {
  private Trips() {}

  public enum Carrier { AA, DL, WN, UA }

  public record Flight(String carrier, int delay, Double distance) {}

  public record Named(@ColumnName("flight no") int number, String carrier) {}

  public record Primitives(boolean bool, byte int8, short int16, int int32, long int64, float float32, double float64,
      char letter) {}

  public record Boxes(Boolean bool, Byte int8, Short int16, Integer int32, Long int64, Float float32, Double float64,
      Character letter) {}

  public record Values(String text, BigDecimal decimal, BigInteger integer, Carrier carrier) {}

  public record Times(
      LocalDate date, LocalTime time, Instant instant, LocalDateTime local, ZonedDateTime zoned, Duration duration,
      Period period, Interval interval) {}

  public record Leg(String from, String to, int miles) {}

  public record Trip(Leg first, List<Leg> legs, List<Integer> gates, Map<String, Long> bags,
      List<List<String>> notes) {}

  public record Samples(byte[] bytes, long[] longs, int[] ints, short[] shorts, double[] doubles, float[] floats,
      boolean[] booleans, char[] chars) {}

  public record Pair<A, B>(A first, B second) {}

  public record Pairs(Pair<String, Long> one, List<Pair<Integer, Leg>> many) {}

  public record Sets(Set<String> words, Set<Leg> legs, Set<Set<Integer>> sets) {}

  public record Arrays(String[] words, Leg[] legs, int[][] grid, Integer[] boxes, byte[][] blobs, List<String>[] lists,
      Carrier[] carriers) {}

  public record Perhaps(
      Optional<String> word, Optional<Leg> leg, Optional<List<Integer>> numbers, List<Optional<Long>> longs,
      Optional<UUID> id, Optional<Carrier> carrier) {}

  public record OfPerhaps(Optional<Perhaps> perhaps) {}

  public record NoComponents(
      ArrayList<String> list, TreeMap<String, Long> map, java.util.Date date, OptionalInt number,
      Optional<Optional<String>> twice,
      @SuppressWarnings("rawtypes") Set raw,
      Thread thread) {}

  public record Anything(Object value) {}

  public record Tree(int value, List<Tree> branches) {}

  public record Nothing() {}

  public record Picky(int delay) {
    public Picky {
      if (delay < 0) throw new IllegalArgumentException("a delay of " + delay);
    }
  }

  /** Takes the first letters, which are not always there. */
  public record Abbreviated(String carrier) {
    public Abbreviated {
      carrier = carrier.substring(0, 2);
    }
  }

  /** A class of which each level is of another type. */
  public record Growing<T>(Growing<List<T>> next, Growing<List<T>> other) {}

  public record Grows(Growing<Integer> grows) {}

  public record Numbers(int[] ints, long[] longs, double[] doubles, short[] shorts) {}

  /** One whose part cannot always be had. */
  public record Guarded(String text, int delay) {
    @Override
    public int delay() {
      if (delay < 0) throw new IllegalStateException("a test forbids reading " + delay);
      return delay;
    }
  }

  private record Hidden(int delay) {}

  /** A record that only this class can see. */
  public static Class<?> hidden() {
    return Hidden.class;
  }
}
