#!/bin/sh
# Builds the peer and its selftest four ways and runs each; stops at the first failure.
set -eu
cd "$(dirname "$0")"
out=${1:-/tmp/peer-build}
mkdir -p "$out"
flags="-std=gnu11 -O2 -fPIC -Wall -Wextra -Werror -pthread -Iinclude -Ic"
peer="c/peer.c c/nodes.c c/streams.c c/checksum.c c/drain.c c/moves.c c/threads.c c/layout.c"
${CC:-cc} $flags -shared $peer -o "$out/libarbalest_peer.so"
${CC:-cc} $flags -g $peer c/peer_selftest.c -o "$out/plain"
${CC:-cc} $flags -g -fsanitize=thread $peer c/peer_selftest.c -o "$out/tsan"
${CC:-cc} $flags -g -fsanitize=address,undefined -fno-sanitize-recover=all $peer c/peer_selftest.c -o "$out/asan"
for how in "$out/plain" "valgrind --leak-check=full --show-leak-kinds=all --error-exitcode=9 $out/plain" "$out/tsan" "$out/asan"; do
  echo "== $how"
  $how
done
for mode in 0 1 2; do
  "$out/plain" exit $mode
  valgrind -q --error-exitcode=9 "$out/plain" exit $mode
  "$out/tsan" exit $mode
done
