# shellcheck shell=bash
# Looks for inputs that parsers cannot take, by coverage (libFuzzer). It works with stable Rust: the compiler's pass for coverage is
# asked for by name.

fuzz_flags=(-Cpasses=sancov-module -Cdebug-assertions=on -Coverflow-checks=on
  -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
  -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares)

fuzz_command() {
  need_toolchain
  has g++ || has clang++ || apt_install g++
  cd "$root"
  with_lock "$state/fuzz.lock" run_fuzz "$@"
}

# fuzz [TARGET [SECONDS]]: each target for six minutes, which is an hour; or this one.
run_fuzz() {
  local host folder corpus target targets seconds=${2:-360}
  host=$(rustc -vV | sed -n 's/^host: //p')
  folder=$(target_dir)/fuzz
  corpus=$root/tests/fuzz/corpus
  targets=${1:-$(ls "$corpus")}
  [[ -z ${1:-} || -d $corpus/$1 ]] || die "no target: $1"
  # With `--target` the flags are not for build scripts and macros.
  RUSTFLAGS="${fuzz_flags[*]}" CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo build --locked --release --package fuzz --features libfuzzer --target "$host" --target-dir "$folder"
  for target in $targets; do
    say "fuzz $target, for $seconds s"
    # What it finds worth keeping goes to the first folder.
    mkdir -p "$folder/corpus/$target" "$folder/failures"
    HALYARD_FUZZ=$target "$folder/$host/release/fuzz" "$folder/corpus/$target" "$corpus/$target" -max_total_time="$seconds" \
      -max_len=16384 -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$folder/failures/$target-" ||
      die "$target failed: the input is in $folder/failures"
  done
}
