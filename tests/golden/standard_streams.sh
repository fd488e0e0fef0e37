#!/bin/sh
# Standard output that is full, closed or no longer read: $1 is dsim. Prints what went wrong.
dsim=$1
failed=0
expect() {
  if [ "$2" != "$3" ]; then
    echo "$1: expected '$3', got '$2'"
    failed=1
  fi
}

message=$("$dsim" list models 2>&1 >/dev/full)
expect "full: status" $? 1
expect "full: message" "$message" "error: cannot write standard output: No space left on device"

message=$("$dsim" list models 2>&1 >&-)
expect "closed: status" $? 1
expect "closed: message" "$message" "error: cannot write standard output: Bad file descriptor"

# The reader takes one line and goes; what is left is more than a pipe holds.
message=$({ for i in 1 2 3 4 5 6 7 8; do "$dsim" --help --help || exit; done | head -n 1 >/dev/null; } 2>&1)
expect "no reader: message" "$message" ""

"$dsim" --version <&- >/dev/null 2>&-
expect "input and error closed: status" $? 0
exit $failed
