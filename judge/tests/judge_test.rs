//! `cargo judge test` on small workspaces of its own: what it prints and how it exits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const ECHO: &str = "fn main() {
    std::io::copy(&mut std::io::stdin(), &mut std::io::stdout()).unwrap();
}";

/// For programs that nobody stops: long enough to notice, short enough to go away.
const SLEEP: &str = "std::thread::sleep(std::time::Duration::from_secs(100));";

/// A workspace with programs and cases in the folder for the files of tests.
struct Workspace {
    root: PathBuf,
}

impl Workspace {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("judge-{name}"));
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        let workspace = Self { root };
        workspace.write(
            "Cargo.toml",
            "[workspace]\nresolver = \"2\"\nmembers = [\"problems/*\"]\n",
        );
        workspace
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn program(self, name: &str, source: &str) -> Self {
        self.program_called(name, name, source)
    }

    /// With another name for the binary.
    fn program_called(self, name: &str, binary: &str, source: &str) -> Self {
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
             [[bin]]\nname = \"{binary}\"\npath = \"src/main.rs\"\n"
        );
        self.write(&format!("problems/{name}/Cargo.toml"), manifest);
        self.write(&format!("problems/{name}/src/main.rs"), source);
        self
    }

    /// `name` is `NAME/CASE`.
    fn case(self, name: &str, input: impl AsRef<[u8]>, expected: impl AsRef<[u8]>) -> Self {
        self.write(&format!("testdata/{name}.in"), input);
        self.write(&format!("testdata/{name}.out"), expected);
        self
    }

    fn judge_from(&self, folder: &str, arguments: &[&str]) -> Judged {
        let output = Command::new(env!("CARGO_BIN_EXE_judge"))
            .arg("test")
            .args(arguments)
            .current_dir(self.root.join(folder))
            // Not where the surrounding cargo builds, and no more noise than the programs make.
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            .env_remove("RUST_BACKTRACE")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Judged::new(output)
    }

    fn judge(&self, arguments: &[&str]) -> Judged {
        self.judge_from(".", arguments)
    }
}

/// What the judge printed and how it exited.
struct Judged {
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

impl Judged {
    fn new(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }

    /// The verdict on the case `NAME/CASE`.
    #[track_caller]
    fn verdict(&self, case: &str) -> &str {
        let mut verdicts = self.stdout.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            let verdict = words.next()?;
            (words.next() == Some(case) && !line.starts_with(' ')).then_some(verdict)
        });
        let verdict = verdicts.next();
        let verdict = verdict.unwrap_or_else(|| panic!("no {case} in {}", self.all()));
        assert_eq!(verdicts.next(), None, "{case} twice in {}", self.all());
        verdict
    }

    #[track_caller]
    fn ends(&self, code: i32, last_line: &str) -> &Self {
        assert_eq!(self.code, Some(code), "{}", self.all());
        assert_eq!(
            self.stdout.lines().last(),
            Some(last_line),
            "{}",
            self.all()
        );
        self
    }

    #[track_caller]
    fn says(&self, text: &str) -> &Self {
        assert!(self.stdout.contains(text), "no {text:?} in {}", self.all());
        self
    }

    fn all(&self) -> String {
        format!("stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr)
    }
}

#[test]
fn right_answers_are_accepted() {
    let workspace = Workspace::new("right")
        .program("echo", ECHO)
        .case("echo/sample", "Yes\n", "Yes\n")
        .case("echo/crlf", "a\nb\n", "a\r\nb\r\n")
        .case("echo/crlf_input", "a\r\nb\r\n", "a\nb\n")
        .case("echo/blanks", "a  \nb\t\n\n\n", "a\nb")
        .case("echo/empty", "", "\n")
        .case("echo/byte_order_mark", "a\n", "\u{feff}a\n");
    let judged = workspace.judge(&[]);
    judged.ends(0, "6 passed, 0 failed").says("slowest case:");
    for case in [
        "sample",
        "crlf",
        "crlf_input",
        "blanks",
        "empty",
        "byte_order_mark",
    ] {
        assert_eq!(judged.verdict(&format!("echo/{case}")), "AC");
    }
    if cfg!(any(target_os = "linux", target_os = "macos")) {
        judged.says("largest memory:").says(" MiB");
    }
    // Plain lines in a pipe: no colour, no progress bar.
    assert!(!judged.all().contains('\u{1b}'), "{}", judged.all());
    assert!(!judged.stdout.contains("cases"), "{}", judged.all());
}

#[test]
fn any_expected_output_made_wrong_fails() {
    let workspace = Workspace::new("made-wrong")
        .program("echo", ECHO)
        .program("other", ECHO)
        .case("echo/first", "1\n", "1\n")
        .case("echo/second", "2 3\n", "2 3\n")
        .case("other/third", "4\n5\n", "4\n5\n");
    workspace.judge(&[]).ends(0, "3 passed, 0 failed");
    for case in ["echo/first", "echo/second", "other/third"] {
        let path = workspace.root.join(format!("testdata/{case}.out"));
        let right = fs::read_to_string(&path).unwrap();
        let mut longer = right.clone();
        longer.push('x');
        for wrong in ["", "0\n", &longer] {
            fs::write(&path, wrong).unwrap();
            let judged = workspace.judge(&[]);
            judged.ends(1, "2 passed, 1 failed");
            assert_eq!(judged.verdict(case), "WA");
        }
        fs::write(&path, right).unwrap();
    }
}

#[test]
fn a_wrong_answer_is_shown_with_its_input_and_a_diff() {
    let long = (0..1000).map(|i| format!("{i} ")).collect::<String>();
    let workspace = Workspace::new("wrong")
        .program("echo", ECHO)
        .case("echo/long", &long, long.replace(" 700 ", " 007 "))
        .case("echo/rows", "1\n2\n3\n", "1\n2\n4\n");
    let judged = workspace.judge(&[]);
    judged.ends(1, "0 passed, 2 failed");
    judged.says("echo/rows").says("first difference in line 3");
    judged.says("\n     -4\n").says("\n     +3\n");
    let input = Path::new("testdata").join("echo").join("rows.in");
    judged.says(&format!("input {}:\n      1\n      2\n", input.display()));
    // The place that differs is shown, and not the whole line.
    judged.says(" 699 007 701 ").says(" 699 700 701 ");
    assert!(judged.stdout.lines().all(|line| line.chars().count() < 200));
}

#[test]
fn output_that_is_no_text_is_a_wrong_answer() {
    let source = r#"use std::io::Write;
        fn main() { std::io::stdout().write_all(b"No\xff\n").unwrap(); }"#;
    let workspace = Workspace::new("latin")
        .program("latin", source)
        .case("latin/a", "", "No\n");
    let judged = workspace.judge(&[]);
    judged.ends(1, "0 passed, 1 failed");
    judged.says("not UTF-8: byte 2 is 0xff");
    assert_eq!(judged.verdict("latin/a"), "WA");
}

#[test]
fn a_bad_exit_is_a_runtime_error() {
    let workspace = Workspace::new("exits")
        .program(
            "status",
            r#"fn main() {
                println!("ok");
                for line in 1..=100 { eprintln!("line {line} of many"); }
                std::process::exit(3);
            }"#,
        )
        .program("abort", "fn main() { std::process::abort() }")
        .program("panic", r#"fn main() { panic!("at the disco"); }"#)
        .case("status/a", "", "ok\n")
        .case("abort/a", "", "")
        .case("panic/a", "", "");
    let judged = workspace.judge(&[]);
    judged.ends(1, "0 passed, 3 failed");
    for case in ["status/a", "abort/a", "panic/a"] {
        assert_eq!(judged.verdict(case), "RE");
    }
    judged.says(": 3\n").says("line 100 of many");
    assert!(
        !judged.stdout.contains("line 1 of many"),
        "{}",
        judged.all()
    );
    judged.says(": 101\n").says("at the disco");
    if cfg!(unix) {
        judged.says("SIGABRT");
    }
}

#[test]
fn a_program_that_does_not_end_is_stopped() {
    let started = Instant::now();
    let workspace = Workspace::new("slow")
        .program("sleeper", &format!("fn main() {{ {SLEEP} }}"))
        .case("sleeper/a", "", "")
        // More than any pipe holds, and nobody reads it.
        .case("sleeper/big", vec![b'7'; 1 << 20], "");
    let judged = workspace.judge(&["--time-limit", "0.3"]);
    judged.ends(1, "0 passed, 2 failed").says("limit is 0.3 s");
    assert_eq!(judged.verdict("sleeper/a"), "TLE");
    assert_eq!(judged.verdict("sleeper/big"), "TLE");
    assert!(started.elapsed() < Duration::from_secs(100));
}

#[test]
fn a_program_may_leave_its_input_unread() {
    let workspace = Workspace::new("deaf")
        .program("deaf", r#"fn main() { println!("ok"); }"#)
        .case("deaf/big", vec![b'7'; 1 << 20], "ok\n");
    workspace.judge(&[]).ends(0, "1 passed, 0 failed");
}

#[test]
fn a_program_that_prints_without_end_is_stopped() {
    let workspace = Workspace::new("flood")
        .program(
            "flood",
            "use std::io::Write;
            fn main() { while std::io::stdout().write_all(&[b'7'; 1 << 16]).is_ok() {} }",
        )
        .program(
            "complaints",
            "use std::io::Write;
            fn main() { while std::io::stderr().write_all(&[b'7'; 1 << 16]).is_ok() {} }",
        )
        .case("flood/a", "", "")
        .case("complaints/a", "", "");
    let judged = workspace.judge(&["--time-limit", "60"]);
    judged
        .ends(1, "0 passed, 2 failed")
        .says("printed more than 64 MiB");
    assert_eq!(judged.verdict("flood/a"), "RE");
    assert_eq!(judged.verdict("complaints/a"), "RE");
}

// Elsewhere memory may not be measured.
#[cfg(any(target_os = "linux", target_os = "macos", windows))]
#[test]
fn memory_is_limited() {
    let workspace = Workspace::new("memory")
        // Ends by itself, with more than it may have.
        .program(
            "balloon",
            r#"fn main() {
                let large = vec![1u8; 100 << 20];
                std::hint::black_box(&large);
                println!("ok");
            }"#,
        )
        // Takes more and more; it gives up long before the machine does.
        .program(
            "hog",
            &format!(
                "fn main() {{
                    let mut all = Vec::new();
                    for _ in 0..1024 {{
                        all.push(vec![1u8; 1 << 20]);
                        std::hint::black_box(&all);
                    }}
                    {SLEEP}
                }}"
            ),
        )
        .case("balloon/a", "", "ok\n")
        .case("hog/a", "", "");
    let limits = ["--memory-limit", "80", "--time-limit", "60"];
    let judged = workspace.judge(&limits);
    judged.ends(1, "0 passed, 2 failed").says("limit is 80 MiB");
    assert_eq!(judged.verdict("balloon/a"), "MLE");
    assert_eq!(judged.verdict("hog/a"), "MLE");
    let judged = workspace.judge(&["balloon"]);
    judged.ends(0, "1 passed, 0 failed");
}

/// A program's own processes hold its stdout open, and are gone afterwards where process groups are.
#[test]
fn nobody_waits_for_the_processes_of_a_program() {
    let started = Instant::now();
    let workspace = Workspace::new("family")
        .program(
            "parent",
            &format!(
                r#"fn main() {{
                    if std::env::args().count() > 1 {{ {SLEEP} }}
                    let own = std::env::current_exe().unwrap();
                    std::process::Command::new(own).arg("child").spawn().unwrap();
                    println!("ok");
                }}"#
            ),
        )
        .case("parent/a", "", "ok\n");
    workspace
        .judge(&["--time-limit", "60"])
        .ends(0, "1 passed, 0 failed");
    assert!(started.elapsed() < Duration::from_secs(100));

    // A killed process takes a moment to go.
    #[cfg(target_os = "linux")]
    wait_until(started, || !still_running(&workspace.root));
}

#[cfg(target_os = "linux")]
fn wait_until(started: Instant, is_so: impl Fn() -> bool) {
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(50));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whatever the tool does, Ctrl-C ends the program that it tries and leaves nothing in the folder for temporary files.
#[cfg(target_os = "linux")]
#[test]
fn what_is_interrupted_leaves_nothing_behind() {
    let workspace =
        Workspace::new("interrupted").program("endless", &format!("fn main() {{ {SLEEP} }}"));
    let workspace = workspace.case("endless/a", "1\n", "1\n");
    let temporary = workspace.root.join("temporary");
    fs::create_dir(&temporary).unwrap();
    for command in ["test", "bundle"] {
        let started = Instant::now();
        let child = Command::new(env!("CARGO_BIN_EXE_judge"))
            .args([command, "endless"])
            .current_dir(&workspace.root)
            .env("CARGO_TARGET_DIR", workspace.root.join("target"))
            .env("TMPDIR", &temporary)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let is_tried = || {
            assert!(started.elapsed() < Duration::from_secs(40), "{command}");
            still_running(&workspace.root.join("target"))
        };
        wait_until(started, is_tried);
        let id = child.id().to_string();
        let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(killed.success());
        let judged = Judged::new(child.wait_with_output().unwrap());
        assert_eq!(judged.code, Some(130), "{}", judged.all());
        assert_eq!(judged.stderr.lines().last(), Some("interrupted"));
        wait_until(started, || !still_running(&workspace.root));
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{command}");
    }
}

/// Whether a process runs a program below `folder`.
#[cfg(target_os = "linux")]
fn still_running(folder: &Path) -> bool {
    let processes = fs::read_dir("/proc").unwrap();
    processes
        .filter_map(|process| fs::read_link(process.ok()?.path().join("exe")).ok())
        .any(|executable| executable.starts_with(folder))
}

#[test]
fn half_a_case_fails() {
    let workspace = Workspace::new("half")
        .program("echo", ECHO)
        .case("echo/whole", "1", "1");
    workspace.judge(&[]).ends(0, "1 passed, 0 failed");
    workspace.write("testdata/echo/question.in", "1");
    workspace.write("testdata/echo/answer.out", "1");
    let judged = workspace.judge(&[]);
    judged.ends(1, "1 passed, 2 failed");
    assert_eq!(judged.verdict("echo/question"), "ERR");
    assert_eq!(judged.verdict("echo/answer"), "ERR");
    judged.says("question.out").says("answer.in");
}

#[test]
fn testdata_and_problems_belong_together() {
    let workspace = Workspace::new("orphans")
        .program("bare", ECHO)
        .program("echo", ECHO)
        .case("echo/a", "1", "1");
    workspace.judge(&["bare"]).ends(1, "0 passed, 1 failed");
    workspace.write("testdata/ecoh/a.in", "1");
    let judged = workspace.judge(&[]);
    judged.ends(1, "1 passed, 2 failed");
    assert_eq!(judged.verdict("bare"), "ERR");
    assert_eq!(judged.verdict("ecoh"), "ERR");
    // Whoever names a problem asks about that one only.
    workspace.judge(&["echo"]).ends(0, "1 passed, 0 failed");
}

#[test]
fn expected_output_that_is_no_text_fails() {
    let workspace = Workspace::new("bad-expected")
        .program("echo", ECHO)
        .case("echo/a", "1", b"\xff");
    let judged = workspace.judge(&[]);
    judged.ends(1, "0 passed, 1 failed").says("is not UTF-8");
    assert_eq!(judged.verdict("echo/a"), "ERR");
}

#[test]
fn binaries_of_one_name_are_told_apart() {
    let print = |what: &str| format!("fn main() {{ println!({what:?}); }}");
    let mut workspace = Workspace::new("one-name");
    for name in ["a", "b", "c"] {
        workspace = workspace.program_called(name, "main", &print(name)).case(
            &format!("{name}/1"),
            "",
            format!("{name}\n"),
        );
    }
    // The second time all is built already.
    for _ in ["first", "second"] {
        workspace.judge(&[]).ends(0, "3 passed, 0 failed");
    }
}

#[test]
fn a_problem_is_named_by_its_folder_too() {
    let workspace = Workspace::new("folder-names")
        .program("echo", ECHO)
        .program("other", ECHO)
        .case("echo/a", "1", "1\n")
        .case("other/a", "1", "2\n");
    for (from, name) in [
        ("problems", "echo/"),
        ("problems/echo", "."),
        ("problems/echo", "../echo"),
        ("problems/other/src", "../../echo"),
        ("problems/other", "echo"),
        (".", "problems/echo/"),
    ] {
        let judged = workspace.judge_from(from, &[name]);
        judged.ends(0, "1 passed, 0 failed");
    }
    let judged = workspace.judge_from("problems", &["."]);
    assert_eq!(judged.code, Some(2), "{}", judged.all());
}

#[test]
fn what_is_no_problem_is_in_nobodys_way() {
    let workspace = Workspace::new("stray")
        .program("echo", ECHO)
        .case("echo/a", "1", "1\n");
    workspace.write(
        "problems/library/Cargo.toml",
        "[package]\nname = \"library\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    workspace.write("problems/library/src/lib.rs", "");
    workspace.write("testdata/library/a.in", "");
    let judged = workspace.judge(&[]);
    judged.ends(1, "1 passed, 1 failed");
    judged.says("problems/library");
    workspace.judge(&["echo"]).ends(0, "1 passed, 0 failed");
    let judged = workspace.judge(&["library"]);
    assert_eq!(judged.code, Some(2), "{}", judged.all());
}

#[test]
fn an_unknown_name_is_an_error_that_lists_the_names() {
    let workspace = Workspace::new("unknown")
        .program("echo", ECHO)
        .program("other", ECHO)
        .case("echo/a", "1", "1");
    let judged = workspace.judge(&["echo", "ohter"]);
    assert_eq!(judged.code, Some(2), "{}", judged.all());
    assert_eq!(judged.stdout, "");
    assert!(judged.stderr.contains("\"ohter\"; there are: echo, other"));
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let workspace = Workspace::new("limits").program("echo", ECHO);
    for option in ["--time-limit", "--memory-limit", "--jobs"] {
        for value in ["0", "-1", "x", "", "inf", "NaN", "1e99"] {
            let judged = workspace.judge(&[option, value]);
            assert_eq!(judged.code, Some(2), "{option} {value} {}", judged.all());
            let expected = match option {
                "--time-limit" => "expected seconds, more than 0",
                _ => "expected a whole number from 1 to ",
            };
            assert!(judged.stderr.contains(expected), "{}", judged.all());
            assert_eq!(judged.stdout, "");
        }
    }
}

#[test]
fn a_problem_that_does_not_compile_is_an_error() {
    let workspace = Workspace::new("broken")
        .program("broken", "fn main() { no such thing }")
        .case("broken/a", "", "");
    let judged = workspace.judge(&[]);
    assert_eq!(judged.code, Some(2), "{}", judged.all());
    assert_eq!(judged.stdout, "");
    assert!(
        judged.stderr.contains("the build failed"),
        "{}",
        judged.all()
    );
}

#[test]
fn verdicts_come_in_order_whatever_the_jobs_and_the_folder() {
    let mut workspace = Workspace::new("order").program(
        "nap",
        r#"fn main() {
                let line = std::io::read_to_string(std::io::stdin()).unwrap();
                let millis = line.trim().parse().unwrap();
                std::thread::sleep(std::time::Duration::from_millis(millis));
                print!("{line}");
            }"#,
    );
    let names: Vec<String> = (0..8).map(|i| format!("nap/{i}")).collect();
    for (name, millis) in names.iter().zip([80, 0, 40, 1, 20, 2, 10, 0]) {
        workspace = workspace.case(name, millis.to_string(), millis.to_string());
    }
    for jobs in ["1", "3", "100"] {
        for folder in [".", "testdata/nap"] {
            let judged = workspace.judge_from(folder, &["--jobs", jobs]);
            judged.ends(0, "8 passed, 0 failed");
            let printed: Vec<&str> = judged
                .stdout
                .lines()
                .take(8)
                .filter_map(|line| line.split_whitespace().nth(1))
                .collect();
            assert_eq!(printed, names);
        }
    }
}

#[test]
fn all_cases_count_where_nobody_reads_on() {
    let mut workspace = Workspace::new("closed").program("echo", ECHO);
    for number in 0..20 {
        let right = if number == 19 { "no" } else { "yes" };
        workspace = workspace.case(&format!("echo/{number:02}"), "yes", right);
    }
    let mut judge = Command::new(env!("CARGO_BIN_EXE_judge"))
        .arg("test")
        .current_dir(&workspace.root)
        .env_remove("CARGO_TARGET_DIR")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(judge.stdout.take());
    assert_eq!(judge.wait().unwrap().code(), Some(1));
}

#[test]
fn an_error_that_nobody_reads_is_one_still() {
    let workspace = Workspace::new("unheard").program("echo", ECHO);
    let mut judge = Command::new(env!("CARGO_BIN_EXE_judge"))
        .args(["test", "ohce"])
        .current_dir(&workspace.root)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(judge.stderr.take());
    assert_eq!(judge.wait().unwrap().code(), Some(2));
}
