#!/usr/bin/env bash
# ./run_tests.sh          all tests of the workspace, the cases of all problems, and their files to submit
# ./run_tests.sh NAME…    the cases of these problems
set -eu
cd "$(dirname "$0")"
if [ $# -eq 0 ]; then
  cargo test --workspace
  cargo judge bundle --all --check
  cargo judge test --submit
fi
cargo judge test "$@"
