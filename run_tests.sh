#!/usr/bin/env bash
# ./run_tests.sh          all tests of the workspace, then the cases of all problems
# ./run_tests.sh NAME…    the cases of these problems
set -eu
cd "$(dirname "$0")"
if [ $# -eq 0 ]; then
  cargo test --workspace
fi
cargo judge test "$@"
