//! Each file to submit, compiled alone by plain `rustc`, answers as the program of the workspace does: on random inputs, and
//! on the same cut off or with a byte changed, which both refuse with the same message or answer alike.

mod common;

use std::cell::Cell;
use std::path::Path;
use std::process::Command;

use common::{executables, run};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const INPUTS: u32 = 80;

fn lines(numbers: &[u64]) -> String {
    let words: Vec<String> = numbers.iter().map(u64::to_string).collect();
    words.join("\n")
}

/// A count, then the numbers.
fn counted(numbers: &[u64]) -> String {
    format!("{}\n{}", numbers.len(), lines(numbers))
}

/// Mostly small, sometimes of any size.
fn heaps(largest: u64) -> impl Strategy<Value = Vec<u64>> {
    vec(prop_oneof![3 => 0u64..3000, 1 => 0..=largest], 1..=20)
}

fn rule() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(1u64..40, 0..8).prop_map(|moves| format!("set {}", counted(&moves))),
        (1u64..100).prop_map(|most| format!("up-to {most}")),
        Just("any".to_string()),
        Just("prime-powers".to_string()),
    ]
}

fn coins() -> impl Strategy<Value = String> {
    let rule = prop_oneof![
        (1u64..9).prop_map(|t| format!("up-to {t}")),
        (1u64..9).prop_map(|t| format!("exactly {t}")),
        (1u64..9).prop_map(|k| format!("run {k}")),
        (1u64..9).prop_map(|k| format!("near {k}")),
        Just("ruler".to_string()),
    ];
    (rule, "[HT]{1,30}").prop_map(|(rule, row)| format!("{rule}\n{}\n{row}", row.len()))
}

fn inputs(problem: &str) -> BoxedStrategy<String> {
    match problem {
        "acwing893" => (vec(1u64..60, 1..12), heaps(u64::MAX))
            .prop_map(|(moves, heaps)| format!("{}\n{}", counted(&moves), counted(&heaps)))
            .boxed(),
        "p1290" => vec((1u64..1 << 31, 1u64..1 << 31), 1..30)
            .prop_map(|games| {
                let numbers: Vec<u64> = games.iter().flat_map(|&(m, n)| [m, n]).collect();
                format!("{}\n{}", games.len(), lines(&numbers))
            })
            .boxed(),
        "p4018" => vec(1u64..=50_000_000, 1..30)
            .prop_map(|games| counted(&games))
            .boxed(),
        "sg_table" => (rule(), 0u64..6000)
            .prop_map(|(rule, n)| format!("{rule}\n{n}"))
            .boxed(),
        "sg_query" => (rule(), heaps(1_000_000_000_000_000_000))
            .prop_map(|(rule, heaps)| format!("{rule}\n{}", counted(&heaps)))
            .boxed(),
        "coin_turning" => coins().boxed(),
        _ => panic!("{problem} has no inputs here"),
    }
}

/// The input whole, cut off, or with one byte changed.
fn spoilt(problem: &str) -> impl Strategy<Value = Vec<u8>> {
    (
        inputs(problem),
        any::<prop::sample::Index>(),
        0..4,
        "[-x0. ]",
    )
        .prop_map(|(input, at, how, with)| {
            let mut input = input.into_bytes();
            let at = at.index(input.len());
            match how {
                0 => input.truncate(at),
                1 => input[at] = with.as_bytes()[0],
                _ => {}
            }
            input
        })
}

fn agrees(problem: &str) {
    let program = &executables(&[problem])[problem];
    let folder = tempfile::tempdir().unwrap();
    let submission = folder.path().join("submission");
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../problems")
        .join(problem)
        .join("submit.rs");
    let rustc = Command::new("rustc")
        .args(["--edition", "2021", "-O", "-o"])
        .arg(&submission)
        .arg(source)
        .status()
        .expect("rustc starts");
    assert!(rustc.success());
    // The same inputs every time.
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(
        Config {
            cases: INPUTS,
            failure_persistence: None,
            ..Config::default()
        },
        random,
    );
    let answered = Cell::new(0);
    let refused = Cell::new(0);
    runner
        .run(&spoilt(problem), |input| {
            let (theirs, ours) = (run(program, &input), run(&submission, &input));
            prop_assert_eq!(&theirs.stdout, &ours.stdout);
            prop_assert_eq!(&theirs.stderr, &ours.stderr);
            prop_assert_eq!(theirs.status.code(), ours.status.code());
            let count = if ours.status.success() {
                &answered
            } else {
                &refused
            };
            count.set(count.get() + 1);
            Ok(())
        })
        .unwrap();
    // Both kinds are there.
    let counts = (answered.get(), refused.get());
    assert!(counts.0 > INPUTS / 4 && counts.1 > 2, "{counts:?}");
}

#[test]
fn acwing893() {
    agrees("acwing893");
}

#[test]
fn p1290() {
    agrees("p1290");
}

#[test]
fn p4018() {
    agrees("p4018");
}

#[test]
fn sg_table() {
    agrees("sg_table");
}

#[test]
fn sg_query() {
    agrees("sg_query");
}

#[test]
fn coin_turning() {
    agrees("coin_turning");
}
