//! Draws findings as SVG: one cell a position, and a panel behind them that a dark page does not darken.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::RgbColor;
use svg::node::element::{Group, Line as Stroke, Path, Rectangle, Text, Title};
use svg::Document;

use super::findings::{Findings, Grid, Line};
use super::palette::Palette;
use super::text::{capitalised, heading_of_rows, period, wrapped};

/// The longest side of the cells together, where there are many.
const SIDE: usize = 800;
const LARGEST_CELL: usize = 26;
const SMALLEST_CELL: usize = 3;
/// From here on there is room for a value of two digits.
const CELL_WITH_TEXT: usize = 18;
/// A period that is longer takes several rows.
const LONGEST_ROW: usize = 250;
const MARGIN: usize = 16;
const LEGEND: usize = 120;
/// Title and notes need some room.
const NARROWEST: usize = 560;
/// About what a letter takes at the size of the notes.
const LETTER: usize = 7;
const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;

/// A cell to draw.
struct Cell {
    column: usize,
    row: usize,
    value: u64,
    is_exception: bool,
}

/// All of a picture but the colours.
struct Picture {
    title: String,
    notes: Vec<String>,
    cells: Vec<Cell>,
    columns: usize,
    rows: usize,
    /// What the numbers beside the rows count in.
    row_step: u64,
    largest: u64,
    has_golden_lines: bool,
}

/// The findings as a document; the same for the same findings.
pub fn draw(findings: &Findings) -> String {
    let picture = match findings {
        Findings::Line(line) => of_line(line),
        Findings::Grid(grid) => of_grid(grid),
    };
    picture.draw()
}

fn of_line(line: &Line) -> Picture {
    let columns = Some(line.row(30))
        .filter(|&row| row <= LONGEST_ROW)
        .unwrap_or(50);
    let cells: Vec<Cell> = line
        .cells()
        .map(|(n, value)| Cell {
            column: n as usize % columns,
            row: n as usize / columns,
            value,
            is_exception: line.is_exception(n),
        })
        .collect();
    let period = period(line);
    let mut notes = vec![format!("period {}", period[0])];
    if period.len() == 1 {
        notes = vec![format!("period: {}", period[0])];
    }
    notes.extend(period.into_iter().skip(1));
    notes.push(heading_of_rows(line, columns));
    Picture {
        title: capitalised(&line.game),
        notes,
        rows: cells.last().map_or(0, |cell| cell.row + 1),
        columns,
        row_step: columns as u64,
        largest: cells.iter().map(|cell| cell.value).max().unwrap_or(0),
        cells,
        has_golden_lines: false,
    }
}

fn of_grid(grid: &Grid) -> Picture {
    let side = grid.values.len();
    let cells = grid.values.iter().enumerate().flat_map(|(row, values)| {
        values.iter().enumerate().map(move |(column, &value)| Cell {
            column,
            row,
            value,
            is_exception: false,
        })
    });
    Picture {
        title: capitalised(&grid.game),
        notes: vec![
            grid.theorem.to_string(),
            "g(a, b): a down, b across".to_string(),
        ],
        cells: cells.collect(),
        columns: side,
        rows: side,
        row_step: 1,
        largest: grid.largest().1,
        has_golden_lines: grid.golden_ratio,
    }
}

impl Picture {
    fn draw(&self) -> String {
        let cell = (SIDE / self.columns.max(self.rows)).clamp(SMALLEST_CELL, LARGEST_CELL);
        let palette = Palette::new(self.largest);
        let label = 10 + 8 * (self.row_step * self.rows as u64).to_string().len();
        let board = (self.columns * cell, self.rows * cell);
        let legend = self.legend();
        let width = (2 * MARGIN + label + board.0 + 24 + LEGEND).max(NARROWEST);
        let notes: Vec<String> = self
            .notes
            .iter()
            .flat_map(|note| wrapped(note, (width - 2 * MARGIN) / LETTER))
            .collect();
        let top = MARGIN + 22 + 18 * notes.len() + 26;
        let height = top + board.1.max(24 * legend.len()) + MARGIN;

        let mut document = Document::new()
            .set("viewBox", (0, 0, width, height))
            .set("width", width)
            .set("height", height)
            .set("role", "img")
            .set(
                "font-family",
                "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif",
            )
            .add(Title::new(self.title.as_str()))
            .add(
                Rectangle::new()
                    .set("width", width)
                    .set("height", height)
                    .set("rx", 8)
                    .set("fill", "#ffffff"),
            )
            .add(text(MARGIN, MARGIN + 14, 16, &self.title).set("font-weight", "bold"));
        for (i, note) in notes.iter().enumerate() {
            document =
                document.add(text(MARGIN, MARGIN + 36 + 18 * i, 13, note).set("fill", "#57606a"));
        }
        let (left, top) = (MARGIN + label, top);
        document = document
            .add(self.numbers(left, top, cell))
            .add(self.board(left, top, cell, &palette));
        if cell >= CELL_WITH_TEXT && self.largest < 100 {
            document = document.add(self.values(left, top, cell, &palette));
        }
        document = document.add(self.marks(left, top, cell));
        for (i, entry) in legend.iter().enumerate() {
            let (x, y) = (left + board.0 + 24, top + 24 * i);
            document = document.add(entry.draw(x, y, &palette));
        }
        format!("{document}\n")
    }

    /// All cells of one value are one path, a stroke a cell: a picture of thousands stays small.
    fn board(&self, left: usize, top: usize, cell: usize, palette: &Palette) -> Group {
        // A little less than a cell, so that the panel shows between large ones.
        let stroke = if cell < CELL_WITH_TEXT { 1.0 } else { 0.94 };
        let mut of_value: BTreeMap<u64, String> = BTreeMap::new();
        for Cell {
            column, row, value, ..
        } in &self.cells
        {
            let strokes = of_value.entry(*value).or_default();
            write!(strokes, "M{column} {row}h{stroke}").expect("a string takes everything");
        }
        let group = Group::new()
            .set("class", "cells")
            .set(
                "transform",
                format!(
                    "translate({left} {}) scale({cell})",
                    top as f64 + cell as f64 / 2.0
                ),
            )
            .set("stroke-width", stroke);
        of_value.into_iter().fold(group, |group, (value, strokes)| {
            group.add(
                Path::new()
                    .set("d", strokes)
                    .set("stroke", hex(palette.colour(value)))
                    .add(Title::new(format!("g = {value}"))),
            )
        })
    }

    fn values(&self, left: usize, top: usize, cell: usize, palette: &Palette) -> Group {
        let mut inks: BTreeMap<String, Vec<&Cell>> = BTreeMap::new();
        for cell in &self.cells {
            inks.entry(hex(palette.ink(cell.value)))
                .or_default()
                .push(cell);
        }
        let size = cell / 2;
        let group = Group::new()
            .set("text-anchor", "middle")
            .set("font-size", size);
        inks.into_iter().fold(group, |group, (ink, cells)| {
            group.add(
                cells
                    .into_iter()
                    .fold(Group::new().set("fill", ink), |group, drawn| {
                        group.add(
                            Text::new(drawn.value.to_string())
                                .set("x", left + drawn.column * cell + cell / 2)
                                .set("y", top + drawn.row * cell + cell / 2 + size * 3 / 8),
                        )
                    }),
            )
        })
    }

    /// The numbers of columns and rows, as many as there is room for.
    fn numbers(&self, left: usize, top: usize, cell: usize) -> Group {
        let step = |room: usize| {
            [1, 5, 10, 50, 100]
                .into_iter()
                .find(|step| step * cell >= room)
                .unwrap_or(500)
        };
        let mut group = Group::new().set("font-size", 12).set("fill", "#57606a");
        let digits = self.columns.to_string().len();
        for column in (0..self.columns).step_by(step(6 + 8 * digits)) {
            group = group.add(
                Text::new(column.to_string())
                    .set("x", left + column * cell + cell / 2)
                    .set("y", top - 6)
                    .set("text-anchor", "middle"),
            );
        }
        for row in (0..self.rows).step_by(step(14)) {
            group = group.add(
                Text::new((row as u64 * self.row_step).to_string())
                    .set("x", left - 6)
                    .set("y", top + row * cell + cell / 2 + 4)
                    .set("text-anchor", "end"),
            );
        }
        group
    }

    /// Frames around exceptions, the golden lines.
    fn marks(&self, left: usize, top: usize, cell: usize) -> Group {
        let thickness = if cell < CELL_WITH_TEXT { 1 } else { 2 };
        let mut group = Group::new()
            .set("fill", "none")
            .set("stroke", "#cf222e")
            .set("stroke-width", thickness);
        let (inset, side) = (cell / 12, cell - 2 * (cell / 12));
        for drawn in self.cells.iter().filter(|drawn| drawn.is_exception) {
            group = group.add(
                Rectangle::new()
                    .set("x", left + drawn.column * cell + inset)
                    .set("y", top + drawn.row * cell + inset)
                    .set("width", side)
                    .set("height", side),
            );
        }
        if self.has_golden_lines {
            let far = (self.columns * cell) as f64 - cell as f64 / 2.0;
            let near = (far / GOLDEN_RATIO * 10.0).round() / 10.0;
            let (x, y) = (
                left as f64 + cell as f64 / 2.0,
                top as f64 + cell as f64 / 2.0,
            );
            for (right, down) in [(far, near), (near, far)] {
                group = group.add(
                    Stroke::new()
                        .set("x1", x)
                        .set("y1", y)
                        .set("x2", x + right)
                        .set("y2", y + down),
                );
            }
        }
        group
    }

    fn legend(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        if self.cells.iter().any(|cell| cell.value == 0) {
            entries.push(Entry::Value(0, "0: P-position".to_string()));
        }
        let mut shown: Vec<u64> = match self.largest {
            0..=9 => (1..=self.largest).collect(),
            10..=40 => (0..=6).map(|i| 1 + i * (self.largest - 1) / 6).collect(),
            // As far apart as their colours are.
            _ => (0..=6)
                .map(|i| (self.largest as f64).powf(f64::from(i) / 6.0).round() as u64)
                .collect(),
        };
        shown.dedup();
        entries.extend(
            shown
                .into_iter()
                .map(|value| Entry::Value(value, value.to_string())),
        );
        if self.cells.iter().any(|cell| cell.is_exception) {
            entries.push(Entry::Exception);
        }
        if self.has_golden_lines {
            entries.push(Entry::GoldenLines);
        }
        entries
    }
}

/// A line of the legend.
enum Entry {
    Value(u64, String),
    Exception,
    GoldenLines,
}

impl Entry {
    fn draw(&self, x: usize, y: usize, palette: &Palette) -> Group {
        let frame = |fill: String| {
            Rectangle::new()
                .set("x", x)
                .set("y", y)
                .set("width", 16)
                .set("height", 16)
                .set("fill", fill)
        };
        let red = |element: Rectangle| element.set("stroke", "#cf222e").set("stroke-width", 2);
        let (sign, words): (Box<dyn svg::Node>, &str) = match self {
            Entry::Value(value, words) => (Box::new(frame(hex(palette.colour(*value)))), words),
            Entry::Exception => (Box::new(red(frame("none".to_string()))), "exception"),
            Entry::GoldenLines => (
                Box::new(
                    Stroke::new()
                        .set("x1", x)
                        .set("y1", y + 14)
                        .set("x2", x + 16)
                        .set("y2", y + 4)
                        .set("stroke", "#cf222e")
                        .set("stroke-width", 2),
                ),
                "slope φ, 1/φ",
            ),
        };
        Group::new().add(sign).add(text(x + 24, y + 13, 13, words))
    }
}

fn text(x: usize, y: usize, size: usize, words: &str) -> Text {
    Text::new(words)
        .set("x", x)
        .set("y", y)
        .set("font-size", size)
}

fn hex(RgbColor(red, green, blue): RgbColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
