//! Methods of `std` and `alloc` in crates that have neither.
//!
//! In a `#![no_std]` crate `x.sqrt()` is a trait's method: only `std` gives `f32` one of its own, which comes before that of a trait. In the
//! file everything has `std`, and the same call means another function, without an error. So such a call is written with the trait:
//! `<f32 as Float>::sqrt(x)`.
//!
//! The compiler tells what a crate calls, once as the crate that it is and once as a module of the file: most often the first look at what
//! is to be shaken tells that. Where the crate calls a trait's method and the module does not, each call of the name is written with that
//! trait, as far as the type checker takes it; and after that the two must be the same. Where a type has the method from one trait alone,
//! what is left of the text for the first look is enough to find out how. What cannot be made so may still be dead: it counts if it is in
//! the end result.

mod counting;
mod sites;
mod writer;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};

use crate::bundle::compiler::Compiler;
use crate::bundle::resolve::limits;
use crate::bundle::resolve::{Resolved, Unit};
use crate::bundle::text::source;
use crate::bundle::threads;
use crate::in_order::in_order;
use counting::{
    counts, each_call, is_of_all, is_of_prelude, may_be_of_std, may_be_other, more, of_trait,
    Declared, Places,
};
use sites::sites;
use writer::{written_type, Traits, Writer};

/// Methods that `f32` and `f64` have in `std` and not in `core`, by the documentation of Rust 1.95, with three that `core` has now and had
/// not in 1.78 (`abs`, `copysign`, `signum`). One too many costs a look at the crate, and changes nothing.
const OF_STD: &str = "abs abs_sub acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh div_euclid exp exp2 exp_m1 floor fract \
    hypot ln ln_1p log log10 log2 mul_add powf powi rem_euclid round round_ties_even signum sin sin_cos sinh sqrt tan tanh trunc";

/// Methods that slices and `str` have in `alloc`.
const OF_ALLOC: &str = "concat connect into_boxed_bytes into_string into_vec join repeat replace replacen sort sort_by sort_by_cached_key \
    sort_by_key to_ascii_lowercase to_ascii_uppercase to_lowercase to_uppercase to_vec";

/// Methods of the traits that are in the prelude of `std` and not in that of `core`.
const OF_PRELUDE: &str = "clone_into to_owned to_string";

/// How often each function is called that has one of the names, by the type or trait that has it.
type Counts = BTreeMap<(String, String), usize>;

/// A crate that has no `std`, and names by which it may call something else with it.
#[derive(Clone)]
pub struct Possible {
    /// Which of the units it is.
    unit: usize,
    module: String,
    names: BTreeSet<String>,
}

/// One that calls what may be something else.
#[derive(Clone)]
pub struct Without {
    /// Which of the units it is.
    pub unit: usize,
    module: String,
    names: BTreeSet<String>,
    /// What it calls as the crate that it is.
    calls: Counts,
}

/// The names that may mean something else in a crate when `std` is there; most often none. `text` is the crate as it was loaded.
pub fn names(unit: &Unit, text: &str) -> BTreeSet<String> {
    if unit.module.is_empty() || !is_no_std(unit) {
        return BTreeSet::new();
    }
    names_in(text)
}

fn names_in(text: &str) -> BTreeSet<String> {
    if text.contains("extern crate std") {
        return BTreeSet::new();
    }
    let of_alloc = if text.contains("extern crate alloc") {
        ""
    } else {
        OF_ALLOC
    };
    let known: BTreeSet<&str> = [OF_STD, of_alloc, OF_PRELUDE]
        .iter()
        .flat_map(|names| names.split_whitespace())
        .collect();
    let words: BTreeSet<&str> = source::words(text).collect();
    let names: BTreeSet<String> = known.intersection(&words).map(|&s| s.to_owned()).collect();
    if names.is_empty() {
        return names;
    }
    let found = sites(text, &(0..text.len()), &names);
    found.into_iter().map(|site| site.name).collect()
}

fn is_no_std(unit: &Unit) -> bool {
    let text = std::fs::read_to_string(&unit.root).unwrap_or_default();
    if !text.contains("no_std") {
        return false;
    }
    let mut found = false;
    for attr in &source::inner_attributes(&source::plain(&text)) {
        let holds = |meta: &_| unit.cfg.holds(meta);
        limits::each(&attr.meta, &holds, &mut |meta| {
            found |= meta.path().is_ident("no_std");
        });
    }
    found
}

/// Those of some crates, by their places and the names that matter in them, that may call a trait of the text by such a name.
pub fn possible(
    units: &[Unit],
    text: &str,
    wanted: Vec<(usize, BTreeSet<String>)>,
) -> Vec<Possible> {
    let declared = OnceCell::new();
    let mut found = Vec::new();
    for (at, mut names) in wanted {
        names.retain(|name| text.contains(&format!("fn {name}")));
        if !names.is_empty() {
            let declared = declared.get_or_init(|| Declared::of(text));
            names.retain(|name| declared.may_be_meant(name));
        }
        if !names.is_empty() {
            let module = units[at].module.clone();
            found.push(Possible {
                unit: at,
                module,
                names,
            });
        }
    }
    found
}

/// Those crates that the listing of a part of the text proves nothing about, and the others. What only `std` has nobody calls in a crate
/// without it, so one call tells; but of what there may be some anyway, all must be counted.
pub fn parted(crates: Vec<Possible>) -> (Vec<Possible>, Vec<Possible>) {
    let is_of_all = |of: &Possible| of.names.iter().any(|name| is_of_all(name));
    crates.into_iter().partition(is_of_all)
}

/// What the compiler tells of some crates as those that they are, for a text that has them as modules.
pub fn asked(
    compiler: &Compiler,
    resolved: &Resolved,
    text: &str,
    crates: &[Possible],
) -> Result<Vec<Without>> {
    let ask = |of: &Possible| {
        let listing = listing(compiler, resolved, &resolved.units[of.unit]);
        Some(listing.map(|listing| {
            let calls = counts(listing.as_deref().unwrap_or_default(), &of.names, None);
            let is_other = |call| may_be_other(call) && !is_of_prelude(call, text);
            let is_same = listing.is_some() && !calls.keys().any(is_other);
            (!is_same).then(|| Without {
                unit: of.unit,
                module: of.module.clone(),
                names: of.names.clone(),
                calls,
            })
        }))
    };
    let mut all = Vec::new();
    in_order(crates, threads(), ask, |found| {
        all.extend(found?);
        anyhow::Ok(())
    })?;
    Ok(all)
}

/// Who tells of some crates as those that they are, for a text.
pub type Ask<'a> = dyn Fn(&str, &[Possible]) -> Result<Vec<Without>> + 'a;

/// Crates that a part of a text may prove to call nothing else. Most often their modules call nothing that only `std` has, and nobody needs
/// to ask about the crates.
pub struct ToProve<'a> {
    ask: &'a Ask<'a>,
    crates: Vec<Possible>,
    /// Those that had to be asked about.
    known: RefCell<BTreeMap<usize, Option<Without>>>,
}

impl<'a> ToProve<'a> {
    pub fn new(ask: &'a Ask<'a>, crates: Vec<Possible>) -> Self {
        Self {
            ask,
            crates,
            known: RefCell::default(),
        }
    }

    /// Whether they call nothing else in a text, of which that is the listing.
    pub fn are_same(&self, listing: &str, text: &str) -> Result<bool> {
        if self.crates.is_empty() || listing.is_empty() {
            return Ok(self.crates.is_empty());
        }
        let places = Places::of(text)?;
        let calls_std = |of: &&Possible| {
            let is_its = |module: &str| module == of.module;
            let mut calls_std = false;
            each_call(
                listing,
                &of.names,
                Some((&places, &is_its)),
                &mut |before, _| {
                    calls_std |= may_be_of_std(before);
                },
            );
            calls_std
        };
        let open: Vec<Possible> = self.crates.iter().filter(calls_std).cloned().collect();
        let open = self.known(text, &open)?;
        Ok(open.iter().all(|of| of.others(listing, &places).is_empty()))
    }

    /// What the compiler tells of all of them.
    pub fn all(&self, text: &str) -> Result<Vec<Without>> {
        self.known(text, &self.crates)
    }

    fn known(&self, text: &str, crates: &[Possible]) -> Result<Vec<Without>> {
        let mut known = self.known.borrow_mut();
        let new = crates.iter().filter(|of| !known.contains_key(&of.unit));
        let new: Vec<Possible> = new.cloned().collect();
        let found = (self.ask)(text, &new)?;
        known.extend(new.iter().map(|of| (of.unit, None)));
        known.extend(found.into_iter().map(|of| (of.unit, Some(of))));
        let of_these = crates.iter().filter_map(|of| known[&of.unit].clone());
        Ok(of_these.collect())
    }
}

/// What the compiler tells of the bodies of a crate, if it compiles.
fn listing(compiler: &Compiler, resolved: &Resolved, unit: &Unit) -> Result<Option<String>> {
    let mut command = resolved.command(compiler, unit, &unit.root);
    let folder = tempfile::tempdir_in(&compiler.scratch).context("cannot make a folder")?;
    command
        .args(["--cap-lints=allow", "--emit=mir=crate.mir"])
        .current_dir(folder.path());
    command.output().context("cannot start rustc")?;
    Ok(std::fs::read_to_string(folder.path().join("crate.mir")).ok())
}

impl Without {
    /// What its module calls in a text that is compiled.
    fn counts(&self, listing: &str, places: &Places) -> Counts {
        let is_wanted = |module: &str| module == self.module;
        counts(listing, &self.names, Some((places, &is_wanted)))
    }

    /// The names of what its module calls otherwise.
    fn others(&self, listing: &str, places: &Places) -> BTreeSet<String> {
        let counts = self.counts(listing, places);
        more(&counts, &self.calls)
            .map(|(_, name)| name.clone())
            .collect()
    }
}

/// The text with the calls of these crates written so that they mean what they mean in the crate, and the crates of which that is not
/// proved.
pub fn written(
    compiler: &Compiler,
    text: String,
    crates: Vec<Without>,
) -> Result<(String, Vec<Without>)> {
    let (mut new, left) = written_at_once(compiler, text.clone(), crates, true)?;
    if new != text || left.is_empty() {
        return Ok((new, left));
    }
    // One may be in the way of the others, and macros of all that calls them.
    let tried = usize::from(left.len() == 1);
    let mut all_left = Vec::new();
    for of in left {
        let mut left = vec![of];
        for in_macros in [true, false].into_iter().skip(tried) {
            if !left.is_empty() {
                (new, left) = written_at_once(compiler, new, left, in_macros)?;
            }
        }
        all_left.extend(left);
    }
    Ok((new, all_left))
}

fn written_at_once(
    compiler: &Compiler,
    text: String,
    mut crates: Vec<Without>,
    asks_macros: bool,
) -> Result<(String, Vec<Without>)> {
    if crates.is_empty() {
        return Ok((text, crates));
    }
    let before = compiler.bodies(&text, "2021")?;
    let places = Places::of(&text)?;
    let concerned = concerned(&crates, before.as_deref(), &places);
    // What others call may be theirs as well, and only a comparison would tell.
    let in_macros = asks_macros && before.is_some();
    let mut writer = Writer {
        text: &text,
        sites: Vec::new(),
    };
    let traits = Traits::of(&text)?;
    for (&n, names) in &concerned {
        let of = &crates[n];
        // What it calls less often than its crate.
        let now = before.as_ref().map(|listing| of.counts(listing, &places));
        let mut missing = of.calls.clone();
        if let Some(now) = &now {
            missing.retain(|of, count| now.get(of).map_or(true, |now| *now < *count));
        }
        writer.add(&places, of, names, in_macros, |site| {
            traits.ways(&missing, site)
        });
    }
    if writer.sites.is_empty() {
        let left = crates.into_iter().enumerate();
        let left = left.filter(|(n, _)| concerned.contains_key(n));
        return Ok((text, left.map(|(_, of)| of).collect()));
    }
    let (new, compiles) = writer.settled(compiler)?;
    let after = if compiles {
        compiler.bodies(&new, "2021")?
    } else {
        None
    };
    let Some(after) = after else {
        // Something else is in the way, or it is not to be had.
        let text = if before.is_some() { text } else { new };
        return Ok((text, crates));
    };
    let all: BTreeSet<String> = concerned.values().flatten().cloned().collect();
    let of_others = |listing: &str, places: &Places| {
        let is_other = |module: &str| !concerned.keys().any(|&n| crates[n].module == module);
        counts(listing, &all, Some((places, &is_other)))
    };
    let new_places = Places::of(&new)?;
    let now = of_others(&after, &new_places);
    let has_before = before.is_some();
    let is_same = before.map_or(true, |before| of_others(&before, &places) == now);
    // A call that meant no method of a trait is one now.
    let is_wrong = |of: &Without| {
        let counts = of.counts(&after, &new_places);
        let mut more = more(&counts, &of.calls);
        more.any(|of| of_trait(&of.0).is_some())
    };
    if !is_same || crates.iter().any(is_wrong) {
        return Ok((text, crates));
    }
    crates.retain(|of| !of.others(&after, &new_places).is_empty());
    // Now that it compiles there is something to compare macros with.
    if !has_before && !crates.is_empty() {
        return written_at_once(compiler, new, crates, asks_macros);
    }
    Ok((new, crates))
}

/// The same by a part of the text, in which all has its place, and what the compiler tells of it: that takes less time. It is still to be
/// proved that they mean the same. Nothing where a part does not tell enough.
pub fn written_by_part(
    compiler: &Compiler,
    text: &str,
    part: &str,
    listing: &str,
    crates: &[Without],
) -> Result<Option<String>> {
    if listing.is_empty() || !source::is_part(part, text) {
        return Ok(None);
    }
    let places = Places::of(part)?;
    let mut writer = Writer {
        text: part,
        sites: Vec::new(),
    };
    let traits = Traits::of(text)?;
    for (n, names) in concerned(crates, Some(listing), &places) {
        // A part does not tell how often it calls which, nor who else uses its macros.
        let sure = sure(&crates[n].calls);
        writer.add(&places, &crates[n], &names, false, |site| {
            traits.ways(&sure, site)
        });
    }
    let compiles = !writer.sites.is_empty() && writer.settled(compiler)?.1;
    let written = compiles.then(|| writer.written(text).0);
    Ok(written.filter(|written| written != text))
}

/// The names of what some crates call otherwise, or may.
fn concerned(
    crates: &[Without],
    listing: Option<&str>,
    places: &Places,
) -> BTreeMap<usize, BTreeSet<String>> {
    let names = |of: &Without| match listing {
        Some(listing) => of.others(listing, places),
        None => of.names.clone(),
    };
    let all = crates.iter().map(names).enumerate();
    all.filter(|(_, names)| !names.is_empty()).collect()
}

/// The calls of methods that the type of what they are called on has from one trait alone: which one is meant needs no count.
fn sure(calls: &Counts) -> Counts {
    let known = calls.iter().filter(|(call, _)| may_be_other(call));
    let known = known.filter_map(|((of, name), _)| {
        let (of, of_trait) = of_trait(of)?;
        let of = written_type(of);
        let base = of.trim_start_matches('&').to_owned();
        Some(((base, name), (of, of_trait)))
    });
    let mut meant: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (call, of) in known {
        meant.entry(call).or_default().insert(of);
    }
    let is_sure = |((of, name), _): &(&(String, String), _)| {
        of_trait(of).is_some_and(|(of, _)| {
            let base = written_type(of).trim_start_matches('&').to_owned();
            base != "_" && meant.get(&(base, name)).is_some_and(|of| of.len() == 1)
        })
    };
    let sure = calls.iter().filter(is_sure);
    sure.map(|(call, count)| (call.clone(), *count)).collect()
}

/// The first of these crates that calls something else in the end, and why it cannot be in the file.
pub fn refused(
    compiler: &Compiler,
    text: &str,
    crates: &[Without],
) -> Result<Option<(usize, String)>> {
    if crates.is_empty() {
        return Ok(None);
    }
    let listing = compiler.bodies(text, "2021")?;
    let listing = listing.context("the compiler does not tell what the file calls")?;
    let places = Places::of(text)?;
    let mut refused = crates.iter().filter_map(|of| {
        let counts = of.counts(&listing, &places);
        // Where the compiler does not tell of the crate, what is no trait's, and what is of the prelude.
        let is_other = |other: &str| {
            let traits = ["ToOwned", "ToString"];
            let of = of_trait(other).map_or("<impl", |(_, name)| name);
            of == "<impl" && other.contains(of) || traits.contains(&of)
        };
        let mut more = more(&counts, &of.calls);
        let (other, name) = more.find(|(other, _)| !of.calls.is_empty() || is_other(other))?;
        let meant = of.calls.keys().find(|(_, of)| of == name);
        let meant = meant.map_or("something else".to_owned(), |(of, _)| {
            format!("`{of}::{name}`")
        });
        let reason = format!(
            "it does without the standard library (`#![no_std]`), and what it calls as `{name}` is {meant} there, \
             but `{other}::{name}` in a file that has the standard library"
        );
        Some((of.unit, reason))
    });
    Ok(refused.next())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_matter_as_methods_or_behind_a_type() {
        let text = "type R = f32; fn ln() {} fn f(x: f32) { ln(); x.abs(); f64::sin(y); R::cos(x); A::sqrt(z); y . sort :: < u8 > (); x.cos; }";
        assert_eq!(names_in(text), set(&["abs", "cos", "sin", "sort"]));
        let with = |name: &str| format!("extern crate {name}; {text}");
        assert_eq!(names_in(&with("alloc")), set(&["abs", "cos", "sin"]));
        assert_eq!(names_in(&with("std")), set(&[]));
    }

    #[test]
    fn what_a_method_is_called_on_is_found() {
        for (before, receiver) in [
            ("", "x"),
            ("-", "1.5"),
            ("a + ", "x.y.0"),
            ("return ", "(x * y)"),
            ("!", "(x)"),
            ("a..", "x[1].y?.z"),
            ("|a| ", "f(x)(y).g::<A<B>>(z)"),
            ("a < b && ", "self.x"),
            ("-> A {} ", "a::<B>::c(d)"),
            ("", "<A as B>::c"),
            ("", "vec![x]"),
            ("", "::a::b"),
            ("$a * ", "$x"),
            ("", "f()?"),
        ] {
            let text = format!("{before}{receiver}.sqrt()");
            let found = sites(&text, &(0..text.len()), &set(&["sqrt"]));
            let ranges: Vec<&str> = found.iter().map(|site| &text[site.range.clone()]).collect();
            assert_eq!(ranges, [format!("{receiver}.sqrt()")], "{text}");
        }
        assert_eq!(
            sites("unsafe { x }.sqrt()", &(0..19), &set(&["sqrt"])).len(),
            0
        );
    }

    #[test]
    fn functions_are_counted_by_the_last_names() {
        let listing = "fn f(_1: f32) -> f32 {\n    debug x => a::sqrt;\n    _0 = <f32 as m::Float>::sqrt(copy _1);\n}\n\n\
                       fn g() {\n    _0 = f32::<impl f32>::sqrt(_1);\n    _0 = h::<fn(f32) -> f32 {<f32 as Float>::sqrt}>(a::B::<a::C>::sqrt, x::sqrt2, \"a::sqrt\");\n}\n";
        let counts = counts(listing, &set(&["sqrt"]), None);
        let counts: Vec<(&str, usize)> = counts.iter().map(|(of, n)| (&*of.0, *n)).collect();
        assert_eq!(
            counts,
            [("<f32 as Float>", 2), ("B::<C>", 1), ("f32::<impl f32>", 1)]
        );
    }

    #[test]
    fn what_std_gives_no_type_stays_what_it_is() {
        for (of, name, may) in [
            ("<f32 as Float>", "sqrt", true),
            ("<&mut f64 as Float>", "sqrt", true),
            ("<&[T] as Join>", "join", true),
            ("<T as Float>", "sqrt", false),
            ("<Self as Float>", "sqrt", false),
            ("<Complex<f32> as Float>", "sqrt", false),
            ("f32::<impl f32>", "abs", false),
            ("Matrix", "to_owned", true),
        ] {
            let call = (of.to_owned(), name.to_owned());
            assert_eq!(may_be_other(&call), may, "{of}::{name}");
        }
    }

    #[test]
    fn what_the_prelude_has_is_the_same_with_it() {
        let call = |of: &str, name: &str| (of.to_owned(), name.to_owned());
        let owned = call("<A<u8> as ToOwned>", "to_owned");
        assert!(is_of_prelude(&owned, "impl ToOwned for A {}"));
        assert!(!is_of_prelude(&owned, "pub trait ToOwned {}"));
        assert!(!is_of_prelude(&call("<A as Own>", "to_owned"), ""));
        assert!(!is_of_prelude(&call("A", "to_owned"), ""));
    }

    fn compiler(folder: &std::path::Path) -> Compiler {
        Compiler::new(folder)
    }

    /// A crate as the compiler tells of it where it is one.
    fn without(compiler: &Compiler, text: &str) -> Without {
        let folder = &compiler.scratch;
        std::fs::write(folder.join("lib.rs"), format!("#![no_std]\n{text}")).unwrap();
        let mut command = compiler.command();
        command.args(["--edition=2021", "--crate-type=lib", "-Awarnings"]);
        command.arg("--emit=mir=lib.mir").current_dir(folder);
        assert!(command.arg("lib.rs").status().unwrap().success());
        let listing = std::fs::read_to_string(folder.join("lib.mir")).unwrap();
        let names = names_in(text);
        Without {
            unit: 1,
            module: "a".to_owned(),
            calls: counts(&listing, &names, None),
            names,
        }
    }

    fn possible_in(module: &str, text: &str) -> Vec<Possible> {
        vec![Possible {
            unit: 1,
            module: module.to_owned(),
            names: names_in(text),
        }]
    }

    /// What becomes of a crate in a file with some other code; nothing if that is not proved.
    fn written_in(text: &str, other: &str) -> (String, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let compiler = compiler(folder.path());
        let of = without(&compiler, text);
        let whole = format!("{other} mod a {{{text}}}");
        let (new, left) = written(&compiler, whole.clone(), vec![of]).unwrap();
        let refused = refused(&compiler, &new, &left).unwrap();
        (
            new[other.len() + 8..new.len() - 1].to_owned(),
            refused.map(|(_, reason)| reason),
        )
    }

    #[test]
    fn a_part_of_the_text_tells_whether_a_call_changed() {
        let folder = tempfile::tempdir().unwrap();
        let compiler = compiler(folder.path());
        let float = "pub trait Float { fn sqrt(self) -> Self; } impl Float for f32 { fn sqrt(self) -> f32 { 1.0 } } \
                     pub fn f(x: f32) -> f32 { Float::sqrt(x) }";
        let call = "pub fn g(x: f32) -> f32 { x.sqrt() }";
        let crates = possible_in("a", &format!("{float} {call}"));
        let asked = Cell::new(0);
        let ask = |_: &str, crates: &[Possible]| {
            asked.set(asked.get() + crates.len());
            let of = |_: &Possible| without(&compiler, &format!("{float} {call}"));
            Ok(crates.iter().map(of).collect())
        };
        let to_prove = ToProve::new(&ask, crates.clone());
        let are_same = |text: &str| {
            let whole = format!("fn main() {{ 1f32.sqrt(); }} mod a {{{text}}}");
            let listing = compiler.bodies(&whole, "2021").unwrap().unwrap();
            to_prove.are_same(&listing, &whole).unwrap()
        };
        // What calls nothing of `std` is the same whatever it is as a crate.
        assert!(are_same(&format!(
            "{float} pub fn g(x: f32) -> u32 {{ x.to_bits() }}"
        )));
        assert!(are_same(&format!(
            "{float} pub fn g(x: f32) -> f32 {{ x.abs() }}"
        )));
        assert_eq!(asked.get(), 0);
        // It is asked about once.
        assert!(!are_same(&format!("{float} {call}")));
        assert_eq!(to_prove.all("").unwrap().len(), 1);
        assert_eq!(asked.get(), 1);
        // Nothing is proved by nothing.
        assert!(!to_prove.are_same("", float).unwrap());
        assert!(ToProve::new(&ask, Vec::new()).are_same("", float).unwrap());
        let to_string =
            "extern crate alloc; use alloc::string::*; pub fn f() -> String { 1.to_string() }";
        let to_string = possible_in("b", to_string);
        let (to_count, _) = parted([crates, to_string].concat());
        let names: Vec<_> = to_count.iter().flat_map(|of| &of.names).collect();
        assert_eq!(names, ["to_string"]);
    }

    fn becomes(text: &str, expected: &str) {
        let (new, refused) = written_in(text, "fn main() {}");
        assert_eq!((new.as_str(), refused), (expected, None));
    }

    const FAST: &str = "mod m { pub trait Fast { fn sqrt(self) -> Self; fn hypot(self, o: Self) -> Self; } \
        impl Fast for f32 { fn sqrt(self) -> f32 { self } fn hypot(self, o: f32) -> f32 { o } } } use m::Fast; ";

    #[test]
    fn a_method_of_a_trait_stays_that() {
        let body = |body: &str| {
            format!("{FAST} pub struct V(f32); impl V {{ fn sqrt(&self) -> f32 {{ {body} }} }} pub fn f(v: &[f32]) -> f32 {{ V(v[0]).sqrt() }}")
        };
        becomes(
            &body("let a = [&self.0]; (self.0 + 1.0).hypot(a[0].sqrt()).sqrt()"),
            &body("let a = [&self.0];  <f32 as Fast>::sqrt( <f32 as Fast>::hypot(self.0 + 1.0,  <f32 as Fast>::sqrt(*a[0])))"),
        );
        // The trait has another name there.
        let text = |body: &str| {
            format!(
                "mod n {{ use super::m::Fast as _; pub fn f(x: f32) -> f32 {{ {body} }} }} {FAST}"
            )
        };
        becomes(
            &text("f32::sqrt(x)"),
            &text(" <f32 as crate::a::m::Fast>::sqrt(x)"),
        );
    }

    #[test]
    fn a_part_tells_what_is_meant_where_one_trait_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let compiler = compiler(folder.path());
        let text = |[f, g]: [&str; 2]| {
            format!(
                "{FAST} impl Fast for f64 {{ fn sqrt(self) -> f64 {{ {f} }} fn hypot(self, o: f64) -> f64 {{ o }} }} \
                 pub fn f(x: f64) -> f64 {{ x.sqrt() }} pub fn g(x: f32) -> f32 {{ {g} }}"
            )
        };
        let by_part = |text: &str, without: &str| {
            let whole = format!("fn main() {{}} mod a {{{text}}}");
            let part = whole.replace(without, &" ".repeat(without.len()));
            let listing = compiler.bodies(&part, "2021").unwrap().unwrap();
            let all = [self::without(&compiler, text)];
            written_by_part(&compiler, &whole, &part, &listing, &all).unwrap()
        };
        // What the impl is for is tried first, and what is in no part stays.
        let dead = "pub fn f(x: f64) -> f64 { x.sqrt() }";
        let written = [
            " <f64 as Fast>::hypot(self, 1.0)",
            " <f32 as Fast>::hypot(x, 2.0)",
        ];
        assert_eq!(
            by_part(&text(["self.hypot(1.0)", "x.hypot(2.0)"]), dead),
            Some(format!("fn main() {{}} mod a {{{}}}", text(written)))
        );
        // Which of two is meant only all of it tells.
        let other = "mod n { pub trait Slow { fn sqrt(self) -> f32; } impl Slow for f32 { fn sqrt(self) -> f32 { 2.0 } } \
                     pub fn h(x: f32) -> f32 { x.sqrt() } }";
        let both = text(["self", "x.sqrt()"]) + other;
        assert_eq!(by_part(&both, dead), None);
        // A part that is none tells nothing.
        let all = [without(&compiler, &both)];
        let none = written_by_part(&compiler, &both, "fn main() {}", "fn main", &all);
        assert_eq!(none.unwrap(), None);
    }

    #[test]
    fn what_has_a_parameters_type_has_none_with_a_name() {
        let text = |body: &str, other: &str| {
            format!("{FAST} pub fn f<F: Fast>(x: F) -> F {{ {body} }} pub fn g(x: f32) -> f32 {{ {other} }}")
        };
        becomes(
            &text("x.sqrt()", "x.sqrt()"),
            &text("x.sqrt()", " <f32 as Fast>::sqrt(x)"),
        );
    }

    #[test]
    fn in_a_chain_the_inner_call_comes_first() {
        let text = |body: &str| {
            format!("{FAST} pub struct C(u8); impl C {{ pub fn sqrt(&self) -> C {{ C(self.0) }} pub fn area(&self) -> u8 {{ self.0 }} }} \
                     pub fn f(c: &C) -> f32 {{ {body} }}")
        };
        becomes(
            &text("(c.sqrt().area() as f32).hypot(1.0)"),
            &text(" <f32 as Fast>::hypot(c.sqrt().area() as f32, 1.0)"),
        );
    }

    #[test]
    fn what_macros_write_is_written_too() {
        let text = |[inside, argument]: [&str; 2]| {
            format!("{FAST} macro_rules! root {{ ($x:expr) => {{ {inside} }} }} pub fn f(x: f32) -> f32 {{ assert!({argument} > 0.0); root!(x) }}")
        };
        becomes(
            &text(["$x.sqrt()", "x.sqrt()"]),
            &text([" <f32 as Fast>::sqrt($x)", " <f32 as Fast>::sqrt(x)"]),
        );
    }

    #[test]
    fn a_macro_means_something_else_where_there_is_std() {
        let text = |other: &str| {
            format!("{FAST} macro_rules! root {{ ($x:expr) => {{ $x.sqrt() }} }} pub(crate) use root; pub fn f(x: f32) -> f32 {{ root!({other}) }}")
        };
        let (new, reason) = written_in(&text("x.sqrt()"), "fn main() { a::root!(1f32); }");
        assert_eq!(new, text(" <f32 as Fast>::sqrt(x)"));
        let reason = reason.unwrap();
        assert!(
            reason.contains("`sqrt` is `<f32 as Fast>::sqrt`"),
            "{reason}"
        );
    }

    #[test]
    fn slices_and_the_prelude_are_written_too() {
        let sorted = |body: &str| {
            format!("pub trait Down {{ fn sort(&mut self); fn to_owned(&self) -> u8; }} impl Down for [u8] {{ fn sort(&mut self) {{}} fn to_owned(&self) -> u8 {{ 1 }} }} \
                     pub fn f(v: &mut [u8]) -> u8 {{ {body} }}")
        };
        becomes(
            &sorted("let mut w = [1, 2]; w.sort(); v.sort(); v.to_owned()"),
            &sorted("let mut w = [1, 2];  <[_] as Down>::sort(&mut w);  <[_] as Down>::sort(v);  <[_] as Down>::to_owned(&v)"),
        );
    }

    #[test]
    fn only_what_is_declared_can_be_meant() {
        let declared = Declared::of(
            "trait A { fn sqrt(self); fn to_string(&self); } impl<F> B<F> where F: for<'a> Fn(&'a u8) { fn to_owned(&self) {} fn sin(self) {} } \
             impl A for f32 { fn cos(self) {} fn clone_into(&self) {} } macro_rules! m { () => { trait C { fn tan(self); } } }",
        );
        for name in ["sqrt", "to_string", "to_owned", "tan"] {
            assert!(declared.may_be_meant(name), "{name}");
        }
        for name in ["sin", "cos", "clone_into", "ln"] {
            assert!(!declared.may_be_meant(name), "{name}");
        }
        let unknown = "macro_rules! m { ($name:ident) => { trait A { fn $name(self); } } }";
        assert!(Declared::of(unknown).may_be_meant("ln"));
    }

    #[test]
    fn what_has_none_of_it_stays() {
        becomes(
            "pub fn f(x: f32) -> f32 { x.abs() }",
            "pub fn f(x: f32) -> f32 { x.abs() }",
        );
    }
}
