//! Numbers on the command line.

use std::ops::RangeInclusive;

/// Reads a whole number of a range, for `clap`, whose own messages do not say what is expected of what is no number.
pub fn whole(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            format!("expected a whole number from {low} to {high}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn only_what_is_in_the_range_is_read() {
        let read = whole(2..=7);
        assert_eq!((read("2"), read("7")), (Ok(2), Ok(7)));
        for text in ["1", "8", "-2", "2.5", "x", "", "99999999999999999999"] {
            let expected = "expected a whole number from 2 to 7".to_string();
            assert_eq!(read(text), Err(expected), "{text}");
        }
    }
}
