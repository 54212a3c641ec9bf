//! What no solution may answer: each input gets an empty stdout, one line on stderr that names what was read and what
//! was expected, and exit code 1.

mod common;

use common::{executables, run};

/// An input, and how the message about it begins.
type Refusal = (&'static [u8], &'static str);

const NOT_UTF8: Refusal = (b"\xff\xfe1\x00 2", "stdin cannot be read");

const REFUSALS: [(&str, &[Refusal]); 6] = [
    (
        "acwing893",
        &[
            NOT_UTF8,
            (b"", "k: the input ends here"),
            (b" \r\n\t\n", "k: the input ends here"),
            (b"2\n2", "s 2 of 2: the input ends here"),
            (b"2\n2 5\n3\n2 4", "h 3 of 3: the input ends here"),
            (
                b"1000000000000000000 1",
                "s 2 of 1000000000000000000: the input ends here",
            ),
            (b"two\n2 5\n1\n7", "k: read \"two\""),
            (b"2\n2 5\n1\n7.0", "h 1 of 1: read \"7.0\""),
            (b"2\n2 -5\n1\n7", "s 2 of 2: read \"-5\""),
            (b"0\n1\n7", "k: read \"0\""),
            (b"2\n0 5\n1\n7", "s 1 of 2: read \"0\""),
            (b"1\n5\n0", "n: read \"0\""),
            (
                b"1\n12345678901234567890123\n1\n7",
                "s 1 of 1: read \"12345678901234567890123\"",
            ),
            (
                b"1\n5\n1\n99999999999999999999",
                "h 1 of 1: read \"99999999999999999999\"",
            ),
            (
                b"2\n2 200000000\n1\n1000000000000000000",
                "a heap of 1000000000000000000 stones with moves to 200000000 takes too much memory",
            ),
        ],
    ),
    (
        "p1290",
        &[
            NOT_UTF8,
            (b"", "C: the input ends here"),
            (b"2\n25 7\n24", "N of game 2: the input ends here"),
            (
                b"1000000000000000000\n25 7",
                "M of game 2: the input ends here",
            ),
            (b"one\n25 7", "C: read \"one\""),
            (b"1\n25 x", "N of game 1: read \"x\""),
            (b"1\n-25 7", "M of game 1: read \"-25\""),
            (b"0", "C: read \"0\""),
            (b"1\n0 7", "M of game 1: read \"0\""),
            (b"1\n7 2147483648", "N of game 1: read \"2147483648\""),
            (
                b"1\n1000000000000000000 7",
                "M of game 1: read \"1000000000000000000\"",
            ),
            (
                b"1\n99999999999999999999 7",
                "M of game 1: read \"99999999999999999999\"",
            ),
        ],
    ),
    (
        "p4018",
        &[
            NOT_UTF8,
            (b"", "T: the input ends here"),
            (b"3\n4\n9", "n 3 of 3: the input ends here"),
            (
                b"1000000000000000000\n4",
                "n 2 of 1000000000000000000: the input ends here",
            ),
            (b"T\n4", "T: read \"T\""),
            (b"1\nfour", "n 1 of 1: read \"four\""),
            (b"1\n-4", "n 1 of 1: read \"-4\""),
            (b"0", "T: read \"0\""),
            (b"1\n0", "n 1 of 1: read \"0\""),
            (b"1\n50000001", "n 1 of 1: read \"50000001\""),
            (
                b"1\n1000000000000000000",
                "n 1 of 1: read \"1000000000000000000\"",
            ),
            (
                b"1\n99999999999999999999",
                "n 1 of 1: read \"99999999999999999999\"",
            ),
        ],
    ),
    (
        "sg_table",
        &[
            NOT_UTF8,
            (b"", "rule: the input ends here"),
            (b"set 3 1 3", "move 3 of 3: the input ends here"),
            (b"any", "n: the input ends here"),
            (b"up-to", "m: the input ends here"),
            (b"Set 1 1 5", "rule: read \"Set\""),
            (b"8 1 2 3", "rule: read \"8\""),
            (b"set many 1 5", "k: read \"many\""),
            (b"set 2 1 -3 5", "move 2 of 2: read \"-3\""),
            (b"set 1 0 5", "move 1 of 1: read \"0\""),
            (b"up-to 0 5", "m: read \"0\""),
            (b"any -5", "n: read \"-5\""),
            (b"any ten", "n: read \"ten\""),
            (
                b"set 1 1 1000000000000000000",
                "n: read \"1000000000000000000\"",
            ),
            (
                b"prime-powers 1000000000000000000",
                "n: read \"1000000000000000000\"",
            ),
            (
                b"up-to 99999999999999999999 5",
                "m: read \"99999999999999999999\"",
            ),
        ],
    ),
    (
        "sg_query",
        &[
            NOT_UTF8,
            (b"", "rule: the input ends here"),
            (b"set 2 1", "move 2 of 2: the input ends here"),
            (b"any", "q: the input ends here"),
            (b"any 2 5", "heap 2 of 2: the input ends here"),
            (b"none 1 5", "rule: read \"none\""),
            (b"set 1 0 1 5", "move 1 of 1: read \"0\""),
            (b"up-to 0 1 5", "m: read \"0\""),
            (b"any 0", "q: read \"0\""),
            (b"any 1 -5", "heap 1 of 1: read \"-5\""),
            (b"any 1 five", "heap 1 of 1: read \"five\""),
            (
                b"any 1 1000000000000000001",
                "heap 1 of 1: read \"1000000000000000001\"",
            ),
            (
                b"any 1 99999999999999999999",
                "heap 1 of 1: read \"99999999999999999999\"",
            ),
            (
                b"set 2 1 200000000 2 5 1000000000000000000",
                "a heap of 1000000000000000000 stones",
            ),
        ],
    ),
    (
        "coin_turning",
        &[
            NOT_UTF8,
            (b"", "rule: the input ends here"),
            (b"up-to", "number of coins in the rule: the input ends here"),
            (b"up-to 2", "n: the input ends here"),
            (b"up-to 2\n3", "row: the input ends here"),
            (b"any\n3\nHTH", "rule: read \"any\""),
            (
                b"run three\n3\nHTH",
                "number of coins in the rule: read \"three\"",
            ),
            (
                b"near -1\n3\nHTH",
                "number of coins in the rule: read \"-1\"",
            ),
            (
                b"up-to 0\n3\nHTH",
                "number of coins in the rule: read \"0\"",
            ),
            (
                b"exactly 0\n3\nHTH",
                "number of coins in the rule: read \"0\"",
            ),
            (b"up-to 2\n3\nHXH", "row, letter 'X': read \"HXH\""),
            (b"up-to 2\n3\nhth", "row, letter 'h': read \"hth\""),
            (b"up-to 2\n3\nHTHT", "row of 4 letters: read \"HTHT\""),
            (b"up-to 2\n3\nHT", "row of 2 letters: read \"HT\""),
            (
                "run 2\n2\n正反".as_bytes(),
                "row, letter '正': read \"正反\"",
            ),
            (b"up-to 2\n0\nH", "row of 1 letter: read \"H\""),
            (
                b"ruler\n1000000000000000000\nHT",
                "row of 2 letters: read \"HT\"",
            ),
            (
                b"up-to 2\n99999999999999999999\nHT",
                "n: read \"99999999999999999999\"",
            ),
        ],
    ),
];

#[test]
fn malformed_input_is_refused_with_one_message() {
    let executables = executables(&REFUSALS.map(|(problem, _)| problem));
    for (problem, refusals) in REFUSALS {
        assert!(refusals.len() >= 10, "{problem}");
        for (input, beginning) in refusals {
            let output = run(&executables[problem], input);
            let shown = String::from_utf8_lossy(input);
            let stderr = String::from_utf8(output.stderr).expect("a message is text");
            assert!(output.stdout.is_empty(), "{problem}, {shown:?} is answered");
            assert_eq!(
                output.status.code(),
                Some(1),
                "{problem}, {shown:?}: {stderr}"
            );
            assert_eq!(stderr.lines().count(), 1, "{problem}, {shown:?}: {stderr}");
            assert!(
                stderr.starts_with(&format!("error: {beginning}")),
                "{problem}, {shown:?}: {stderr}"
            );
            assert!(
                stderr.contains("; expected "),
                "{problem}, {shown:?}: {stderr}"
            );
        }
    }
}

/// The sample of a problem.
fn sample(problem: &str) -> Vec<u8> {
    let root = env!("CARGO_MANIFEST_DIR");
    std::fs::read(format!("{root}/../testdata/{problem}/sample.in")).expect("there is a sample")
}

#[test]
fn a_byte_order_mark_before_the_input_is_no_part_of_it() {
    for (problem, executable) in &executables(&REFUSALS.map(|(problem, _)| problem)) {
        let marked = run(
            executable,
            &["\u{feff}".as_bytes(), &sample(problem)].concat(),
        );
        assert!(marked.status.success(), "{problem}");
        assert_eq!(
            marked.stdout,
            run(executable, &sample(problem)).stdout,
            "{problem}"
        );
    }
}

/// On a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_said_of_stdout() {
    for (problem, executable) in &executables(&REFUSALS.map(|(problem, _)| problem)) {
        let root = env!("CARGO_MANIFEST_DIR");
        let output = std::process::Command::new(executable)
            .stdin(std::fs::File::open(format!("{root}/../testdata/{problem}/sample.in")).unwrap())
            .stdout(std::fs::File::create("/dev/full").unwrap())
            .output()
            .expect("the solution starts");
        let stderr = String::from_utf8(output.stderr).expect("a message is text");
        assert_eq!(output.status.code(), Some(1), "{problem}: {stderr}");
        assert!(stderr.starts_with("error: stdout: "), "{problem}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{problem}: {stderr}");
    }
}

/// Coins whose values outgrow memory, in a row long enough to be read.
#[test]
fn coin_values_that_outgrow_memory_are_refused() {
    let executables = executables(&["coin_turning"]);
    for (rule, coins) in [
        ("up-to 4", 100_000),
        ("up-to 8", 200),
        ("exactly 30", 200),
        ("up-to 65", 65),
    ] {
        let input = format!("{rule} {coins} {}", "H".repeat(coins));
        let output = run(&executables["coin_turning"], input.as_bytes());
        let stderr = String::from_utf8(output.stderr).expect("a message is text");
        assert!(
            output.stdout.is_empty() && output.status.code() == Some(1),
            "{rule}: {stderr}"
        );
        assert!(
            stderr.contains("outgrow memory and time at coin"),
            "{rule}: {stderr}"
        );
    }
}
