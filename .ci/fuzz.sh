# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# libFuzzer, built with the stable compiler: the flags are those of cargo-fuzz, without the address sanitizer, which
# needs a nightly compiler and watches for what code without `unsafe` cannot do. Read by ./dev.

fuzz_home=$PWD/target/fuzz/work
coverage=-Cpasses=sancov-module
for flag in level=4 inline-8bit-counters pc-table trace-compares; do
    coverage+=" -Cllvm-args=-sanitizer-coverage-$flag"
done

build_fuzzer() {
    local host
    host=$(rustc -vV | sed -n 's/^host: //p')
    # With --target the flags do not reach build scripts and macros, which have no fuzzer to be linked with.
    RUSTFLAGS=$coverage cargo build --locked --release "${fuzz_tests[@]}" --target "$host" --features libfuzzer \
        --bin dasbo-fuzz
    fuzzer=$PWD/target/fuzz/$host/release/dasbo-fuzz
}

# The last of libFuzzer's own lines, as `#123 DONE cov: 4 ft: 5 corp: 6/7b …`.
fuzz_figure() { # WHAT LOG
    local figure
    figure=$(grep -a "^#[0-9].* $1: " "$2" | tail -n 1 | sed "s/.* $1: \([^ /]*\).*/\1/") || true
    echo "${figure:--}"
}

fuzz_target() { # TARGET SECONDS
    local log=$fuzz_home/$1.log status=0 before after executions
    local found=fixtures/fuzz/$1
    mkdir -p "$fuzz_home/found/$1" "$found"
    before=$(find "$found" -type f | wc -l)
    DASBO_FUZZ=$1 "$fuzzer" -max_total_time="$2" -max_len=16384 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        -dict="$fuzz_home/seeds/words" -artifact_prefix="$found/" "$fuzz_home/found/$1" "$fuzz_home/seeds/$1" \
        >"$log" 2>&1 </dev/null || status=$?
    after=$(find "$found" -type f | wc -l)
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf '%-14s %12s %7s %9s %8s %8s\n' "$1" "${executions:-?}" "$(fuzz_figure cov "$log")" "$(fuzz_figure ft "$log")" \
        "$(fuzz_figure corp "$log")" $((after - before))
    if [ $status != 0 ]; then
        tail -n 60 "$log" | grep -aE 'panicked at|^  (left|right)|ERROR: libFuzzer|Test unit written' -A 1 | cut -c1-300 >&2 ||
            tail -n 20 "$log" >&2
        return 1
    fi
}

# What the fuzzer begins with is made anew; what it learned in earlier runs stays in found.
make_seeds() {
    rm -rf "$fuzz_home/seeds"
    local names
    names=$(cargo run --locked --quiet "${fuzz_tests[@]}" --bin dasbo-fuzz-seeds -- "$fuzz_home/seeds")
    mapfile -t fuzz_targets <<<"$names"
}

fuzz() { # SECONDS [TARGET...]
    local seconds=$1 failed=no target fuzz_targets
    shift
    make_seeds
    for target in "$@"; do
        case " ${fuzz_targets[*]} " in *" $target "*) ;; *) die "no target is called $target, but: ${fuzz_targets[*]}" ;; esac
    done
    if [ $# = 0 ]; then set -- "${fuzz_targets[@]}"; fi
    printf '%-14s %12s %7s %9s %8s %8s\n' target executions edges features corpus crashes
    for target in "$@"; do fuzz_target "$target" "$seconds" || failed=yes; done
    [ $failed = no ] || die "a crash was found and kept in fixtures/fuzz, which ./dev test replays: mend it"
}
