#!/bin/sh
# Builds the C peer with its selftest, and the ADBC double with its own, plainly and under each sanitizer, and runs them, also under valgrind. Stops at the first
# failure.
set -eu
cd "$(dirname "$0")/../../../.."
out=${1:-target/selftest}
mkdir -p "$out"
c=src/main/resources/org/arbalest/testkit/c
peer="$c/peer/*.c $c/checks/*.c $c/async/*.c"
build() { # name, flags
  name=$1
  shift
  ${CC:-cc} -std=gnu11 -O2 -g -Wall -Wextra -Werror -pthread -I../device-core/src/main/c/include -I$c "$@" $peer src/test/c/selftest/*.c -o "$out/$name"
}
build plain
build tsan -fsanitize=thread
build asan -fsanitize=address,undefined -fno-sanitize-recover=all
for how in "$out/plain" "valgrind --leak-check=full --show-leak-kinds=all --error-exitcode=9 $out/plain" "$out/tsan" "$out/asan"; do
  echo "== $how"
  $how
done
for mode in 0 1 2; do
  "$out/plain" exit $mode
  valgrind -q --error-exitcode=9 "$out/plain" exit $mode
  "$out/tsan" exit $mode
done
double="$c/peer/ledger.c $c/peer/nodes.c $c/peer/streams.c $c/adbc/core/*.c $c/adbc/data/*.c $c/adbc/sql/*.c $c/adbc/query/*.c $c/adbc/adbc_driver_double.c $c/adbc/driver.c \
  $c/adbc/database.c $c/adbc/connection.c $c/adbc/statement.c $c/adbc/execute.c $c/adbc/partitions.c $c/adbc/metadata.c $c/adbc/info.c $c/adbc/objects.c $c/adbc/statistics.c"
adbc() { # name, flags
  name=$1
  shift
  ${CC:-cc} -std=gnu11 -O2 -g -Wall -Wextra -Werror -pthread -I../device-core/src/main/c/include -I$c "$@" $double src/test/c/adbc/main.c -o "$out/adbc-$name"
}
adbc plain
adbc tsan -fsanitize=thread
adbc asan -fsanitize=address,undefined -fno-sanitize-recover=all
for how in "$out/adbc-plain" "valgrind -q --leak-check=full --error-exitcode=9 $out/adbc-plain" "$out/adbc-tsan" "$out/adbc-asan"; do
  echo "== $how"
  $how
done
