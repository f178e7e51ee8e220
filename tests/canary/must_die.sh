#!/bin/sh
# must_die.sh PROGRAM FAULT TEXT: the program must fail, and say TEXT while it does. Failing alone is
# not enough: a program that does not start fails as well.
out=$("$1" "$2" 2>&1)
code=$?
printf '%s\n' "$out"
[ "$code" -ne 0 ] || { echo "canary: '$2' lived"; exit 1; }
case $out in
*"$3"*) echo "canary: '$2' died as it must (exit $code)" ;;
*) echo "canary: '$2' died (exit $code) without saying '$3'"; exit 1 ;;
esac
