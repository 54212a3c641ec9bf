//! The solutions as programs.

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cargo_metadata::Message;

/// The executables of `problems` in release, by name.
pub fn executables(problems: &[&str]) -> BTreeMap<String, PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["build", "--release", "--message-format=json"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stdout(Stdio::piped());
    for problem in problems {
        command.args(["--package", problem]);
    }
    let mut cargo = command.spawn().expect("cargo starts");
    let messages = Message::parse_stream(BufReader::new(cargo.stdout.take().expect("it is piped")));
    let executables = messages
        .filter_map(|message| match message.expect("cargo speaks JSON") {
            Message::CompilerArtifact(artifact) => {
                Some((artifact.target.name, artifact.executable?.into()))
            }
            _ => None,
        })
        .collect();
    assert!(cargo.wait().expect("cargo ends").success());
    executables
}

/// Runs a program on an input to its end.
pub fn run(executable: &Path, input: &[u8]) -> Output {
    let mut process = Command::new(executable)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the solution starts");
    process
        .stdin
        .take()
        .expect("it is piped")
        .write_all(input)
        .expect("the solution reads all");
    process.wait_with_output().expect("the solution ends")
}
