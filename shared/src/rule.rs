//! The rules of `sg_table`.

use std::io::BufRead;

use proconio::input;
use proconio::source::{RuntimeReadable, Source};

use crate::input::{missing, refusal, Counted, Whole};
use crate::{bounded_nim, nim, NoPeriod, SubtractionSet, TableTooLarge};

/// How many stones a move may take from a heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakingRule {
    /// `set k s_1 … s_k`: one of the listed numbers.
    Set(SubtractionSet),
    /// `up-to m`: 1, 2, … or m.
    UpTo(u64),
    /// `any`: any positive number.
    Any,
    /// `prime-powers`: pᵏ with p prime and k ≥ 0, so also 1.
    PrimePowers,
}

impl TakingRule {
    /// The Grundy value of `heap` in constant time, for the rules with a closed form: all but a listed set.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::TakingRule;
    ///
    /// assert_eq!(TakingRule::PrimePowers.closed_form(10), Some(4));
    /// ```
    pub fn closed_form(&self, heap: u64) -> Option<u64> {
        match *self {
            TakingRule::Set(_) => None,
            TakingRule::UpTo(most) => Some(bounded_nim(heap, most)),
            TakingRule::Any => Some(nim(heap)),
            // 1…5 are prime powers, and no multiple of 6 is one.
            TakingRule::PrimePowers => Some(bounded_nim(heap, 5)),
        }
    }

    /// The Grundy value of each heap from 0 to `largest_heap`; constant time each.
    ///
    /// # Errors, cost
    ///
    /// For a listed set, those of its [table](SubtractionSet::table).
    ///
    /// # Example
    ///
    /// ```
    /// use shared::TakingRule;
    ///
    /// let value = TakingRule::UpTo(3).table(5)?;
    /// assert_eq!([value(0), value(3), value(4), value(5)], [0, 3, 0, 1]);
    /// # Ok::<(), shared::TableTooLarge>(())
    /// ```
    pub fn table(self, largest_heap: u64) -> Result<Box<dyn Fn(u64) -> u64>, TableTooLarge> {
        Ok(match self {
            TakingRule::Set(set) => {
                let table = set.table(largest_heap)?;
                Box::new(move |heap| table.value(heap as usize) as u64)
            }
            rule => Box::new(move |heap| rule.closed_form(heap).expect("it is no set")),
        })
    }

    /// The Grundy values of `heaps`, of any size, in constant time each; those of a listed set may need a period.
    ///
    /// # Errors, cost
    ///
    /// For a listed set, those of its [values](SubtractionSet::values).
    ///
    /// # Example
    ///
    /// ```
    /// use shared::TakingRule;
    ///
    /// assert_eq!(TakingRule::PrimePowers.values(&[9, 1_000_000_000_000_000_000])?, [3, 4]);
    /// # Ok::<(), shared::NoPeriod>(())
    /// ```
    pub fn values(&self, heaps: &[u64]) -> Result<Vec<u64>, NoPeriod> {
        match self {
            TakingRule::Set(set) => Ok(set
                .values(heaps)?
                .into_iter()
                .map(|value| value as u64)
                .collect()),
            rule => Ok(heaps
                .iter()
                .filter_map(|&heap| rule.closed_form(heap))
                .collect()),
        }
    }
}

/// A marker for `input!` that reads any of the rules, as `Result<TakingRule, String>`.
///
/// # Example
///
/// ```
/// use proconio::input;
/// use shared::input::Tokens;
/// use shared::{ReadRule, TakingRule};
///
/// input! { from Tokens::from("up-to 3"), rule: with ReadRule }
/// assert_eq!(rule, Ok(TakingRule::UpTo(3)));
/// ```
pub struct ReadRule;

impl RuntimeReadable for ReadRule {
    type Output = Result<TakingRule, String>;

    fn read<R: BufRead, S: Source<R>>(self, source: &mut S) -> Self::Output {
        const RULES: &str = "`set k s_1 … s_k`, `up-to m`, `any` or `prime-powers`";
        match source.next_token().ok_or_else(|| missing("rule", RULES))? {
            "set" => {
                input! { from source, moves: with Counted(Whole("k", 0..=u64::MAX), Whole("move", 1..=u64::MAX)) }
                let set = SubtractionSet::new(moves?);
                Ok(TakingRule::Set(set))
            }
            "up-to" => {
                input! { from source, most: with Whole("m", 1..=u64::MAX) }
                Ok(TakingRule::UpTo(most?))
            }
            "any" => Ok(TakingRule::Any),
            "prime-powers" => Ok(TakingRule::PrimePowers),
            other => Err(refusal("rule", other, RULES)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadRule, TakingRule};
    use crate::input::Tokens;
    use crate::SubtractionSet;
    use proconio::input;

    fn rule(text: &str) -> Result<TakingRule, String> {
        input! { from Tokens::from(text), rule: with ReadRule }
        rule
    }

    #[test]
    fn every_rule_is_read() {
        let set = SubtractionSet::new([1, 3, 4]);
        assert_eq!(rule("set 4 3 1 4 1"), Ok(TakingRule::Set(set)));
        assert_eq!(rule("set 0"), Ok(TakingRule::Set(SubtractionSet::new([]))));
        assert_eq!(rule("up-to 3"), Ok(TakingRule::UpTo(3)));
        assert_eq!(rule("any"), Ok(TakingRule::Any));
        assert_eq!(rule("prime-powers"), Ok(TakingRule::PrimePowers));
    }

    #[test]
    fn other_words_are_refused() {
        assert_eq!(
            rule("nim").unwrap_err(),
            "rule: read \"nim\"; expected `set k s_1 … s_k`, `up-to m`, `any` or `prime-powers`"
        );
        assert!(rule("")
            .unwrap_err()
            .starts_with("rule: the input ends here"));
        assert!(rule("set 2 1 0")
            .unwrap_err()
            .starts_with("move 2 of 2: read \"0\""));
        assert!(rule("up-to 0").unwrap_err().starts_with("m: read \"0\""));
    }
}
