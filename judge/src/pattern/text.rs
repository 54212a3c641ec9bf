//! Shows findings to a person. Writes colours always; the stream takes them out where they are not wanted.

use std::fmt::{Display, Write as _};

use anstyle::Style;
use shared::Period;

use super::findings::{Findings, Grid, Line, Repeats};
use super::palette::Palette;

const HEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// P-positions listed of all there are.
const LISTED: usize = 24;

/// A blank at which no line is broken, until it is written.
const TIE: char = '\u{a0}';

/// The findings, for a terminal with so many columns.
pub fn show(findings: &Findings, columns: usize) -> String {
    let mut out = String::new();
    let written = match findings {
        Findings::Line(line) => write_line(&mut out, line, columns),
        Findings::Grid(grid) => write_grid(&mut out, grid, columns),
    };
    written.expect("a string takes everything");
    out
}

/// What is said of the period, on one or two lines.
pub fn period(line: &Line) -> Vec<String> {
    match &line.repeats {
        Repeats::Proven(period, proof) => vec![
            format!(
                "{}, pre-period {}",
                period.period,
                period.pre_period - line.first
            ),
            format!("proven: {proof}"),
        ],
        Repeats::Never(proof) => vec![format!("none, proven: {proof}")],
        Repeats::NotProven { looked_at } => vec![format!(
            "none is proven by the values of the {}s to {looked_at}",
            line.item
        )],
    }
}

fn write_line(out: &mut String, line: &Line, columns: usize) -> std::fmt::Result {
    let last = line.first + line.shown as u64 - 1;
    writeln!(out, "{HEADING}{}{HEADING:#}", capitalised(&line.game))?;
    write_fact(out, columns, "period", &period(line))?;
    let mut lost = vec![format!("{} (to {} {last})", list(&line.lost()), line.item)];
    if let (Some(remainders), Repeats::Proven(proven, _)) = (line.lost_remainders(), &line.repeats)
    {
        let all = match proven.pre_period == line.first {
            true => "in all".to_string(),
            false => format!("from {} {} on", line.item, proven.pre_period),
        };
        lost.push(match (remainders.len(), proven.period) {
            (0, _) => format!("{all}: none"),
            (_, 1) => format!("{all}: every n"),
            (_, period) => format!("{all}: where n mod {period} is {}", list(&remainders)),
        });
    }
    write_fact(out, columns, "P-positions", &lost)?;
    let (first, largest) = line.largest();
    let scope = match line.repeats {
        Repeats::Proven(..) => "of all".to_string(),
        _ => format!("to {} {last}", line.item),
    };
    let fact = format!("{largest}, first at {} {first} ({scope})", line.item);
    write_fact(out, columns, "largest value", &[fact])?;
    writeln!(out)?;

    let has_exceptions = line.cells().any(|(n, _)| line.is_exception(n));
    let label = last.to_string().len().max(2);
    let largest_shown = line.cells().map(|(_, value)| value).max().unwrap_or(0);
    let fits = |digits: usize| {
        let cell = digits + 1 + usize::from(has_exceptions);
        (columns.saturating_sub(label + 2) / cell).max(1)
    };
    let narrow = largest_shown.to_string().len();
    let row = line.row(fits(narrow));
    // As wide as the numbers over the columns, where that fits.
    let wide = narrow.max((row - 1).to_string().len());
    let digits = if row <= fits(wide) { wide } else { narrow };
    let (cell, fits) = (digits + 1 + usize::from(has_exceptions), fits(digits));
    // A period that is too long for the terminal takes several lines of about the same length.
    let pieces = row.div_ceil(fits);
    let piece = row.div_ceil(pieces);
    let palette = Palette::new(largest);

    writeln!(out, "{}", heading_of_rows(line, row))?;
    writeln!(out)?;
    if pieces == 1 {
        let heads = (0..row).map(|column| {
            let head = column.to_string();
            // Where it does not fit, its last digits do.
            let visible = &head[head.len().saturating_sub(digits)..];
            format!(
                " {visible:>digits$}{}",
                if has_exceptions { " " } else { "" }
            )
        });
        let heads: String = heads.collect();
        writeln!(out, "{FAINT}{:>label$} |{}{FAINT:#}", "n", heads.trim_end())?;
    }
    let cells: Vec<(u64, u64)> = line.cells().collect();
    // Position n stands in column n mod row, so an empty cell comes before coin 1.
    let blank = (line.first as usize) % row;
    let mut at = 0;
    while at < cells.len() {
        let column = (at + blank) % row;
        let end = (at + (piece - column % piece).min(row - column)).min(cells.len());
        let number = match column == blank && at == 0 {
            true => 0,
            false => cells[at].0,
        };
        if column % row == 0 && at > 0 && pieces > 1 {
            writeln!(out)?;
        }
        write!(out, "{FAINT}{number:>label$} |{FAINT:#}")?;
        if at == 0 {
            write!(out, "{:width$}", "", width = blank * cell)?;
        }
        let mut text = String::new();
        for &(n, value) in &cells[at..end] {
            let style = palette.style(value);
            let mark = match (has_exceptions, line.is_exception(n)) {
                (false, _) => "",
                (true, false) => " ",
                (true, true) => "*",
            };
            write!(text, "{style} {value:>digits$}{mark}{style:#}")?;
        }
        writeln!(out, "{text}")?;
        at = end;
    }
    if has_exceptions {
        writeln!(out)?;
        writeln!(
            out,
            "* differs from the value that its column has in the end"
        )?;
    }
    Ok(())
}

/// What a row is.
pub fn heading_of_rows(line: &Line, row: usize) -> String {
    match &line.repeats {
        Repeats::Proven(Period { period, .. }, _) if row as u64 % period == 0 => {
            match row as u64 / period {
                1 => format!("g(n) in rows of one period, {row}"),
                periods => format!("g(n) in rows of {periods} periods, {row}"),
            }
        }
        _ => format!("g(n) in rows of {row}"),
    }
}

fn write_grid(out: &mut String, grid: &Grid, columns: usize) -> std::fmt::Result {
    let n = grid.values.len() - 1;
    writeln!(out, "{HEADING}{}{HEADING:#}", capitalised(&grid.game))?;
    let lost: Vec<String> = grid
        .lost()
        .into_iter()
        .filter(|&(a, _)| a > 0)
        .map(|(a, b)| format!("({a},{TIE}{b})"))
        .collect();
    let lost = format!("{} with 0 < a ≤ b ≤ {n}", list(&lost));
    write_fact(
        out,
        columns,
        "P-positions",
        &[grid.theorem.to_string(), lost],
    )?;
    let ((a, b), largest) = grid.largest();
    write_fact(
        out,
        columns,
        "largest value",
        &[format!("{largest}, first at ({a}, {b}) (to {n})")],
    )?;
    writeln!(out)?;

    let digits = largest.to_string().len().max(n.to_string().len());
    let label = n.to_string().len();
    let fits = (columns.saturating_sub(label + 2) / (digits + 1)).max(1);
    let cut = match fits <= n {
        true => format!("; the columns to {} of {n}", fits - 1),
        false => String::new(),
    };
    writeln!(out, "g(a, b): a down, b across{cut}")?;
    writeln!(out)?;
    let heads: String = (0..=n)
        .take(fits)
        .map(|b| format!(" {b:>digits$}"))
        .collect();
    writeln!(out, "{FAINT}{:label$} |{heads}{FAINT:#}", "")?;
    let palette = Palette::new(largest);
    for (a, row) in grid.values.iter().enumerate() {
        write!(out, "{FAINT}{a:>label$} |{FAINT:#}")?;
        for &value in row.iter().take(fits) {
            let style = palette.style(value);
            write!(out, "{style} {value:>digits$}{style:#}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_fact(out: &mut String, columns: usize, name: &str, facts: &[String]) -> std::fmt::Result {
    const INDENT: usize = 14;
    let lines = facts
        .iter()
        .flat_map(|fact| wrapped(fact, columns.saturating_sub(INDENT)));
    for (i, line) in lines.enumerate() {
        let name = if i == 0 { name } else { "" };
        writeln!(out, "{name:<INDENT$}{}", line.replace(TIE, " "))?;
    }
    Ok(())
}

/// The first of them, and how many there are where these are not all.
fn list(items: &[impl Display]) -> String {
    let listed: Vec<String> = items
        .iter()
        .take(LISTED)
        .map(|item| item.to_string())
        .collect();
    match items.len() {
        0 => "none".to_string(),
        1..=LISTED => listed.join(", "),
        all => format!("{}, … ({all} of them)", listed.join(", ")),
    }
}

pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The words in lines of at most so many letters.
pub fn wrapped(words: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
