//! A colour for each value, the same in a terminal and in a picture.

use anstyle::{Ansi256Color, Color, RgbColor, Style};

/// P-positions, which every other colour is lighter than.
const LOST: RgbColor = RgbColor(0x1b, 0x1f, 0x24);

/// From light to dark, so that they differ for every kind of eyes: small values to large ones.
const SCALE: [RgbColor; 5] = [
    RgbColor(0xfd, 0xe7, 0x25),
    RgbColor(0x90, 0xd7, 0x43),
    RgbColor(0x35, 0xb7, 0x79),
    RgbColor(0x21, 0x91, 0x8c),
    RgbColor(0x3b, 0x6b, 0xa5),
];

/// The colours of the values 0 … `largest`.
pub struct Palette {
    largest: u64,
}

impl Palette {
    pub fn new(largest: u64) -> Self {
        Palette { largest }
    }

    pub fn colour(&self, value: u64) -> RgbColor {
        if value == 0 {
            return LOST;
        }
        // Values that grow like the powers of 2 are told apart by their length.
        let place = |value: u64| match self.largest {
            ..=40 => value as f64 - 1.0,
            _ => (value as f64).ln(),
        };
        let at = match place(self.largest) {
            end if end > 0.0 => place(value) / end,
            _ => 0.0,
        } * (SCALE.len() - 1) as f64;
        let from = (at as usize).min(SCALE.len() - 2);
        let mix = |low: u8, high: u8| {
            let (low, high) = (f64::from(low), f64::from(high));
            (low + (high - low) * (at - from as f64)).round() as u8
        };
        let (low, high) = (SCALE[from], SCALE[from + 1]);
        RgbColor(mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2))
    }

    /// Black or white, whichever can be read on the colour of `value`.
    pub fn ink(&self, value: u64) -> RgbColor {
        let RgbColor(red, green, blue) = self.colour(value);
        let light = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
        match light > 128_000 {
            true => RgbColor(0, 0, 0),
            false => RgbColor(255, 255, 255),
        }
    }

    /// For a terminal, of which all know 256 colours.
    pub fn style(&self, value: u64) -> Style {
        let style = Style::new()
            .fg_color(Some(in_256_colours(self.ink(value))))
            .bg_color(Some(in_256_colours(self.colour(value))));
        match value {
            0 => style.bold(),
            _ => style,
        }
    }
}

/// The nearest in the cube of 6 · 6 · 6 colours.
fn in_256_colours(RgbColor(red, green, blue): RgbColor) -> Color {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let level = |part: u8| {
        (0..6)
            .min_by_key(|&i| LEVELS[i as usize].abs_diff(part))
            .unwrap_or(0)
    };
    Ansi256Color(16 + 36 * level(red) + 6 * level(green) + level(blue)).into()
}
