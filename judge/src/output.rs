//! Printing to somebody who may have seen enough.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

/// Prints a text as it is.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    printed(written.and_then(|()| stdout.flush()))
}

/// That the reader, `head` for instance, closed the pipe is no error.
pub fn printed(done: io::Result<()>) -> Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.context("cannot write to stdout"),
    }
}

/// Prints a line on stderr; where nobody reads that any more, nobody has to know. What compilers say ends with empty lines: those go.
pub fn say(line: fmt::Arguments) {
    let line = line.to_string();
    let _ = writeln!(io::stderr(), "{}", line.trim_end());
}
