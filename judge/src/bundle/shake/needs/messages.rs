//! What the compiler says in words.

use std::collections::BTreeSet;

use syn::Type;

use crate::bundle::compiler::Diagnostic;
use crate::bundle::text::header::{named_type, Bound};
use crate::bundle::text::source;

/// What an error says is missing.
#[derive(Default)]
pub struct Wanted {
    /// The innermost first: in a message the bound that was asked for comes before the one that fails.
    pub bounds: Vec<Bound>,
    /// Methods, and the types that they are called on.
    pub methods: Vec<(String, Option<Type>)>,
    /// Types that were expected, and those that came instead.
    pub found: Vec<(Type, Type)>,
    /// Traits that are not in scope.
    pub imports: Vec<String>,
}

impl Wanted {
    /// Reads an error as the compiler shows it.
    pub fn new(rendered: &str) -> Self {
        let mut wanted = Self::default();
        let (mut asked_for, mut builds_on_it) = (Vec::new(), Vec::new());
        let parts: Vec<&str> = rendered.split('`').collect();
        // Text, name, text, name, … text.
        for at in (1..parts.len()).step_by(2) {
            let (before, name) = (parts[at - 1], parts[at]);
            let after = parts.get(at + 1).copied().unwrap_or_default();
            let next = parts.get(at + 2).copied().unwrap_or_default();
            if after.starts_with(" is not implemented for ") {
                wanted.bounds.extend(Bound::new(next, name));
            } else if after.starts_with(" doesn't implement ") {
                wanted.bounds.extend(Bound::new(name, next));
            } else if after.starts_with(" is not an iterator") {
                let iterators = ["Iterator", "IntoIterator"].map(|of| Bound::new(name, of));
                wanted.bounds.extend(iterators.into_iter().flatten());
            } else if before.ends_with("can't compare ") {
                let of_both = ["PartialEq", "PartialOrd"].map(|of| format!("{of}<{next}>"));
                let bounds = of_both.iter().map(|of| Bound::new(name, of));
                wanted.bounds.extend(bounds.flatten());
            } else if before.ends_with("implementation of ") && after.contains(" missing for ") {
                wanted.bounds.extend(Bound::new(next, name));
            } else if is_kind_after("expected ", before) && is_kind_after("found ", after) {
                wanted.found.extend(named_type(name).zip(named_type(next)));
            } else if before.ends_with("trait ") && after.starts_with(" which provides ") {
                wanted.imports.push(name.to_owned());
            } else if before.ends_with("required for ") && after == " to implement " {
                // It might do so in another way.
                builds_on_it.extend(Bound::new(name, next));
            } else if before.ends_with("no implementation for ") {
                wanted.bounds.extend(operation(name));
            } else if let Some((of, of_trait)) = name.split_once(": ") {
                asked_for.extend(Bound::new(of, of_trait));
            } else if before.ends_with(" named ") && after.contains(" found for ")
                || before.ends_with("the method ") && after.contains(" exists for ")
            {
                let name = source::plain_name(name).to_owned();
                wanted.methods.push((name, named_type(next)));
            }
        }
        wanted.bounds.extend(asked_for);
        wanted.bounds.extend(builds_on_it);
        wanted
    }
}

/// The bounds and the methods that an error says are missing, and the types that these are called on.
pub fn wanted(error: &Diagnostic) -> (Vec<Bound>, Vec<(String, Option<Type>)>) {
    let wanted = Wanted::new(&error.rendered);
    (wanted.bounds, wanted.methods)
}

/// Operators and their traits.
pub const OPERATORS: [(&str, &str); 10] = [
    ("+", "Add"),
    ("-", "Sub"),
    ("*", "Mul"),
    ("/", "Div"),
    ("%", "Rem"),
    ("&", "BitAnd"),
    ("|", "BitOr"),
    ("^", "BitXor"),
    ("<<", "Shl"),
    (">>", "Shr"),
];

/// The bound that `A + B` or `A += B` asks for.
fn operation(text: &str) -> Option<Bound> {
    OPERATORS.iter().find_map(|(operator, of_trait)| {
        let assigns = [("", ""), ("=", "Assign")];
        assigns.iter().find_map(|(equals, assign)| {
            let (left, right) = text.split_once(&format!(" {operator}{equals} "))?;
            Bound::new(left, &format!("{of_trait}{assign}<{right}>"))
        })
    })
}

/// Whether a text ends with such words, and perhaps with what kind of type comes next.
fn is_kind_after(words: &str, text: &str) -> bool {
    const KINDS: [&str; 6] = [
        "",
        "struct ",
        "enum ",
        "type parameter ",
        "reference ",
        "mutable reference ",
    ];
    let mut kinds = KINDS.iter();
    kinds.any(|kind| {
        text.strip_suffix(kind)
            .is_some_and(|text| text.ends_with(words))
    })
}

/// The bound that `<A as B>::C == D` builds on.
pub fn projection(text: &str) -> Option<Bound> {
    let path = text.split_once(" == ").map_or(text, |(path, _)| path);
    let (of, item) = path.strip_prefix('<')?.rsplit_once(">::")?;
    if !item.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let (for_type, of_trait) = of.rsplit_once(" as ")?;
    Bound::new(for_type, of_trait)
}

/// What is between backticks.
pub fn quoted(message: &str) -> impl Iterator<Item = &str> {
    let names = message.split('`').skip(1).step_by(2);
    names.map(source::plain_name)
}

/// What an error names: of what cannot be found the message alone tells, and the code around it names more.
pub fn words_of(error: &Diagnostic) -> BTreeSet<String> {
    if is_unresolved(error) {
        let names: Vec<&str> = error.message.split('`').skip(1).step_by(2).collect();
        return words(&names.join(" "));
    }
    // The modules of the standard library are files, and imports are called like them.
    let is_place = |line: &&str| line.trim_start().starts_with("-->");
    let lines = error.rendered.lines().filter(|line| !is_place(line));
    words(&lines.collect::<Vec<_>>().join("\n"))
}

/// Whether an error misses a function of a type that is not known.
pub fn is_of_unknown_type(error: &Diagnostic) -> bool {
    error.code == "E0599" && error.message.contains(" found for type `_`")
}

/// Whether an error says that a name leads nowhere.
pub fn is_unresolved(error: &Diagnostic) -> bool {
    let starts = ["cannot find", "unresolved", "failed to resolve"];
    starts.iter().any(|start| error.message.starts_with(start))
}

/// Whether an error says that a macro has no rule for a call.
pub fn takes_no_call(error: &Diagnostic) -> bool {
    let starts = ["no rules expected", "unexpected end of macro invocation"];
    starts.iter().any(|start| error.message.starts_with(start))
}

/// The macro that an error points at for what it is called with.
pub fn called_macro(rendered: &str) -> Option<&str> {
    let (before, _) = rendered.split_once("when calling this macro")?;
    let (_, name) = before.rsplit_once("macro_rules!")?;
    source::words(name).next()
}

/// The words of a text, with their marks and without.
pub fn words(text: &str) -> BTreeSet<String> {
    // A keyword is a name with its mark.
    let marked = text.split("r#").skip(1);
    let marked = marked.filter_map(|rest| Some(format!("r#{}", source::words(rest).next()?)));
    let words = source::words(text).map(str::to_owned);
    words.chain(marked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_found_is_in_the_message() {
        let words_of = |message: &str| {
            let found = words_of(&Diagnostic {
                level: "error".into(),
                made_by: Vec::new(),
                code: "E0425".into(),
                message: message.into(),
                rendered: format!("{message}\n   --> library/core/mod.rs\nimpl A<Cell<u8>> {{"),
                fixes: Vec::new(),
                offers: Vec::new(),
                spans: Vec::new(),
            });
            found.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words_of("cannot find type `A` in module `m::n`"), "A m n");
        let of_method = words_of("no method named `f` found for struct `A`");
        assert!(of_method.contains("Cell") && !of_method.contains("core"));
    }

    #[test]
    fn what_builds_on_a_bound_may_hold_in_another_way() {
        let text = "error: the trait bound `A<_>: From<u8>` is not satisfied\n\
                    = note: required for `u8` to implement `Into<A<_>>`\n\
                    = note: required for `A<_>` to implement `TryFrom<u8>`\n";
        let bounds = Wanted::new(text).bounds.into_iter();
        assert_eq!(
            bounds.map(|bound| bound.to_string()).collect::<Vec<_>>(),
            [
                "A < _ > : From < u8 >",
                "u8 : Into < A < _ > >",
                "A < _ > : TryFrom < u8 >"
            ]
        );
    }

    #[test]
    fn a_keyword_is_a_name_with_its_mark() {
        let found = words("no method `r#type` or `r#gen` found");
        assert!(found.contains("r#type") && found.contains("gen"));
    }
}
