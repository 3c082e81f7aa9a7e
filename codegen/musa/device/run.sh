#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds every kernel of this directory with mcc and runs it on this machine's GPU: one line a kernel,
# then a count. Exit status 0: all are right.
#
#   sh run.sh [KERNEL...]       all, or those of these names
#
# MCC        the compiler; else mcc on PATH or in MUSA_HOME/bin (/usr/local/musa)
# MCC_FLAGS  more of its options
# JOBS       kernels that are built at once (4)
# LIMIT      seconds for one kernel's run (120)
cd "$(dirname "$0")" || exit 2
home=${MUSA_HOME:-${MUSA_PATH:-/usr/local/musa}}
MCC=${MCC:-$(command -v mcc || echo "$home/bin/mcc")}
if [ ! -x "$MCC" ]; then
  echo "run.sh: no mcc: $MCC is not a program; install the MUSA SDK, or set MCC or MUSA_HOME" >&2
  exit 3
fi
mkdir -p built
[ $# -gt 0 ] || set -- $(ls ./*.mu | sed 's|^\./||; s|\.mu$||')

# Exactly these options: contraction off because the compiler has contracted what it may, shared memory
# from address 0 because swizzles and descriptors count from there.
build() {
  rm -f "built/$1"
  target=$(sed -n 's|^// target: ||p' "$1.mu")
  "$MCC" -x musa --offload-arch="$target" @OPTIONS@ $MCC_FLAGS \
    -Idevice "$1.mu" -o "built/$1" -L"$home/lib" -lmusart -lmusa >"built/$1.log" 2>&1
}

running=0
for kernel; do
  build "$kernel" &
  running=$((running + 1))
  [ $((running % ${JOBS:-4})) -ne 0 ] || wait
done
wait

right=0 wrong=0 unbuilt=0
for kernel; do
  if [ ! -x "built/$kernel" ]; then
    echo "$kernel: NOT BUILT, $(grep -m 1 error "built/$kernel.log" || echo "see built/$kernel.log")"
    unbuilt=$((unbuilt + 1))
    continue
  fi
  timeout "${LIMIT:-120}" "built/$kernel" data
  status=$?
  [ $status -ne 124 ] || echo "$kernel: ENDLESS, stopped after ${LIMIT:-120} s"
  [ $status -lt 125 ] || echo "$kernel: FAULT, the program ended with status $status"
  if [ $status -eq 0 ]; then right=$((right + 1)); else wrong=$((wrong + 1)); fi
done
echo "$# kernels: $right right, $wrong wrong, $unbuilt not built"
[ $right -eq $# ]
