//! What the rules of macros make and nobody needs, where macros stay as they were written: of a `modular!` that makes a type with thirty impls
//! those that read and print it.
//!
//! Code that a macro makes has the lines of its rule, whoever calls it. An impl in a rule, or a method of one, of which there are no lines
//! in the code of any call may go as one that stands in the text goes: unless the type checker asks for it, and as long as the code stays
//! the same. Constants never have lines, and are tried as well. What only that named is dead then.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::thread;

use anyhow::Result;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::needs;
use super::unasked::{dead_of, has_unnamed, left_out_of, made_of, times, Codes, Left};
use super::{INNATE, LINTS, UNSPOKEN};
use crate::bundle::compiler::{Compiler, Diagnostic, Fix, LINES};
use crate::bundle::load::templates;
use crate::bundle::text::index::{Index, Kind, Sort};
use crate::bundle::text::source::{self, Lines};
use crate::bundle::text::tokens::{is_block, is_ident, is_punct};

/// As often as this the type checker is asked at most.
const ROUNDS: usize = 8;

/// A text of which less than such a part is in rules is not looked at: the compiler has to make its code twice.
const LEAST_GAIN: usize = 100;

/// Something in a rule.
#[derive(Debug)]
struct Part {
    /// Where it is, with its attributes.
    range: Range<usize>,
    /// What it is called, and what it has for its trait.
    names: BTreeSet<String>,
    /// Which traits it implements; all that calls name where they tell which.
    of_traits: BTreeSet<String>,
    /// The functions that it has for its trait.
    members: Vec<Part>,
    /// The rule, or what is repeated there, in which nothing is left if all like it in there go.
    all_of: Option<usize>,
}

/// What is to go together.
struct Gone<'p> {
    names: BTreeSet<&'p str>,
    of_traits: Option<&'p BTreeSet<String>>,
    ranges: Vec<&'p Range<usize>>,
    /// What stands in no rule: a function that a trait asks for, and those of its impls.
    nodes: Vec<usize>,
}

/// What is left of a text.
pub enum Looked {
    Less(Left),
    /// All of it; with its code, if that was asked for.
    All(Option<Codes>),
}

/// The text without what is in rules and has no code.
pub fn without_idle(compiler: &Compiler, text: &str) -> Result<Looked> {
    let mut parts = parts(text);
    let left_out = left_out_of(text)?;
    let may_use = |part: &Part| {
        let mut names = part.names.iter().chain(&part.of_traits);
        names.any(|name| left_out.may_use(name))
    };
    parts.retain(|part| !may_use(part));
    let most: usize = parts.iter().map(|part| part.range.len()).sum();
    if most * LEAST_GAIN <= text.len() {
        return Ok(Looked::All(None));
    }
    let whole = text;
    let apart = apart(text, &parts);
    let text = apart.as_deref().unwrap_or(text);
    let (before, closed) = thread::scope(|scope| {
        let closed = scope.spawn(|| said_closed(compiler, text, &parts));
        let before = made_of(compiler, text, &[LINES]);
        (before, closed.join().expect("a run does not panic"))
    });
    let (Ok(before), closed) = (before?, closed?) else {
        return Ok(Looked::All(None));
    };
    let (index, places) = (Index::new(text)?, Lines::new(text));
    let is_idle = |range: &Range<usize>| {
        let lines = places.at(range.start)..=places.at(range.end);
        !before.lines().any(|line| lines.contains(&line))
    };
    let is_part_idle = |part: &&Part| is_idle(&part.range);
    let mut dead = before.dead(&index);
    dead.extend(dead_of(&closed, &index, |_, _| true));
    dead.retain(|&n| !left_out.may_use(&index.nodes[n].name));
    let mut gone = asked_for(&parts, &index, &dead, &is_part_idle);
    // A call of what makes nothing else can go as a whole.
    let live = parts.iter().filter(|part| !is_idle(&part.range));
    let stay: BTreeSet<usize> = live.filter_map(|part| part.all_of).collect();
    // Of constants there never is any code.
    let has_constants_only = |part: &Part| {
        let code = &text[part.range.clone()];
        code.contains("const ") && !code.contains("fn ")
    };
    let of_constants = parts.iter().filter(|part| has_constants_only(part));
    let may_stay: BTreeSet<usize> = of_constants.filter_map(|part| part.all_of).collect();
    let may_go = |part: &&Part| {
        let is_beside = |of| may_stay.contains(&of) && !has_constants_only(part);
        part.all_of
            .map_or(true, |of| stay.contains(&of) || is_beside(of))
    };
    let idle = parts.iter().filter(is_part_idle);
    gone.extend(idle.filter(may_go).map(Gone::from));
    for _ in 0..ROUNDS {
        // A small one may be all that needs much.
        if gone.is_empty() {
            break;
        }
        let errors = match made_of(compiler, &blanked(&index, &gone), &[])? {
            Ok(now) if now.is_same(&before) => {
                let text = without_shells(without(&Index::new(whole)?, &gone))?;
                // What was dead before may have stayed because of what goes now, and an impl of which there is no code.
                let has_dead = !now.dead(&index).is_empty()
                    || has_idle(&index, &gone, &is_idle)
                    || has_unnamed(&text, &words_of(&index, &gone))?;
                return Ok(Looked::Less(Left {
                    text,
                    has_dead,
                    may_be_idle: false,
                }));
            }
            // A call may mean another method when one is gone.
            Ok(_) if gone.iter().any(|of| !of.nodes.is_empty()) => {
                gone.retain(|of| of.nodes.is_empty());
                continue;
            }
            Err(errors) => errors,
            Ok(_) => break,
        };
        let errors: Vec<Diagnostic> = errors.into_iter().filter(Diagnostic::is_error).collect();
        let stay = wanted(&gone, &errors);
        if stay.is_empty() {
            // It may be what traits ask for that cannot go.
            let size = gone.len();
            gone.retain(|of| of.nodes.is_empty());
            if gone.len() == size {
                break;
            }
            continue;
        }
        let numbered = gone.into_iter().enumerate();
        let left = numbered.filter(|(at, _)| !stay.contains(at));
        gone = left.map(|(_, of)| of).collect();
    }
    // What it tells is where it is in the text as it was.
    let is_as_it_was = apart.is_none();
    Ok(Looked::All(is_as_it_was.then_some(before)))
}

/// What the compiler says of a text of which nothing is public beyond the program, where parts have something for their traits.
fn said_closed(compiler: &Compiler, text: &str, parts: &[Part]) -> Result<Vec<Diagnostic>> {
    if !text.contains("pub trait") || parts.iter().all(|part| part.members.is_empty()) {
        return Ok(Vec::new());
    }
    let said = compiler.check_closed(text, "2021", &LINTS)?;
    // What a macro makes may be public still, and then it may not show what is not.
    let is_taken = !said.iter().any(Diagnostic::is_error);
    Ok(said.into_iter().filter(|_| is_taken).collect())
}

/// The text with each part that blanks part from others on lines of its own, by which its code is told: nothing where all are. What stands
/// anywhere stays there.
fn apart(text: &str, parts: &[Part]) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    for part in parts
        .iter()
        .flat_map(|part| part.members.iter().chain([part]))
    {
        for at in [part.range.start - 1, part.range.end] {
            if bytes[at] == b' ' {
                bytes[at] = b'\n';
            }
        }
    }
    let apart = String::from_utf8(bytes).expect("a blank becomes another");
    (apart != text).then_some(apart)
}

/// What traits ask for and nobody calls, with what impls in rules and others have for it.
fn asked_for<'p>(
    parts: &'p [Part],
    index: &'p Index,
    dead: &BTreeSet<usize>,
    is_idle: &dyn Fn(&&Part) -> bool,
) -> Vec<Gone<'p>> {
    let asked = dead
        .iter()
        .filter(|&&n| index.nodes[n].kind == Kind::TraitItem);
    let gone = asked.filter_map(|&asked| {
        let item = index.trait_item(asked)?;
        let (of_trait, name) = item;
        let is_of_it = |part: &&Part| part.of_traits.contains(of_trait);
        let members = parts.iter().filter(is_of_it).flat_map(|part| &part.members);
        let members = members.filter(|member| member.names.contains(name));
        let members: Vec<&Part> = members.collect();
        let is_implemented = |n: &usize| {
            index.nodes[*n].kind == Kind::Implemented && index.trait_item(*n) == Some(item)
        };
        let others = (0..index.nodes.len()).filter(is_implemented);
        let is_free = |member: &&Part| is_idle(member) && member.all_of.is_none();
        let can_go = !members.is_empty() && members.iter().all(is_free);
        can_go.then(|| Gone {
            names: BTreeSet::from([name]),
            of_traits: None,
            ranges: members.into_iter().map(|member| &member.range).collect(),
            nodes: others.chain([asked]).collect(),
        })
    });
    gone.collect()
}

/// Whether the text has an impl of which there is no code and that what goes may have called: by an operator, or by a name.
fn has_idle(index: &Index, gone: &[Gone], is_idle: &dyn Fn(&Range<usize>) -> bool) -> bool {
    let words = words_of(index, gone);
    let is_named = |n: usize| {
        let node = &index.nodes[n];
        let mut functions = index.children(n).map(|n| &index.nodes[n]);
        node.of_trait()
            .is_some_and(|of| UNSPOKEN.contains(&of.as_str()) || words.contains(of.as_str()))
            || functions.any(|node| words.contains(node.name.as_str()))
    };
    let impls = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Impl);
    let mut with_functions =
        impls.filter(|&n| index.children(n).any(|n| index.nodes[n].is_function()));
    with_functions.any(|n| is_named(n) && is_idle(&index.nodes[n].range))
}

/// The words of what goes.
fn words_of<'i>(index: &'i Index, gone: &[Gone]) -> BTreeSet<&'i str> {
    let texts = gone.iter().flat_map(|of| &of.ranges);
    let words = texts.flat_map(|range| source::words(index.text_at(range)));
    words.collect()
}

impl<'p> From<&'p Part> for Gone<'p> {
    fn from(part: &'p Part) -> Self {
        Self {
            names: part.names.iter().map(String::as_str).collect(),
            of_traits: Some(&part.of_traits),
            ranges: vec![&part.range],
            nodes: Vec::new(),
        }
    }
}

/// What some errors ask for: by the traits and methods that they miss, or by what they say; by the code that they show if none of them
/// tells more.
fn wanted(gone: &[Gone], errors: &[Diagnostic]) -> BTreeSet<usize> {
    let all = |is_it: &dyn Fn(&Gone) -> bool| -> Vec<usize> {
        (0..gone.len()).filter(|&at| is_it(&gone[at])).collect()
    };
    let named =
        |words: BTreeSet<String>| all(&|of| of.names.iter().any(|name| words.contains(*name)));
    let said = |error: &Diagnostic| {
        let (bounds, methods) = needs::wanted(error);
        let provides = |name: &String| bounds.iter().any(|bound| bound.of_trait.ident == name);
        let mut found = all(&|of| of.of_traits.is_some_and(|all| all.iter().any(provides)));
        found.extend(named(methods.into_iter().map(|(name, _)| name).collect()));
        if found.is_empty() {
            found = named(source::words(&error.message).map(str::to_owned).collect());
        }
        found
    };
    let found: BTreeSet<usize> = errors.iter().flat_map(said).collect();
    if !found.is_empty() {
        return found;
    }
    // The name of a function may be a word of the compiler's own.
    let shown = || errors.iter().map(needs::words_of);
    let of_traits = |words: BTreeSet<String>| {
        all(&|of| of.of_traits.is_some_and(|all| !all.is_disjoint(&words)))
    };
    let found: BTreeSet<usize> = shown().flat_map(of_traits).collect();
    match found.is_empty() {
        true => shown().flat_map(named).collect(),
        false => found,
    }
}

fn is_in(place: usize, parts: &[Part]) -> bool {
    parts.iter().any(|part| part.range.contains(&place))
}

/// The ranges and the nodes that go, of which none is in another.
fn places<'g>(gone: &'g [Gone]) -> (Vec<&'g Range<usize>>, BTreeSet<usize>) {
    let mut ranges: Vec<&Range<usize>> = gone
        .iter()
        .flat_map(|of| of.ranges.iter().copied())
        .collect();
    outermost(&mut ranges, |range| range);
    (
        ranges,
        gone.iter()
            .flat_map(|of| of.nodes.iter().copied())
            .collect(),
    )
}

/// Leaves those that are in no other.
fn outermost<T>(list: &mut Vec<T>, range: impl Fn(&T) -> &Range<usize>) {
    list.sort_by_key(|of| (range(of).start, Reverse(range(of).end)));
    let mut end = 0;
    list.retain(|of| {
        let is_outside = range(of).start >= end;
        end = end.max(range(of).end);
        is_outside
    });
}

fn blanked(index: &Index, gone: &[Gone]) -> String {
    let (ranges, nodes) = places(gone);
    let mut bytes = index.blanked(&nodes).into_bytes();
    for range in ranges {
        source::blank(&mut bytes, range.clone());
    }
    String::from_utf8(bytes).expect("each byte of what is blanked becomes a space")
}

fn without(index: &Index, gone: &[Gone]) -> String {
    let (ranges, nodes) = places(gone);
    let delete = |range: &Range<usize>| {
        let start = index.with_comments(range.start);
        (index.whole_lines(start..range.end), String::new())
    };
    let fixes: Vec<Fix> = ranges.into_iter().map(delete).collect();
    index.without(&nodes, &fixes)
}

/// The text without macros that make nothing any more, by no rule, and their calls.
fn without_shells(text: String) -> Result<String> {
    let mut hollow = BTreeSet::new();
    source::macro_definitions(text.parse().unwrap_or_default(), &mut |name, body| {
        let name = name.to_string();
        let mut rules = templates::rules(body.stream()).into_iter();
        if rules.all(|(_, made)| calls_alone(made.stream(), &name)) {
            hollow.insert(name);
        }
    });
    if hollow.is_empty() {
        return Ok(text);
    }
    let index = Index::new(&text)?;
    let mut gone = BTreeSet::new();
    for name in &hollow {
        let call = format!("{name}!");
        let is_of_it = |n: &usize| {
            let (node, of) = (&index.nodes[*n], index.text_of(*n));
            match node.kind {
                Kind::Item => node.sort == Sort::Macro && node.name == *name,
                Kind::Call => !index.is_part(*n) && of.contains(&call) && times(of, name) == 1,
                _ => false,
            }
        };
        let all: Vec<usize> = (0..index.nodes.len()).filter(is_of_it).collect();
        let named: usize = all.iter().map(|&n| times(index.text_of(n), name)).sum();
        if named == times(&text, name) {
            gone.extend(all);
        }
    }
    Ok(index.without(&gone, &[]))
}

/// Whether some tokens are nothing but calls of a macro.
fn calls_alone(stream: TokenStream, name: &str) -> bool {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut rest = &trees[..];
    loop {
        rest = match rest {
            [] => return true,
            [TokenTree::Ident(of), mark, TokenTree::Group(_), ..]
                if of == name && is_punct(mark, '!') =>
            {
                &rest[3..]
            }
            [mark, ..] if is_punct(mark, ';') => &rest[1..],
            _ => return false,
        };
    }
}

/// What is in the rules of a text. No part is in another.
fn parts(text: &str) -> Vec<Part> {
    let mut found = Vec::new();
    if text.contains("macro_rules") {
        let stream: TokenStream = text.parse().unwrap_or_default();
        let calls = words_of_calls(stream.clone());
        source::macro_definitions(stream, &mut |name, body| {
            let words = calls.get(&name.to_string()).and_then(Option::as_ref);
            for (_, made) in templates::rules(body.stream()) {
                let mut parts = items(&made, Around::Module, words);
                let trees = made.stream().into_iter();
                let mut places = trees.map(|tree| tree.span().byte_range().start);
                if places.all(|place| is_in(place, &parts)) {
                    are_all(&mut parts, &made);
                }
                found.append(&mut parts);
            }
        });
    }
    // A macro may make another one.
    outermost(&mut found, |part: &Part| &part.range);
    found
}

/// What a macro is called with.
#[derive(Default)]
struct Called {
    words: BTreeSet<String>,
    /// The macros that pass on to it what they are called with themselves.
    by: BTreeSet<String>,
}

/// The words that macros are called with; nothing where that is not known.
fn words_of_calls(stream: TokenStream) -> BTreeMap<String, Option<BTreeSet<String>>> {
    let mut calls = BTreeMap::new();
    add_calls(stream, None, &mut calls);
    let all = |name: &String| {
        let (mut words, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![name]);
        while let Some(name) = open.pop().filter(|name| seen.insert(*name)) {
            // Nobody calls one that passes something on: perhaps by another name.
            let called = calls.get(name)?;
            words.extend(called.words.iter().cloned());
            open.extend(&called.by);
        }
        Some(words)
    };
    calls.keys().map(|name| (name.clone(), all(name))).collect()
}

/// Adds the calls among some tokens, which are in the rules of a macro.
fn add_calls(stream: TokenStream, rules_of: Option<&str>, found: &mut BTreeMap<String, Called>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let mut rules = rules_of.map(str::to_owned);
        match at.checked_sub(1).map(|at| &trees[at]) {
            _ if !source::is_macro(&trees, at) => {}
            Some(TokenTree::Ident(name)) => rules = Some(name.to_string()),
            _ => {
                let inside = group.stream().to_string();
                let called = found.entry(trees[at - 2].to_string()).or_default();
                let words = source::words(&inside).map(str::to_owned);
                called.words.extend(words);
                if inside.contains('$') {
                    // Where no macro is around it, that is in no rule that anybody knows.
                    called.by.insert(rules.clone().unwrap_or_default());
                }
            }
        }
        add_calls(group.stream(), rules.as_deref(), found);
    }
}

/// What something in a rule stands in.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Module,
    Impl,
    ImplOfTrait,
}

/// What is in brackets: of an impl its functions and constants, of a repetition what is in it. The macro is called with these words.
fn items(of: &Group, around: Around, words: Option<&BTreeSet<String>>) -> Vec<Part> {
    let trees: Vec<TokenTree> = of.stream().into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        if let Some(item) = Item::at(&trees[at..], around, words) {
            let inside = &trees[at..at + item.length];
            at += item.length;
            let inside_of = |around| match inside.last() {
                Some(TokenTree::Group(body)) => items(body, around, words),
                _ => Vec::new(),
            };
            match item.kind {
                ItemKind::Named(names, of_traits) => found.push(Part {
                    range: range(inside),
                    names,
                    members: match of_traits.is_empty() {
                        true => Vec::new(),
                        false => inside_of(Around::ImplOfTrait),
                    },
                    of_traits,
                    all_of: None,
                }),
                ItemKind::Own => found.extend(inside_of(Around::Impl)),
                ItemKind::Innate => {}
            }
            continue;
        }
        at += 1;
        let is_repeated = is_punct(&trees[at - 1], '$');
        if let Some(TokenTree::Group(group)) = trees.get(at).filter(|_| is_repeated) {
            if group.delimiter() == Delimiter::Parenthesis {
                let mut parts = repeated(group, around, words);
                // What a trait asks for goes with the brackets, `$(const A: u8 = $a;)?`, and so does an impl of one.
                if let ([part], Around::ImplOfTrait | Around::Module) = (&mut parts[..], around) {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let end = trees[at + 1..].iter().position(is_repetition);
                    if let (Some(end), true) = (end, part.range == range(&inside)) {
                        part.range = range(&trees[at - 1..=at + 1 + end]);
                        part.all_of = None;
                    }
                }
                found.extend(parts);
            }
        }
    }
    found
}

/// Whether this is what tells how often something is repeated.
fn is_repetition(tree: &TokenTree) -> bool {
    ['?', '*', '+'].iter().any(|&mark| is_punct(tree, mark))
}

/// The same of what is repeated, where something has to be left that tells how often.
fn repeated(of: &Group, around: Around, words: Option<&BTreeSet<String>>) -> Vec<Part> {
    let mut parts = items(of, around, words);
    let is_left = |place| !is_in(place, &parts);
    if !has_variable(of.stream(), &is_left) {
        are_all(&mut parts, of);
    }
    parts
}

/// Notes that there is nothing else in some brackets.
fn are_all(parts: &mut [Part], of: &Group) {
    let start = of.span_open().byte_range().start;
    for part in parts {
        part.all_of.get_or_insert(start);
    }
}

/// Whether there is a `$name` where something is left.
fn has_variable(stream: TokenStream, is_left: &dyn Fn(usize) -> bool) -> bool {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut pairs = trees.windows(2);
    let is_variable = |pair: &[TokenTree]| {
        let place = pair[0].span().byte_range().start;
        is_punct(&pair[0], '$') && matches!(pair[1], TokenTree::Ident(_)) && is_left(place)
    };
    pairs.any(is_variable)
        || trees.into_iter().any(|tree| match tree {
            TokenTree::Group(group) => has_variable(group.stream(), is_left),
            _ => false,
        })
}

fn range(trees: &[TokenTree]) -> Range<usize> {
    let place = |tree: &TokenTree| tree.span().byte_range();
    place(&trees[0]).start..place(&trees[trees.len() - 1]).end
}

/// An impl, or a function or constant with a name of its own, at the beginning of some tokens, up to its end.
struct Item {
    length: usize,
    kind: ItemKind,
}

enum ItemKind {
    /// A function or constant, or an impl of a trait, which comes second: what it is called, and what it has for the trait.
    Named(BTreeSet<String>, BTreeSet<String>),
    /// An impl of a trait that counts without code, or of one that nobody knows.
    Innate,
    /// An impl without a trait.
    Own,
}

impl Item {
    fn at(trees: &[TokenTree], around: Around, words: Option<&BTreeSet<String>>) -> Option<Self> {
        let mut at = 0;
        while is_punct(trees.get(at), '#') {
            at += 2;
        }
        if is_ident(trees.get(at), "pub") {
            at += 1;
            if matches!(trees.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
            {
                at += 1;
            }
        }
        let constant = match around {
            Around::Module => None,
            Around::Impl | Around::ImplOfTrait => constant(&trees[at..]),
        };
        if let Some(name) = constant {
            let end = trees.iter().position(|tree| is_punct(tree, ';'))?;
            return Some(Self {
                length: end + 1,
                kind: ItemKind::Named(BTreeSet::from([name]), BTreeSet::new()),
            });
        }
        while ["const", "async", "unsafe"]
            .iter()
            .any(|word| is_ident(trees.get(at), word))
        {
            at += 1;
        }
        let body = at + trees.get(at..)?.iter().position(ends)?;
        if !is_block(&trees[body]) {
            return None;
        }
        let kind = if is_ident(&trees[at], "fn") {
            let TokenTree::Ident(name) = &trees[at + 1] else {
                return None;
            };
            let name = source::plain_name(&name.to_string()).to_owned();
            ItemKind::Named(BTreeSet::from([name]), BTreeSet::new())
        } else if is_ident(&trees[at], "impl") && around == Around::Module {
            kind_of_impl(&trees[at + 1..body], &trees[body], words)
        } else {
            return None;
        };
        Some(Self {
            length: body + 1,
            kind,
        })
    }
}

/// What a constant is called that some tokens begin with.
fn constant(trees: &[TokenTree]) -> Option<String> {
    match trees {
        [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(mark), ..]
            if word == "const" && mark.as_char() == ':' =>
        {
            Some(name.to_string())
        }
        _ => None,
    }
}

/// Whether an item ends with a token.
fn ends(tree: &TokenTree) -> bool {
    is_block(tree) || is_punct(tree, ';')
}

/// What an impl is, by what stands before its braces, by these, and by the words that its macro is called with.
fn kind_of_impl(
    header: &[TokenTree],
    body: &TokenTree,
    words: Option<&BTreeSet<String>>,
) -> ItemKind {
    let TokenTree::Group(body) = body else {
        return ItemKind::Innate;
    };
    let mut at = 0;
    // Where the last name of the path to its trait is.
    let mut last: Option<usize> = None;
    while at < header.len() {
        match &header[at] {
            TokenTree::Ident(word) if word == "for" && !is_punct(header.get(at + 1), '<') => {
                let Some(last) = last else {
                    return ItemKind::Innate;
                };
                let of_traits = match last > 0 && is_punct(&header[last - 1], '$') {
                    false => BTreeSet::from([header[last].to_string()]),
                    true => words.map_or_else(BTreeSet::new, with_capitals),
                };
                let is_innate = |name: &String| INNATE.contains(&name.as_str());
                if of_traits.is_empty() || of_traits.iter().any(is_innate) {
                    return ItemKind::Innate;
                }
                let mut names = of_traits.clone();
                names.extend(defined(body.stream()));
                if has_variable_name(body.stream()) {
                    names.extend(words.into_iter().flatten().cloned());
                }
                return ItemKind::Named(names, of_traits);
            }
            TokenTree::Ident(_) => last = Some(at),
            TokenTree::Punct(mark) if mark.as_char() == '<' => {
                at = behind_angles(header, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    ItemKind::Own
}

/// Those of some words that may be names of traits.
fn with_capitals(words: &BTreeSet<String>) -> BTreeSet<String> {
    let may_be = |word: &&String| !word.starts_with(|c: char| c.is_lowercase() || c == '_');
    words.iter().filter(may_be).cloned().collect()
}

/// Where the brackets end that begin with a `<`.
fn behind_angles(trees: &[TokenTree], from: usize) -> usize {
    let mut depth = 0usize;
    for (at, tree) in trees.iter().enumerate().skip(from) {
        let is_arrow = at > 0 && is_punct(&trees[at - 1], '-');
        if is_punct(tree, '<') {
            depth += 1;
        } else if is_punct(tree, '>') && !is_arrow {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    trees.len()
}

/// Whether a call names one of the functions.
fn has_variable_name(stream: TokenStream) -> bool {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut pairs = trees.windows(2);
    pairs.any(|pair| is_ident(&pair[0], "fn") && is_punct(&pair[1], '$'))
}

/// What stands behind `fn`, `type` and `const`.
fn defined(stream: TokenStream) -> Vec<String> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let named = |pair: &[TokenTree]| {
        let mut words = ["fn", "type", "const"].iter();
        match &pair[1] {
            TokenTree::Ident(name) if words.any(|word| is_ident(&pair[0], word)) => {
                Some(source::plain_name(&name.to_string()).to_owned())
            }
            _ => None,
        }
    };
    trees.windows(2).filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What can go of the rules in a text, as it is written.
    fn parts_of(rule: &str) -> Vec<String> {
        let text = format!("macro_rules! m {{ ($n:ident, $($t:ty),*) => {{ {rule} }}; }}");
        let found = parts(&text)
            .into_iter()
            .filter(|part| part.all_of.is_none());
        found.map(|part| text[part.range].to_owned()).collect()
    }

    #[test]
    fn impls_of_traits_and_what_has_a_name_can_go() {
        let rule = "pub struct $n(u8); #[x] /// y\nimpl a::T<$n> for $n { type A = u8; fn f() {} } impl<'a> $n { pub(crate) const fn g() {} fn $h() {} \
                    const C: u8 = 1; #[inline] pub fn i<T: Fn() -> u8>(&self) -> impl Iterator<Item = u8> { j() } } unsafe impl<T> U for $n<T> {} fn k() {} const L: u8 = 2;";
        assert_eq!(
            parts_of(rule),
            [
                "#[x] /// y\nimpl a::T<$n> for $n { type A = u8; fn f() {} }",
                "pub(crate) const fn g() {}",
                "const C: u8 = 1;",
                "#[inline] pub fn i<T: Fn() -> u8>(&self) -> impl Iterator<Item = u8> { j() }",
                "unsafe impl<T> U for $n<T> {}",
                "fn k() {}",
            ]
        );
        // These count without code, or a call tells what they are.
        let rule = "struct S; impl Drop for $n {} impl<T> core::marker::Copy for $n<T> {} impl $t for S {} trait T { fn f() {} }";
        assert!(parts_of(rule).is_empty());
        // Where the calls tell which traits there are, it is known, and where those of a macro do that passes it on.
        let rule = "struct S; $( impl $t for S { fn f() {} } impl $t<u8> for S { fn $f() {} } )*";
        let text = |call: &str| {
            format!("macro_rules! m {{ ($n:ident, $($t:ident),*) => {{ {rule} }}; }} {call}")
        };
        let of_calls = |call: &str| {
            let text = text(call);
            let found = parts(&text).into_iter();
            found
                .map(|part| text[part.range].to_owned())
                .collect::<Vec<_>>()
        };
        let both = [
            "impl $t for S { fn f() {} }",
            "impl $t<u8> for S { fn $f() {} }",
        ];
        assert_eq!(of_calls("m!(A, Add, Sub); mod n { m!(B, Mul); }"), both);
        assert!(of_calls("m!(A, Add); m!(B, Copy);").is_empty());
        let passed_on = "m!(A, Add); macro_rules! n { ($t:ident) => { m!(B, $t); } }";
        assert!(of_calls(passed_on).is_empty());
        assert_eq!(of_calls(&format!("{passed_on} n!(Mul);")), both);
        assert!(of_calls(&format!("{passed_on} n!(Copy);")).is_empty());
        // What is repeated has to say how often, or goes with the brackets.
        let rule = "struct S; $( impl T for $t { fn f() {} } )* $( impl T for $t {} impl U for $t {} )* $( impl $t { const C: u8 = 0; fn g() {} } )*";
        let whole = "$( impl T for $t { fn f() {} } )*";
        assert_eq!(parts_of(rule), [whole, "const C: u8 = 0;", "fn g() {}"]);
        // A call of what makes nothing else can go as a whole.
        assert!(parts_of("impl T for $n {} impl U for $n {}").is_empty());
        // What is in another part goes with it.
        let rule = "struct S; fn f() { macro_rules! n { ($a:ty) => { struct U; fn g() {} } } }";
        assert_eq!(parts_of(rule).len(), 1);
    }

    #[test]
    fn macros_that_make_nothing_go_with_their_calls() {
        let shell = "macro_rules! m { () => {}; ($a:ident $($b:ident)*) => { m!($($b)*); }; }";
        let left = |text: &str| without_shells(text.to_owned()).unwrap();
        let rest = "fn main() { }";
        assert_eq!(
            left(&format!("{shell} m!(A B); {rest} m! {{ C }}")).trim(),
            rest
        );
        // One makes something, one is called where nobody sees it, and one is passed on.
        for other in [
            format!(
                "{} m!(A B); {rest}",
                shell.replace("() => {}", "() => { struct S; }")
            ),
            format!("{shell} m!(A B); fn main() {{ m!(); }}"),
            format!("mod n {{ {shell} pub(crate) use m; }} n::m!(A B); {rest}"),
        ] {
            assert_eq!(left(&other), other);
        }
    }

    const LIBRARY: &str = "
mod io {
    pub struct Input(pub Vec<u8>);
    pub trait Read {
        fn read(input: &mut Input) -> Self;
    }
}
macro_rules! modular {
    ($name:ident, $by:expr) => {
        #[derive(Clone, Copy)]
        pub struct $name(u32);

        impl $name {
            pub fn new(of: u32) -> Self {
                Self(of % $by)
            }

            // Not called.
            pub fn inverse(self) -> Self {
                let mut of = self;
                for _ in 3..$by {
                    of = of * self;
                }
                of
            }
        }

        impl std::ops::Mul for $name {
            type Output = Self;

            fn mul(self, by: Self) -> Self {
                Self::new(self.0 * by.0)
            }
        }

        impl std::ops::Div for $name {
            type Output = Self;

            fn div(self, by: Self) -> Self {
                self * by.inverse()
            }
        }

        impl crate::io::Read for $name {
            fn read(input: &mut crate::io::Input) -> Self {
                Self::new(input.0.pop().map_or(0, u32::from))
            }
        }

        impl From<$name> for u32 {
            fn from(of: $name) -> u32 {
                of.0
            }
        }
    };
}
modular!(Five, 5);
modular!(Seven, 7);
";

    #[test]
    fn an_impl_may_have_stayed_for_what_goes() {
        let is_looked_at_again = |main: &str| {
            let text = format!(
                "use std::ops::Add; struct A(u8); mod t {{ pub trait T {{ fn t(&self) -> u8; fn u(&self) -> u8 {{ 0 }} }} }}\n\
                 impl Add for A {{ type Output = A; fn add(self, other: A) -> A {{ A(self.0 + other.0) }} }}\n\
                 macro_rules! make {{ ($t:ty) => {{\nimpl t::T for $t {{ fn t(&self) -> u8 {{ 1 }} }}\n\
                 impl Add<$t> for A {{ type Output = A; fn add(self, other: $t) -> A {{ self + A(other) }} }}\n}} }}\nmake!(u8);\nfn main() {{ {main} }}\n"
            );
            let scratch = tempfile::tempdir().unwrap();
            match without_idle(&Compiler::new(scratch.path()), &text).unwrap() {
                Looked::Less(left) => left.has_dead,
                Looked::All(_) => panic!("nothing goes"),
            }
        };
        assert!(is_looked_at_again(
            "use t::T; print!(\"{}\", A(2).0 + 1u8.t() + 1u8.u());"
        ));
        let added = "use t::T; print!(\"{}\", (A(2) + A(3)).0 + 1u8.t() + 1u8.u());";
        assert!(!is_looked_at_again(added));
    }

    /// What the macro makes when the program says this, without what the program does not need: the names of the functions, and whether
    /// more is dead then.
    fn left_of(main: &str) -> (Vec<String>, bool) {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let text = format!("{LIBRARY}fn main() {{ {main} }}\n");
        let Looked::Less(left) = without_idle(&compiler, &text).unwrap() else {
            return (Vec::new(), false);
        };
        let rule = left.text.split("macro_rules!").nth(1).unwrap();
        let rule = rule.split("modular!(").next().unwrap();
        let names = rule.split("fn ").skip(1);
        let names = names.filter_map(|rest| source::words(rest).next());
        (names.map(str::to_owned).collect(), left.has_dead)
    }

    #[test]
    fn what_no_call_of_a_macro_needs_goes() {
        let (left, has_dead) = left_of("print!(\"{}\", (Five::new(8) * Five::new(4)).0);");
        assert_eq!(left, ["new", "mul"]);
        assert!(has_dead);
        // One of the calls is enough.
        let main =
            "print!(\"{}\", (Five::new(8) * Five::new(4)).0 + (Seven::new(2) / Seven::new(3)).0);";
        assert_eq!(left_of(main).0, ["new", "inverse", "mul", "div"]);
        // A bound asks for one of which there is no code.
        let main = "fn f<T: Into<u32>>(_: &T) -> u8 { 1 } print!(\"{}\", f(&Five::new(1)));";
        assert_eq!(left_of(main).0, ["new", "from"]);
        let main = "print!(\"{}\", (Five::new(8) / Five::new(4)).0 + u32::from(Five::new(1))); \
                    let _ = <Seven as io::Read>::read(&mut io::Input(Vec::new())).0;";
        assert!(left_of(main).0.is_empty());
    }

    #[test]
    fn of_impls_with_nothing_beside_them_one_stays() {
        let text = "trait A { fn a(self) -> u8; } trait B { fn b(self) -> u8; }
macro_rules! both { ($($t:ty)*) => { $(
    impl A for $t {
        fn a(self) -> u8 { 1 }
    }
    impl B for $t {
        fn b(self) -> u8 { 2 }
    }
)* } }
both!(u8 u16);
";
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let left = |main: &str| {
            let text = format!("{text}fn main() {{ {main} }}\n");
            match without_idle(&compiler, &text).unwrap() {
                Looked::Less(left) => Some(left.text.contains("fn a(self) -> u8 {")),
                Looked::All(_) => None,
            }
        };
        assert_eq!(left("print!(\"{}\", 1u8.b());"), Some(false));
        assert_eq!(left("print!(\"{}\", 1u8.a());"), Some(true));
        assert_eq!(left("print!(\"{}\", 1u8.a() + 2u16.b());"), None);
        assert_eq!(left("print!(\"{}\", 1);"), None);
    }

    #[test]
    fn what_is_on_one_line_is_told_apart() {
        let text = "trait A { fn a(&self) -> u8; fn b(&self) -> u8 { 1 } fn c() -> u8; }
macro_rules! all { ($($t:ty),*) => { $(impl A for $t { fn a(&self) -> u8 { 3 } fn b(&self) -> u8 { 4 } fn c() -> u8 { 5 } })* } }
all!(u8, u16);
fn main() { print!(\"{}\", 1u8.a()); }
";
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let Looked::Less(left) = without_idle(&compiler, text).unwrap() else {
            panic!("nothing goes");
        };
        let rule = left.text.lines().nth(1).unwrap();
        assert_eq!(rule, "macro_rules! all { ($($t:ty),*) => { $(impl A for $t { fn a(&self) -> u8 { 3 } })* } }");
    }

    #[test]
    fn what_a_trait_asks_for_goes_with_what_its_impls_have() {
        let text = "trait Bits { const WIDTH: u32; fn bit(at: u32) -> Self; fn is_set(&self, at: u32) -> bool; fn twice(self) -> Self; }
macro_rules! bits { ($($t:ty)*) => { $( impl Bits for $t {
    const WIDTH: u32 = <$t>::BITS;
    fn bit(at: u32) -> Self { 1 << at }
    // Whether it is one.
    fn is_set(&self, at: u32) -> bool { self & Self::bit(at) > 0 }
    fn twice(self) -> Self { self << 1 }
} )* } }
bits!(u8 u32);
struct S(u8);
impl Bits for S {
    const WIDTH: u32 = 8;
    fn bit(at: u32) -> Self { S(1 << at) }
    fn is_set(&self, at: u32) -> bool { self.0 >> at & 1 > 0 }
    fn twice(self) -> Self { S(self.0 << 1) }
}
";
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let left = |main: &str| {
            let text = format!("{text}fn main() {{ {main} }}\n");
            match without_idle(&compiler, &text).unwrap() {
                Looked::Less(left) => left.text,
                Looked::All(_) => text,
            }
        };
        let now = left("print!(\"{} {}\", u8::bit(3), S::bit(1).0);");
        for name in ["is_set", "twice", "Whether", "WIDTH"] {
            assert!(!now.contains(name), "{now}");
        }
        assert_eq!(now.matches("fn bit").count(), 3, "{now}");
        let now = left("print!(\"{} {}\", u8::bit(3), u32::WIDTH);");
        assert_eq!(now.matches("WIDTH: u32").count(), 3, "{now}");
        // The one method of the three that is called is that of no macro.
        let now = left("print!(\"{}\", S(1).twice().0);");
        assert_eq!(now.matches("fn twice").count(), 3, "{now}");
        assert!(!now.contains("is_set"), "{now}");
        // What is there in some calls alone goes with its brackets.
        let maybe = "trait T { const A: u8 = 1; const B: u8; fn f() -> u8 { Self::B } } macro_rules! t { ($($t:ty $(, $a:expr)?);*) => { $( impl T for $t { $(const A: u8 = $a;)? const B: u8 = 2; } )* } } \
                     t!(u8; u16, 3); fn main() { print!(\"{}\", u8::f() + u16::f()); }";
        let Looked::Less(left) = without_idle(&compiler, maybe).unwrap() else {
            panic!("{maybe}");
        };
        assert!(
            left.text.contains("impl T for $t { const B: u8 = 2; }"),
            "{}",
            left.text
        );
        // The same where the call names the trait, and where that is public in the root.
        for (of, with) in [
            ("impl Bits for $t {", "impl $of for $t {"),
            ("trait Bits", "pub trait Bits"),
        ] {
            let named = text.replace("bits { ($($t", "bits { ($of:ident: $($t");
            let text = named
                .replace("bits!(u8", "bits!(Bits: u8")
                .replace(of, with);
            let text = format!("{text}fn main() {{ print!(\"{{}}\", u8::bit(3)); }}\n");
            let Looked::Less(left) = without_idle(&compiler, &text).unwrap() else {
                panic!("{text}");
            };
            assert!(
                !left.text.contains("twice") && !left.text.contains("WIDTH"),
                "{}",
                left.text
            );
        }
    }
}
