//! `cargo bench -p shared`: tables of subtraction games, ours beside the plain loop and the textbook's C++.
//!
//! No benchmark crate: they time functions of this process, and the rival that matters is a program of another
//! language. Each time is the median of some runs; the values of all are compared before a ratio is printed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shared::SubtractionSet;

fn main() {
    // `cargo test --benches` asks for a quick look only.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    println!("{}", machine());
    let rival = textbook();
    match &rival {
        Ok(_) => println!("C++: {}", first_line("g++", "--version")),
        Err(why) => println!("C++: left out, {why}"),
    }
    println!("Elsewhere: crate cgt 0.11 takes 12 ms for 20000 heaps at k = 100 (measured once, not run here: AGPL).");
    println!();
    println!("| moves | heaps | table | one value | plain loop | C++ -O2 | plain / table | C++ / table | C++ / one value |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, moves) in sets() {
        // As many as the figure for cgt is for.
        if name == "100 to 10^4" {
            row(name, &moves, 20_000, rival.as_deref().ok());
        }
        for heaps in [10_000_000, 100_000_000] {
            if quick && heaps > 10_000_000 {
                continue;
            }
            row(
                name,
                &moves,
                if quick { heaps / 1000 } else { heaps },
                rival.as_deref().ok(),
            );
        }
    }
    println!();
    println!("table: SubtractionSet::table, all values kept; one value: SubtractionSet::values, none kept.");
}

fn sets() -> [(&'static str, Vec<u64>); 6] {
    [
        ("{1, 3, 4}", vec![1, 3, 4]),
        ("5 to 30", scattered(5, 30)),
        ("1 … 50", (1..=50).collect()),
        ("20 to 10^3", scattered(20, 1000)),
        ("100 to 10^4", scattered(100, 10_000)),
        ("200 to 10^4", scattered(200, 10_000)),
    ]
}

/// `count` different moves up to `largest`, the same ones every time (Knuth's linear congruential generator).
fn scattered(count: usize, largest: u64) -> Vec<u64> {
    let mut state = 1u64;
    let mut moves = Vec::new();
    while moves.len() < count {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let s = 1 + (state >> 33) % largest;
        if !moves.contains(&s) {
            moves.push(s);
        }
    }
    moves
}

fn row(name: &str, moves: &[u64], heaps: u64, rival: Option<&Path>) {
    let runs = if heaps > 10_000_000 { 1 } else { 3 };
    let set = SubtractionSet::new(moves.iter().copied());
    let (table, sum) = median(runs, || {
        let table = set.table(heaps).expect("it fits");
        move || table.values().fold(0, |sum, value| sum ^ value)
    });
    let (one, last) = median(runs, || {
        let values = set.values(&[heaps]).expect("it is within reach");
        move || values[0]
    });
    let (plain, (plain_sum, plain_last)) = median(runs, || {
        let table = set.plain_table(heaps as usize);
        move || {
            (
                table.iter().fold(0, |sum, value| sum ^ value),
                table[heaps as usize],
            )
        }
    });
    assert_eq!((sum, last), (plain_sum, plain_last), "{name}");
    let rival = rival.map(|rival| {
        let (time, rival_sum) = run_rival(rival, moves, heaps, runs);
        assert_eq!(sum, rival_sum, "{name}");
        time
    });
    let ratio = |slow: Option<Duration>, fast: Duration| {
        slow.map_or("—".to_string(), |slow| {
            format!("{:.1} ×", slow.as_secs_f64() / fast.as_secs_f64())
        })
    };
    println!(
        "| {name} | {heaps} | {} | {} | {} | {} | {} | {} | {} |",
        milliseconds(table),
        milliseconds(one),
        milliseconds(plain),
        rival.map_or("—".to_string(), milliseconds),
        ratio(Some(plain), table),
        ratio(rival, table),
        ratio(rival, one),
    );
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}

/// The median time of `runs` calls; what each returns is evaluated after the clock has stopped.
fn median<T, F: FnOnce() -> T>(runs: usize, mut work: impl FnMut() -> F) -> (Duration, T) {
    let mut times = Vec::new();
    let mut result = None;
    for _ in 0..runs {
        drop(result.take());
        let start = Instant::now();
        let done = work();
        times.push(start.elapsed());
        result = Some(done());
    }
    times.sort_unstable();
    (times[runs / 2], result.expect("there is a run"))
}

/// Compiles the rival.
fn textbook() -> Result<PathBuf, String> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/textbook.cpp");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("textbook");
    let built = Command::new("g++")
        .args(["-O2", "-o"])
        .arg(&program)
        .arg(source)
        .status();
    match built {
        Ok(status) if status.success() => Ok(program),
        Ok(status) => Err(format!("g++ ends with {status}")),
        Err(error) => Err(format!("there is no g++ ({error})")),
    }
}

fn run_rival(program: &Path, moves: &[u64], heaps: u64, runs: usize) -> (Duration, usize) {
    let mut process = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it was just built");
    let list: Vec<String> = moves.iter().map(u64::to_string).collect();
    let input = format!("{} {} {heaps} {runs}", moves.len(), list.join(" "));
    let mut stdin = process.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("it reads all");
    drop(stdin);
    let output = process.wait_with_output().expect("it ends").stdout;
    let output = String::from_utf8(output).expect("it prints numbers");
    let mut numbers = output
        .split_whitespace()
        .map(|number| number.parse::<u64>().expect("a number"));
    let mut next = || numbers.next().expect("two numbers");
    (Duration::from_nanos(next()), next() as usize)
}

fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split(": ").nth(1)?.to_string())
        });
    let rust = first_line("rustc", "--version");
    format!(
        "{}, {}; {rust}",
        cpu.unwrap_or("unknown processor".into()),
        std::env::consts::OS
    )
}

fn first_line(program: &str, argument: &str) -> String {
    let output = Command::new(program).arg(argument).output();
    let text = output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_string()
}
