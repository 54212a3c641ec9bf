//! The words of a text: where they stand, and behind what.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::header;
use super::index::{Index, Kind, Use};
use super::source::{self, is_word};
use crate::bundle::shake::follow::STANDARD;
use crate::bundle::shake::hollow::HARMLESS;

/// A word by number: equal ones have the same.
pub type Id = usize;

/// A word that uses a name: not one that an item gets, nor one in an import.
pub struct Word {
    pub id: Id,
    /// The innermost node around it, which is nothing for the file.
    pub node: Option<usize>,
    pub before: Before,
    /// In the call of a macro, which may make anything of it.
    pub in_call: bool,
    /// `!` stands behind it.
    pub called: bool,
    /// What a call has stands behind it: `(`, or types for it.
    pub is_function: bool,
    /// It seems to be a variable of the node, `self` among them.
    pub is_local: bool,
    /// The type that needs no import, and no function so called.
    pub is_primitive: bool,
    /// `=` or `:` stands behind it, as it does in `T<A = u8>` and `T<A: Copy>`, where a trait has a type `A`.
    pub is_bound: bool,
    /// The `use` of an import that may bring any names: of a glob in a function, or in a macro, which nobody reads.
    pub brings_all: bool,
}

/// What stands before a word.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Before {
    /// A word and `::`: that word is the one before in the list, if it is there.
    Path,
    /// `>::`, so that it is an item of a type or a trait.
    Brackets,
    /// `::`, and nothing that leads to it.
    Colons,
    /// `.`
    Dot,
    /// `self.`
    SelfDot,
    /// `$`
    Dollar,
    /// `::$`
    PathDollar,
    Other,
}

/// All words of a text, in order.
pub struct Words {
    pub list: Vec<Word>,
    ids: HashMap<String, Id>,
    texts: Vec<String>,
}

impl Words {
    pub fn new(index: &Index) -> Self {
        let mut words = Self {
            list: Vec::new(),
            ids: HashMap::new(),
            texts: Vec::new(),
        };
        let named = |kind: Kind| {
            !matches!(
                kind,
                Kind::Import | Kind::Impl | Kind::InherentImpl | Kind::Arm | Kind::Call
            )
        };
        let names: BTreeSet<usize> = index
            .nodes
            .iter()
            .filter(|node| named(node.kind))
            .map(|node| node.head.start)
            .collect();
        // Each node stands behind the one that it is in.
        let mut next = 0;
        let mut around: Vec<usize> = Vec::new();
        let mut calls = Calls::default();
        let mut variables: HashMap<(Option<usize>, Id), Vec<usize>> = HashMap::new();
        let mut bound = BTreeSet::new();
        for (at, token) in scan(index.text()) {
            calls.pass(index.text(), at, token);
            let word = match token {
                Token::Word(word) | Token::Number(word) | Token::Argument(word) => word,
                _ => {
                    if let (true, Some(last)) = (token == Token::Bang, words.list.last_mut()) {
                        last.called |= calls.bang;
                    }
                    continue;
                }
            };
            while index.nodes.get(next).is_some_and(|n| n.range.start <= at) {
                around.push(next);
                next += 1;
            }
            while around
                .last()
                .is_some_and(|&n| index.nodes[n].range.end <= at)
            {
                around.pop();
            }
            if let Token::Number(_) = token {
                if let Some(of_type) = type_of_number(index.text(), at, word) {
                    let id = words.number(of_type);
                    words.list.push(Word {
                        id,
                        node: around.last().copied(),
                        before: Before::Other,
                        in_call: false,
                        called: false,
                        is_function: false,
                        is_local: false,
                        is_primitive: true,
                        is_bound: false,
                        brings_all: false,
                    });
                }
                continue;
            }
            // That there is one in a function is of interest.
            let import = index.use_at(at);
            let is_import = word == "use";
            if names.contains(&at)
                || import.is_some_and(|import| import == Use::OfModule || !is_import)
            {
                continue;
            }
            let id = words.number(word);
            let node = around.last().copied();
            let is_argument = matches!(token, Token::Argument(_));
            let before = if is_argument {
                Before::Other
            } else {
                before(index.text(), at)
            };
            if before == Before::Other {
                let place = (node, id);
                let kind = match token {
                    Token::Argument(_) => argument(word),
                    _ => variable(index.text(), at, word),
                };
                if kind.is_some() {
                    variables.entry(place).or_default().push(words.list.len());
                }
                if let Some(Variable::Bound) = kind {
                    bound.insert(place);
                }
            }
            words.list.push(Word {
                id,
                node,
                before,
                in_call: calls.open > 0,
                called: false,
                is_function: !is_argument && is_function(index.text(), at + word.len()),
                // What leads to a module need not mean anything else that is called like it.
                is_local: ["crate", "self", "super"].contains(&word)
                    || !is_argument && is_first_field(index.text(), at, word),
                is_primitive: before == Before::Other
                    && !is_argument
                    && is_type(index.text(), at, word),
                is_bound: !is_argument && is_bound(index.text(), at + word.len()),
                brings_all: is_import && import != Some(Use::OfBody { all: false }),
            });
        }
        for at in bound.iter().filter_map(|place| variables.get(place)) {
            at.iter().for_each(|&at| words.list[at].is_local = true);
        }
        words
    }

    /// The number of a word, which may be new.
    pub fn number(&mut self, word: &str) -> Id {
        let word = source::plain_name(word);
        if let Some(&id) = self.ids.get(word) {
            return id;
        }
        let id = self.ids.len();
        self.ids.insert(word.to_owned(), id);
        self.texts.push(word.to_owned());
        id
    }

    /// The number of a word that is known.
    pub fn find(&self, word: &str) -> Option<Id> {
        self.ids.get(word).copied()
    }

    pub fn text(&self, id: Id) -> &str {
        &self.texts[id]
    }

    /// The path that ends in a word, if it is one of names alone.
    pub fn path_to(&self, at: usize) -> Option<Vec<&str>> {
        let mut path = Vec::new();
        for word in self.list[..=at].iter().rev() {
            path.push(self.text(word.id));
            let first = *path.last()?;
            match word.before {
                Before::Path => continue,
                Before::Other => {}
                Before::Dollar if first == "crate" => {}
                Before::Colons if STANDARD.contains(&first) => {}
                _ => return None,
            }
            path.reverse();
            return Some(path);
        }
        None
    }
}

/// The names that a piece of code uses, but for those of its own variables.
pub fn names(text: &str) -> BTreeSet<String> {
    let (mut bound, mut used, mut found) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (at, token) in scan(text) {
        let (word, kind) = match token {
            Token::Argument(word) => (word, argument(word)),
            Token::Word(word) => match before(text, at) {
                Before::Other if is_type(text, at, word) || is_first_field(text, at, word) => {
                    continue;
                }
                Before::Other => (word, variable(text, at, word)),
                _ => (word, None),
            },
            _ => continue,
        };
        let names = match kind {
            Some(Variable::Bound) => &mut bound,
            Some(Variable::Used) => &mut used,
            None => &mut found,
        };
        names.insert(source::plain_name(word).to_owned());
    }
    found.extend(used.difference(&bound).cloned());
    found
}

/// Whether a word is a type that needs no import, and no function so called.
fn is_type(text: &str, at: usize, word: &str) -> bool {
    let after = text[at + word.len()..].trim_start();
    header::is_primitive(word) && !after.starts_with(['(', '!'])
}

/// Whether what ends at a place is called there.
fn is_function(text: &str, end: usize) -> bool {
    let after = text[end..].trim_start();
    let types = after.strip_prefix("::");
    after.starts_with('(') || types.is_some_and(|types| types.trim_start().starts_with('<'))
}

/// Whether what ends at a place is said to be something, or to have a bound.
fn is_bound(text: &str, end: usize) -> bool {
    let after = text[end..].trim_start();
    match after.as_bytes() {
        [b':', next, ..] => *next != b':',
        [b'=', next, ..] => !b"=>".contains(next),
        _ => false,
    }
}

/// Whether a word is the first field of a literal, of a pattern or of a type: `{ name: …`. (Those behind it look like parameters.)
fn is_first_field(text: &str, at: usize, word: &str) -> bool {
    let (before, after) = (text[..at].trim_end(), text[at + word.len()..].trim_start());
    before.ends_with('{') && after.starts_with(':') && !after.starts_with("::")
}

/// What a word may be that is not called, nor on a path.
enum Variable {
    Bound,
    Used,
}

fn variable(text: &str, at: usize, word: &str) -> Option<Variable> {
    if !word.starts_with(|c: char| c.is_lowercase()) {
        return None;
    }
    let (before, after) = (text[..at].trim_end(), text[at + word.len()..].trim_start());
    let is_path = after.starts_with("::");
    if is_path || after.starts_with(['(', '!']) && !after.starts_with("!=") {
        return None;
    }
    // A field of a literal looks like a parameter.
    let is_parameter = after.starts_with(':') && before.ends_with(['(', ',', '|']);
    let (rest, last) = before.split_at(before.trim_end_matches(is_word).len());
    let is_bound = match last {
        "let" => true,
        "mut" => !rest.trim_end().ends_with('&'),
        // Not the type that an impl is for.
        "for" => after.starts_with("in "),
        _ => false,
    };
    Some(if is_parameter || is_bound {
        Variable::Bound
    } else {
        Variable::Used
    })
}

/// The same of what a format string names.
fn argument(word: &str) -> Option<Variable> {
    let may_be = word.starts_with(char::is_lowercase);
    may_be.then_some(Variable::Used)
}

/// What stands before a place, but for blanks.
fn before(text: &str, place: usize) -> Before {
    let text = text[..place].trim_end();
    if let Some(text) = text.strip_suffix("::") {
        return match text.trim_end().chars().next_back() {
            Some('>') => Before::Brackets,
            Some(c) if is_word(c) => Before::Path,
            _ => Before::Colons,
        };
    }
    match text.as_bytes() {
        [.., b'.', b'.'] => Before::Other,
        [of @ .., b'.'] => match before_dot(&text[..of.len()]) {
            Some("self") => Before::SelfDot,
            _ => Before::Dot,
        },
        [of @ .., b'$'] if text[..of.len()].trim_end().ends_with("::") => Before::PathDollar,
        [.., b'$'] => Before::Dollar,
        _ => Before::Other,
    }
}

/// The word that a text ends with, if it is no field.
fn before_dot(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let (before, word) = text.split_at(text.trim_end_matches(is_word).len());
    (!before.trim_end().ends_with('.')).then_some(word)
}

/// The type of a number, if what is written tells: by its end, or because it is one with a point.
fn type_of_number<'t>(text: &'t str, at: usize, number: &'t str) -> Option<&'t str> {
    let is_hex = ["0x", "0b", "0o"].iter().any(|p| number.starts_with(p));
    let mut ends = number.char_indices().map(|(at, _)| &number[at..]);
    if let Some(end) = ends.find(|end| header::is_number(end) && !(is_hex && end.starts_with('f')))
    {
        return Some(end);
    }
    let (before, after) = (&text[..at], &text[at + number.len()..]);
    // Not that of a field, nor the start of a range, nor what has a method.
    let is_field = before.ends_with('.') && !before.ends_with("..");
    let point = after.strip_prefix('.');
    let has_point = point.is_some_and(|after| {
        !after.starts_with(|c: char| c == '.' || is_word(c) && !c.is_ascii_digit())
    });
    let is_float = has_point || number.contains(['e', 'E']);
    (is_float && !is_field && !is_hex).then_some("f64")
}

/// A piece of text outside of comments and literals.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Token<'t> {
    Word(&'t str),
    /// A number up to its point, if it has one.
    Number(&'t str),
    /// What a format string names.
    Argument(&'t str),
    Bang,
    Open,
    Close,
}

/// Words that `!` may follow without a call.
const KEYWORDS: [&str; 5] = ["if", "in", "match", "return", "while"];

/// Follows the calls of macros.
#[derive(Default)]
struct Calls<'t> {
    /// The last word and where it ends, and whether nothing but `!` followed.
    last: Option<(&'t str, usize)>,
    bang: bool,
    /// For each bracket that is open, whether it is one of a call that may make anything.
    brackets: Vec<bool>,
    /// How many of those there are.
    open: usize,
}

impl<'t> Calls<'t> {
    fn pass(&mut self, text: &'t str, at: usize, token: Token<'t>) {
        match token {
            Token::Number(_) | Token::Argument(_) => return,
            Token::Word(word) => self.last = Some((word, at + word.len())),
            Token::Bang => {
                let mut last = self.last.iter();
                self.bang = last.any(|&(_, end)| text[end..at].trim().is_empty());
                return;
            }
            Token::Open => {
                let name = self.last.filter(|_| self.bang);
                let is_call = name.is_some_and(|(name, _)| {
                    !HARMLESS.contains(&name) && !KEYWORDS.contains(&name)
                });
                self.brackets.push(is_call);
                self.open += usize::from(is_call);
                self.last = None;
            }
            Token::Close => {
                self.open -= usize::from(self.brackets.pop() == Some(true));
                self.last = None;
            }
        }
        self.bang = false;
    }
}

/// The words and brackets outside of comments and literals, and what strings name in braces, as format strings do.
fn scan(text: &str) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut rest = text;
    let mut named: VecDeque<usize> = VecDeque::new();
    std::iter::from_fn(move || loop {
        if let Some(at) = named.pop_front() {
            let end = text[at..].find(|c| !is_word(c));
            let word = &text[at..end.map_or(text.len(), |end| at + end)];
            return Some((at, Token::Argument(word)));
        }
        let start = rest.find(|c| is_word(c) || "/\"'!([{)]}".contains(c))?;
        let at = text.len() - rest.len() + start;
        rest = &rest[start..];
        let length = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => comment(rest),
            [b'/', ..] => 1,
            [b'"', ..] => literal(rest, '"'),
            [b'\'', ..] => quote(rest),
            [mark @ (b'!' | b'(' | b'[' | b'{' | b')' | b']' | b'}'), ..] => {
                let token = match mark {
                    b'!' => Token::Bang,
                    b'(' | b'[' | b'{' => Token::Open,
                    _ => Token::Close,
                };
                rest = &rest[1..];
                return Some((at, token));
            }
            _ => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(length);
        rest = behind;
        if !word.starts_with(is_word) {
            if word.starts_with('"') {
                named.extend(arguments(word).map(|from| at + from));
            }
            continue;
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return Some((at, Token::Number(word)));
        }
        // `b"…"`, `br#"…"#`; but `r#word`.
        if behind.starts_with(['"', '#', '\'']) && ["b", "c", "r", "br", "cr"].contains(&word) {
            let hashes = behind.len() - behind.trim_start_matches('#').len();
            if behind[hashes..].starts_with('"') {
                let length = if word.ends_with('r') {
                    let end = format!("\"{}", &behind[..hashes]);
                    let inside = &behind[hashes + 1..];
                    let found = inside.find(&end).unwrap_or(inside.len());
                    hashes + 1 + found + end.len()
                } else {
                    literal(behind, '"')
                };
                let string = behind.get(..length).unwrap_or(behind);
                rest = &behind[string.len()..];
                if word == "r" {
                    let at = text.len() - behind.len();
                    named.extend(arguments(string).map(|from| at + from));
                }
                continue;
            }
            if behind.starts_with('\'') && word == "b" {
                rest = &behind[literal(behind, '\'')..];
                continue;
            }
            if behind.starts_with('#') && word == "r" {
                let length = 2 + behind[1..]
                    .find(|c| !is_word(c))
                    .unwrap_or(behind.len() - 1);
                rest = &behind[length - 1..];
                return Some((at, Token::Word(&text[at..at + length])));
            }
        }
        return Some((at, Token::Word(word)));
    })
}

/// Where a format string names what it shows: `{name}`, and widths and precisions as in `{:width$.precision$}`.
fn arguments(text: &str) -> impl Iterator<Item = usize> + use<'_> {
    let mut at = 0;
    let braces = std::iter::from_fn(move || loop {
        let open = at + text[at..].find('{')?;
        at = open + 1;
        if text[at..].starts_with('{') {
            at += 1;
        } else if !text[..open].ends_with("\\u") {
            return text[at..].split_once('}').map(|(inside, _)| inside);
        }
    });
    let names = braces.flat_map(|inside| {
        let (shown, format) = inside.split_once(':').unwrap_or((inside, ""));
        let counts = format.split_inclusive('$');
        let counts = counts.filter_map(|part| part.strip_suffix('$'));
        let counts = counts.map(|part| &part[part.trim_end_matches(is_word).len()..]);
        std::iter::once(shown.trim()).chain(counts)
    });
    let names = names.filter(|name| {
        name.chars().all(is_word) && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
    });
    names.map(|name| name.as_ptr() as usize - text.as_ptr() as usize)
}

/// How long the comment is that a text begins with. They nest.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            Some(_) => at += 1,
            None => return text.len(),
        }
        if depth == 0 {
            return at;
        }
    }
}

/// How long the string or the character is that a text begins with.
fn literal(text: &str, end: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == end => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// How long the character or the lifetime is that a text begins with.
fn quote(text: &str) -> usize {
    let mut inside = text[1..].chars();
    match (inside.next(), inside.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => literal(text, '\''),
        _ => 1 + text[1..].find(|c| !is_word(c)).unwrap_or(text.len() - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_numbers_are_no_names() {
        let found =
            names("impl T for a { fn f(rng: u8, g: A) {let max = rng; h(&mut i); min(max, g.b, u8::MAX, i) + g() + C + (D { rng2: A { e: f } }) } }");
        for name in ["A", "C", "MAX", "a", "b", "f", "g", "h", "i", "min"] {
            assert!(found.contains(name), "{name}");
        }
        for name in ["e", "max", "rng", "rng2", "u8"] {
            assert!(!found.contains(name), "{name}");
        }
    }

    #[test]
    fn comments_and_literals_have_no_words() {
        let text = r###"a // b "
            /* c /* d */ ' */ e "f \" g" 'h' '\'' 'i: j b'k' b"l" r"m\" n br#"o " "# r#type 0x1p 1.5e3 2.max π c"q" 'r'"###;
        let words = scan(text).filter_map(|(_, token)| match token {
            Token::Word(word) => Some(word),
            Token::Number(_) => None,
            other => panic!("{other:?}"),
        });
        assert_eq!(
            words.collect::<Vec<_>>(),
            ["a", "e", "j", "n", "r#type", "max", "π"]
        );
    }

    #[test]
    fn format_strings_have_names() {
        let text = r###""{a} {{b}} {c:?} {:d$.e$} {0} {f:>G$} \u{ab} {:*^h$} { i } {j-k} {" r#"{l} " {m:#x}"# b"{n}""###;
        let words = scan(text).map(|(at, token)| match token {
            Token::Argument(word) => {
                assert!(text[at..].starts_with(word));
                word
            }
            other => panic!("{other:?}"),
        });
        let found: Vec<_> = words.collect();
        assert_eq!(found, ["a", "c", "d", "e", "f", "G", "h", "i", "l", "m"]);
        // Not the start of a parameter's type.
        let found = names("f(\"{x:?} {Y:y$}\")");
        assert!(["x", "Y", "y"].iter().all(|name| found.contains(*name)));
        assert!(!names("let x = 1; f(\"{x}\")").contains("x"));
    }

    #[test]
    fn a_number_tells_its_type_by_its_end_or_its_point() {
        for (text, of_type) in [
            ("1", None),
            ("1_000i64", Some("i64")),
            ("0xi8", Some("i8")),
            ("0x1f32", None),
            ("0b1_u128", Some("u128")),
            ("2f32", Some("f32")),
            ("1.5", Some("f64")),
            ("1.", Some("f64")),
            ("1e9", Some("f64")),
            ("0xe", None),
            ("1.max(2)", None),
            ("1..2", None),
        ] {
            let (at, token) = scan(text).next().unwrap();
            let Token::Number(number) = token else {
                panic!("{token:?}");
            };
            assert_eq!(type_of_number(text, at, number), of_type, "{text}");
        }
        assert_eq!(type_of_number("a.0.1", 2, "0"), None);
        assert_eq!(type_of_number("0..1.5", 3, "1"), Some("f64"));
    }

    #[test]
    fn a_word_stands_behind_something() {
        let text = "a::b :: c <d>::e, ::f g.h i..j $k l :m self.n self[0].o p.self.q r::$s";
        let words = scan(text).filter(|(_, token)| matches!(token, Token::Word(_)));
        let all = words.map(|(at, _)| before(text, at));
        use Before::{Brackets, Colons, Dollar, Dot, Other, Path, PathDollar, SelfDot};
        assert_eq!(
            all.collect::<Vec<_>>(),
            [
                Other, Path, Path, Other, Brackets, Colons, Other, Dot, Other, Other, Dollar,
                Other, Other, Other, SelfDot, Other, Dot, Other, Dot, Dot, Other, PathDollar
            ]
        );
    }

    #[test]
    fn what_a_macro_is_called_with_is_in_a_call() {
        let text =
            "fn f() { a!(b, [c], vec![d]); e; vec![g, h! { i }]; if !(j) {} k = n && !(l(m)) }";
        let index = Index::new(text).unwrap();
        let words = Words::new(&index);
        let called = words.list.iter().filter(|word| word.in_call);
        let called: Vec<&str> = called.map(|word| words.text(word.id)).collect();
        assert_eq!(called, ["b", "c", "vec", "d", "i"]);
    }

    #[test]
    fn names_and_imports_use_nothing() {
        let text = "use a::b; fn f() { use c::d; d() } mod g { impl h for i { const J: k = l; } }";
        let index = Index::new(text).unwrap();
        let words = Words::new(&index);
        let all: Vec<&str> = words.list.iter().map(|word| words.text(word.id)).collect();
        assert_eq!(
            all,
            ["fn", "use", "d", "mod", "impl", "h", "for", "i", "const", "k", "l"]
        );
        let node = |n: usize| words.list[n].node.map(|n| &*index.nodes[n].name);
        assert_eq!(node(0), Some("f"));
        assert_eq!(node(3), Some("g"));
        assert_eq!(node(8), Some("J"));
    }

    #[test]
    fn an_import_that_is_read_brings_what_it_names() {
        for (body, brings_all) in [
            ("use a::b;", false),
            ("use a::{b, c::*};", true),
            ("use std::io::*;", false),
            ("m!(use a::b;);", true),
        ] {
            let text = format!("mod a {{}} fn f() {{ {body} }}");
            let words = Words::new(&Index::new(&text).unwrap());
            let mut imports = words
                .list
                .iter()
                .filter(|word| words.text(word.id) == "use");
            assert_eq!(imports.next().unwrap().brings_all, brings_all, "{body}");
        }
    }
}
