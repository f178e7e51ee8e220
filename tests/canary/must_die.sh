#!/bin/sh
# must_die.sh TEXT PROGRAM [ARGUMENT...]: the program must fail, and say TEXT while it does. Failing
# alone is not enough: a program that does not start fails as well.
text=$1
shift
out=$("$@" 2>&1)
code=$?
printf '%s\n' "$out"
[ "$code" -ne 0 ] || { echo "canary: it lived: $*"; exit 1; }
case $out in
*"$text"*) echo "canary: died as it must (exit $code)" ;;
*) echo "canary: died (exit $code) without saying '$text'"; exit 1 ;;
esac
