#!/bin/sh
# Builds the C peer with its selftest, without and with each sanitizer, and runs it, also under valgrind. Stops at the
# first failure.
set -eu
cd "$(dirname "$0")/../../../.."
out=${1:-target/selftest}
mkdir -p "$out"
c=src/main/resources/org/arbalest/support/c
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
