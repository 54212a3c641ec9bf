//! Impls that calls of macros make and nothing asks for, where calls stay as they were written: of `read_integers!(u8 i64)` what it makes
//! for `u8`.
//!
//! All calls of a macro make their code on the lines of the macro. But the name of a function tells which type has it by which trait. A
//! call, or a part of one, that makes impls of traits alone, and what only these name, may go where there is no code of any of them, as an
//! impl that stands in the text goes: unless the type checker asks for one of them, and as long as the code stays the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::slice;
use std::thread;

use anyhow::{anyhow, Result};
use proc_macro2::TokenStream;

use super::follow::Names;
use super::generated::Generated;
use super::left_out::LeftOut;
use super::made::{self, Made};
use super::needs;
use super::{is_about, is_lint, INNATE, LINTS};
use crate::bundle::compiler::{Compiler, Diagnostic};
use crate::bundle::text::header::{Bound, Header};
use crate::bundle::text::index::{Index, Kind, Sort};
use crate::bundle::text::source;

/// As often as this the type checker is asked at most.
const ROUNDS: usize = 8;

/// A text that could not even get smaller by this part is not looked at: the compiler has to make its code twice.
const LEAST_GAIN: usize = 300;

/// What is left of a text.
pub struct Left {
    pub text: String,
    /// Something in it is dead now, or may be, and there is more to it than to take that out.
    pub has_dead: bool,
    /// A function went with what needed it: it may have been all that asked for something in a rule.
    pub may_be_idle: bool,
}

/// The code of a text, and that with what this machine leaves out.
pub struct Codes {
    all: Vec<Generated>,
    /// What the compiler calls dead, here and there.
    lints: Vec<Diagnostic>,
}

impl Codes {
    pub fn is_same(&self, other: &Self) -> bool {
        let mut pairs = self.all.iter().zip(&other.all);
        self.all.len() == other.all.len() && pairs.all(|(one, other)| one.is_part_of(other))
    }

    /// The lines that functions begin on, if the compiler was asked for them.
    pub fn lines(&self) -> impl Iterator<Item = usize> + '_ {
        self.all.iter().flat_map(|code| code.lines.iter().copied())
    }

    /// What is dead that was not in another text, where all that stays is where it was.
    fn newly_dead(&self, before: &Self, index: &Index) -> BTreeSet<usize> {
        let places = |lint: &Diagnostic| -> Vec<(String, usize)> {
            let starts = lint.places().map(|at| at.start);
            starts.map(|start| (lint.code.clone(), start)).collect()
        };
        let known: BTreeSet<(String, usize)> = before.lints.iter().flat_map(places).collect();
        self.dead_where(index, |lint, at| {
            !known.contains(&(lint.code.clone(), at.start))
        })
    }

    /// What is dead in the text, which has an index.
    pub fn dead(&self, index: &Index) -> BTreeSet<usize> {
        self.dead_where(index, |_, _| true)
    }

    fn dead_where(
        &self,
        index: &Index,
        is_wanted: impl Fn(&Diagnostic, &Range<usize>) -> bool,
    ) -> BTreeSet<usize> {
        dead_of(&self.lints, index, is_wanted)
    }
}

/// What some lints call dead.
pub fn dead_of(
    lints: &[Diagnostic],
    index: &Index,
    is_wanted: impl Fn(&Diagnostic, &Range<usize>) -> bool,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for lint in lints {
        for at in lint.places().filter(|at| is_wanted(lint, at)) {
            let nodes = index.pointed_at(at).into_iter();
            found.extend(nodes.filter(|&n| is_about(lint, index.nodes[n].kind)));
        }
    }
    found
}

/// The text without the calls, and parts of calls, that make nothing but impls which it does without. There are functions of some impls,
/// with these types and traits. The code of the text may be known.
pub fn without_unasked(
    compiler: &Compiler,
    text: &str,
    used: &BTreeSet<(String, String)>,
    known: Option<Codes>,
) -> Result<Option<Left>> {
    if !text.contains("macro_rules") {
        return Ok(None);
    }
    let index = Index::new(text)?;
    let made = made::by_calls(&index);
    let left_out = left_out_of(text)?;
    let calls = calls(&index, &made, &left_out);
    let used = used.iter();
    let used: Vec<Bound> = used
        .filter_map(|(of, of_trait)| Bound::new(of, of_trait))
        .collect();
    let makes_one_of = |n: usize, bounds: &[Bound]| {
        let mut impls = calls[&n].iter();
        impls.any(|header| bounds.iter().any(|bound| provides(header, bound)))
    };
    let mut gone: BTreeSet<usize> = calls.keys().copied().collect();
    gone.retain(|&n| !makes_one_of(n, &used));
    if most_without(&index, &gone) * LEAST_GAIN <= text.len() {
        return Ok(None);
    }
    thread::scope(|scope| {
        let before = scope.spawn(|| match known {
            Some(known) => Ok(Ok(known)),
            None => made_of(compiler, text, &[]),
        });
        let mut before = Some(before);
        for _ in 0..ROUNDS {
            if gone.is_empty() {
                break;
            }
            let mut all = gone.clone();
            all.extend(whole(&index, &gone));
            let errors = match made_of(compiler, &index.blanked(&all), &[])? {
                Ok(now) => {
                    let before = before.take().expect("it is joined once").join();
                    let before = before.expect("a run does not panic")?.ok();
                    let before = before.filter(|before| now.is_same(before));
                    let names = Names::new(&index);
                    let left = |before: Codes| {
                        let is_impl_idle = has_idle_impl(&index, &made, &gone, &now);
                        if left_out.unseen {
                            // What of it is dead elsewhere, too, the next look finds.
                            return Ok(Left {
                                text: index.without(&all, &[]),
                                has_dead: true,
                                may_be_idle: false,
                            });
                        }
                        let of_gone = all.iter().flat_map(|&n| source::words(index.text_of(n)));
                        let words: BTreeSet<&str> = of_gone.collect();
                        let mut left = without_dead(compiler, &index, &names, (&before, now), all)?;
                        left.has_dead |= is_impl_idle || has_unnamed(&left.text, &words)?;
                        Ok(left)
                    };
                    return before.map(left).transpose();
                }
                Err(errors) => errors,
            };
            let size = gone.len();
            // What is missed may be what a trait provides, and the name of what another asks for: then all for the type is wanted.
            for is_by_name in [true, false] {
                for error in errors.iter().filter(|error| error.is_error()) {
                    let (bounds, methods) = needs::wanted(error);
                    // Of all numbers, the one that it is without the others does.
                    let settled = |bound: Bound| match bound.by_default() {
                        Some(of) if gone.iter().any(|&n| makes_one_of(n, slice::from_ref(&of))) => {
                            of
                        }
                        _ => bound,
                    };
                    let bounds: Vec<Bound> = bounds.into_iter().map(settled).collect();
                    let is_missed = |n: usize| {
                        methods.iter().any(|(name, of)| {
                            let has_it = || made[&n].items.iter().any(|(_, item)| item == name);
                            let is_for =
                                |of| calls[&n].iter().any(|one| one.is_for(of, &|_, _| true));
                            of.as_ref().is_some_and(is_for) && (!is_by_name || has_it())
                        })
                    };
                    gone.retain(|&n| !makes_one_of(n, &bounds) && !is_missed(n));
                }
                if gone.len() < size {
                    break;
                }
            }
            if gone.len() == size {
                break;
            }
        }
        Ok(None)
    })
}

/// What is left when what is dead now is gone, too.
fn without_dead(
    compiler: &Compiler,
    index: &Index,
    names: &Names,
    (before, mut now): (&Codes, Codes),
    mut gone: BTreeSet<usize>,
) -> Result<Left> {
    let size = gone.len();
    let has_dead = loop {
        let dead = now.newly_dead(before, index);
        if dead.is_subset(&gone) {
            break false;
        }
        let more = gone.union(&dead).copied().collect();
        let more = names.with_followers(index, more, &BTreeSet::new());
        match made_of(compiler, &index.blanked(&more), &[])? {
            Ok(next) if next.is_same(before) => (gone, now) = (more, next),
            _ => break true,
        }
    };
    Ok(Left {
        text: index.without(&gone, &[]),
        has_dead,
        may_be_idle: gone.len() > size,
    })
}

/// Whether a text has something of which the name is one of some words, and that nothing else names: the compiler does not call dead what is
/// public in the root.
pub fn has_unnamed(text: &str, words: &BTreeSet<&str>) -> Result<bool> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for word in source::words(text).filter(|word| words.contains(word)) {
        *times.entry(word).or_default() += 1;
    }
    let index = Index::new(text)?;
    let is_alone = |name: &str| times.get(name) == Some(&1);
    let mut items = index.nodes.iter().filter(|node| node.kind == Kind::Item);
    Ok(items.any(|node| is_alone(&node.name)))
}

/// Whether something that goes names a trait, or a method, of which an impl in the text has no code: it may have stayed for that alone.
fn has_idle_impl(
    index: &Index,
    made: &BTreeMap<usize, Made>,
    gone: &BTreeSet<usize>,
    code: &Codes,
) -> bool {
    let used: BTreeSet<(String, String)> = code.all.iter().flat_map(Generated::impls).collect();
    let is_used = |for_type: &str, of_trait: &str| {
        let mut used = used.iter();
        let has = |path: &str, name: &str| source::words(path).any(|word| word == name);
        used.any(|(of, by)| has(of, for_type) && has(by, of_trait))
    };
    let of_gone = gone.iter().filter_map(|n| made.get(n));
    let named: BTreeSet<&String> = of_gone.flat_map(|made| &made.words).collect();
    let is_idle = |n: usize| match (index.nodes[n].for_type(), index.nodes[n].of_trait()) {
        (Some(for_type), Some(of_trait)) if index.nodes[n].kind == Kind::Impl => {
            let items = index.children(n).map(|item| &index.nodes[item].name);
            let mut names = items.chain([of_trait]);
            names.any(|name| named.contains(name)) && !is_used(for_type, of_trait)
        }
        _ => false,
    };
    (0..index.nodes.len()).any(is_idle)
}

/// How much there is of some calls, and of macros that nothing else names.
fn most_without(index: &Index, gone: &BTreeSet<usize>) -> usize {
    let mut calls = whole(index, gone);
    calls.extend(gone.iter().filter(|&&n| !index.is_part(n)));
    let is_macro = |n: &usize| {
        let node = &index.nodes[*n];
        let of_calls = || -> usize {
            let calls = calls.iter();
            calls.map(|&n| times(index.text_of(n), &node.name)).sum()
        };
        node.sort == Sort::Macro && times(index.text(), &node.name) == of_calls() + 1
    };
    let macros = (0..index.nodes.len()).filter(is_macro);
    let all = gone.iter().copied().chain(macros);
    all.map(|n| index.text_of(n).len()).sum()
}

/// How often a text has a word.
pub fn times(text: &str, name: &str) -> usize {
    source::words(text).filter(|word| *word == name).count()
}

fn provides(header: &Header, bound: &Bound) -> bool {
    header.provides(bound, &|_, _| true).is_some()
}

/// The calls that make nothing but impls, some of them of traits, with these, and what only these name; instead of one its parts, where each
/// makes its own. None of it may be of use to what this machine leaves out.
fn calls<'m>(
    index: &Index,
    made: &'m BTreeMap<usize, Made>,
    left_out: &LeftOut,
) -> BTreeMap<usize, &'m [Header]> {
    let mut found = BTreeMap::new();
    for (&n, made) in made {
        let may_go = |header: &Header| {
            // One without a trait is for what has the name, which the type checker tells.
            let mut of_trait = header.trait_name().into_iter();
            of_trait.all(|name| !INNATE.contains(&name.as_str()) && !left_out.may_use(&name))
        };
        let may_use = |(_, item): &(String, String)| left_out.may_use(item);
        let is_named_here_alone =
            |name: &String| times(index.text_of(n), name) == times(index.text(), name);
        if index.parts_of(n).is_empty()
            && made
                .impls
                .iter()
                .any(|header| header.trait_name().is_some())
            && made.impls.iter().all(may_go)
            && !made.items.iter().any(may_use)
            && [&made.names, &made.imports, &made.passes_on]
                .into_iter()
                .flatten()
                .all(is_named_here_alone)
        {
            found.insert(n, &made.impls[..]);
        }
    }
    found
}

/// The calls of which all parts are gone.
fn whole(index: &Index, gone: &BTreeSet<usize>) -> BTreeSet<usize> {
    let of_parts = gone.iter().filter(|n| index.is_part(**n));
    let calls = of_parts.filter_map(|&n| index.nodes[n].parent);
    calls
        .filter(|&call| index.parts_of(call).all(|part| gone.contains(&part)))
        .collect()
}

/// What this machine leaves out of a text.
pub fn left_out_of(text: &str) -> Result<LeftOut> {
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
    LeftOut::new(text, tokens)
}

/// The code of a text, or the errors.
pub fn made_of(
    compiler: &Compiler,
    text: &str,
    more: &[&str],
) -> Result<Result<Codes, Vec<Diagnostic>>> {
    let left_out = left_out_of(text)?;
    let turned_on = left_out.turned_on(text);
    let turned_on = turned_on.filter(|on| !left_out.is_off(text, on));
    let generate = |text: &str, flags: &[String]| {
        let mut all = [&LINTS[..], more].concat();
        all.extend(flags.iter().map(String::as_str));
        compiler.generate(text, "2021", &all)
    };
    let (here, there) = thread::scope(|scope| {
        let there = turned_on.as_ref();
        let there = there.map(|(text, flags)| scope.spawn(|| generate(text, flags)));
        let here = generate(text, &[]);
        (
            here,
            there.map(|run| run.join().expect("a run does not panic")),
        )
    });
    let (mut all, mut lints) = (Vec::new(), Vec::new());
    for run in [Some(here), there].into_iter().flatten() {
        match run? {
            (said, Some(code)) => {
                lints.extend(said.into_iter().filter(is_lint));
                all.push(code);
            }
            (errors, None) => return Ok(Err(errors)),
        }
    }
    Ok(Ok(Codes { all, lints }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_names_any_more_is_told() {
        let text = "pub trait One { fn one() {} } pub trait Two {} impl Two for u8 {} fn main() {}";
        let told = |word| has_unnamed(text, &BTreeSet::from([word])).unwrap();
        assert!(told("One"));
        assert!(!told("Two") && !told("one") && !told("Three"));
    }

    /// What is left of a text, and whether something in it is dead.
    fn left_of(text: &str) -> Option<(String, bool)> {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let before = made_of(&compiler, text, &[]).unwrap();
        let Ok(before) = before else {
            panic!("it does not compile: {text}");
        };
        let left = without_unasked(&compiler, text, &before.all[0].impls(), None).unwrap();
        left.map(|left| (left.text, left.has_dead))
    }

    /// The calls that are left when a program says this, in a line each.
    fn calls_left(main: &str) -> Vec<String> {
        let text = format!("{LIBRARY}fn main() {{ {main} }}\n");
        let left = left_of(&text).map_or(text, |(text, _)| text);
        let lines = left.lines().map(str::trim);
        let calls = lines.filter(|line| !line.starts_with("macro_rules") && line.contains("!("));
        let calls = calls.filter(|line| !line.contains("fn "));
        calls.map(str::to_owned).collect()
    }

    const LIBRARY: &str = "trait Read { const WIDTH: u32 = 0; fn read(s: &str) -> Self; }
        macro_rules! integers { ($($t:ident)+) => { $( impl Read for $t { fn read(s: &str) -> Self { s.len() as $t } } )+ } }
        macro_rules! tuple { ($($t:ident),+) => { impl<$($t: Read),+> Read for ($($t,)+) { fn read(s: &str) -> Self { ($($t::read(s),)+) } } } }
        integers!(u8 u16 i64);
        integers!(usize);
        tuple!(A, B);
        tuple!(A, B, C);
    ";

    #[test]
    fn what_a_call_makes_for_a_type_of_no_code_goes() {
        let asked = "print!(\"{}\", u8::read(\"a\"));";
        assert_eq!(calls_left(asked), ["integers!(u8);"]);
        let asked = "print!(\"{:?}\", <(u16, i64)>::read(\"a\"));";
        assert_eq!(calls_left(asked), ["integers!(u16 i64);", "tuple!(A, B);"]);
    }

    #[test]
    fn what_its_impls_alone_name_goes_with_a_call() {
        let text = |main: &str| {
            format!(
                "trait Show {{ fn show(&self) -> usize; }}
                macro_rules! shown {{ ($(($t:ty, $f:ident)),*) => {{ $( fn $f(x: $t) -> usize {{ x as usize }} impl Show for $t {{ fn show(&self) -> usize {{ $f(*self) }} }} )* }} }}
                shown!((u8, of_u8), (u16, of_u16), (i64, of_i64));
                fn main() {{ print!(\"{{}}\", {main}); }}
                "
            )
        };
        let left = |main: &str| left_of(&text(main)).unwrap().0;
        assert!(left("7u8.show()").contains("shown!((u8, of_u8));"));
        let with_both = left("7u8.show() + of_i64(2)");
        assert!(
            with_both.contains("shown!((u8, of_u8), (i64, of_i64));"),
            "{with_both}"
        );
    }

    #[test]
    fn what_the_type_checker_asks_for_stays() {
        // There is no code of a constant.
        let asked = "print!(\"{}\", <usize as Read>::WIDTH);";
        assert_eq!(calls_left(asked), ["integers!(usize);"]);
        let asked = "fn f<T: Read>(_: Option<T>) {} f::<(i64, (u8, u8, u8))>(None);";
        let all = ["integers!(u8 i64);", "tuple!(A, B);", "tuple!(A, B, C);"];
        assert_eq!(calls_left(asked), all);
    }

    #[test]
    fn a_number_is_what_it_is_without_the_others() {
        let text = |ints: &str, floats: &str| {
            format!(
                "trait Number: Copy + std::ops::Mul<Output = Self> {{}}
                macro_rules! number {{ ($($t:ident)*) => {{ $( impl Number for $t {{}} )* }} }}
                number!({ints}); number!({floats});
                fn square<T: Number>(x: T) -> T {{ x * x }}
                fn main() {{ print!(\"{{}} {{}}\", square(3), square(1.5)); }}
                "
            )
        };
        let (left, _) = left_of(&text("i64 i32 u8", "f32 f64")).unwrap();
        assert_eq!(left, text("i32", "f64"));
    }

    #[test]
    fn what_this_machine_leaves_out_is_asked_too() {
        let asked = "#[cfg(local)] print!(\"{}\", u16::read(\"a\"));";
        assert_eq!(calls_left(asked), ["integers!(u16);"]);
    }

    #[test]
    fn what_acts_by_being_there_stays() {
        let text = "struct A; struct B;
            macro_rules! told { ($($t:ident)+) => { $( impl Drop for $t { fn drop(&mut self) {} } )+ } }
            told!(A B);
            fn main() { let _a = A; std::mem::forget(B); }
            ";
        assert!(left_of(text).is_none());
    }

    #[test]
    fn what_is_dead_then_goes_too() {
        let left = |body: &str| {
            left_of(&format!(
                "mod used {{ pub fn helper() -> u8 {{ one() }} fn one() -> u8 {{ 1 }} }}
                use used::helper;
                trait Read {{ fn read() -> Self; }}
                macro_rules! integers {{ ($($t:ident)+) => {{ $( impl Read for $t {{ fn read() -> Self {{ helper() as $t }} }} )+ }} }}
                integers!(u8 u16 u32 u64);
                fn main() {{ {body} }}
                "
            ))
        };
        let (text, has_dead) = left("u8::read();").unwrap();
        assert!(!has_dead && text.contains("integers!(u8);") && text.contains("use used::helper"));
        let (text, has_dead) = left("let _ = used::helper();").unwrap();
        let gone = ["integers", "use used"];
        assert!(
            !has_dead && !gone.iter().any(|of| text.contains(of)),
            "{text}"
        );
        assert!(left("u8::read(); u16::read(); u32::read(); u64::read();").is_none());
    }

    #[test]
    fn an_impl_may_have_stayed_for_what_goes() {
        let left = |body: &str| {
            let text = format!(
                "use std::ops::{{Add, AddAssign, Sub, SubAssign}};
                struct M(u32);
                impl AddAssign for M {{ fn add_assign(&mut self, o: M) {{ self.0 += o.0; }} }}
                impl SubAssign for M {{ fn sub_assign(&mut self, o: M) {{ self.0 -= o.0; }} }}
                macro_rules! ops {{ ($($tr:ident $f:ident $fa:ident;)*) => {{ $( impl $tr for M {{
                    type Output = M; fn $f(mut self, o: M) -> M {{ self.$fa(o); self }}
                }} )* }} }}
                ops! {{ Add add add_assign; Sub sub sub_assign; }}
                fn main() {{ {body} }}
                "
            );
            left_of(&text).map(|(_, has_dead)| has_dead)
        };
        assert_eq!(left("let _ = M(1) + M(2);"), Some(true));
        // There is code of it.
        let body = "let mut a = M(3); a -= M(1); let _ = a + M(2);";
        assert_eq!(left(body), Some(false));
    }

    #[test]
    fn a_macro_that_nothing_else_calls_goes_with_its_calls() {
        let (calls, rest) = ("one!(u8); one!(u16);", "fn main() {}");
        let text = |more: &str| {
            format!("trait T {{}} macro_rules! one {{ ($t:ty) => {{ impl T for $t {{}} }} }} {calls} {more} {rest}")
        };
        let most = |more: &str| {
            let text = text(more);
            let index = Index::new(&text).unwrap();
            let is_gone = |n: &usize| calls.contains(index.text_of(*n).trim());
            let calls = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Call);
            most_without(&index, &calls.filter(is_gone).collect())
        };
        assert_eq!(most("one!(u32);"), calls.len() - 1);
        let of_macro = text("").find(calls).unwrap() - "trait T {} ".len() - 1;
        assert_eq!(most(""), calls.len() - 1 + of_macro);
    }
}
