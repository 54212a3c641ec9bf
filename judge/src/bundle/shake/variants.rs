//! Variants of other people's enums that nothing makes any more, with the arms for them.
//!
//! The compiler calls such a variant dead; the rest of the bundler takes out items only. With a variant goes every arm whose pattern has it,
//! and every `if let` of it that has no other effect: none of these ever runs. All that names the variant has to be in one of these, so that
//! nothing can make it; what else is dead without them the next look at the text finds.
//!
//! A variant stays where its being there can be told: by a number (`as`, `Hash`, `mem::discriminant`), by an attribute, or by bytes. An arm
//! stays where what is left could mean something else without it: a number whose type it alone tells, what a closure takes over with it, a
//! `&str` or a `Box<dyn Trait>` that the other arms become with it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Pair;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, Block, Expr, ExprAsync, ExprClosure, ExprForLoop, ExprLoop, ExprMatch,
    ExprReturn, ExprWhile, Fields, File, ImplItemFn, Item, ItemEnum, ItemFn, ItemImpl, Lit, Macro,
    Pat, Path, ReturnType, Stmt, TraitItemFn, Type, TypeParam, UnOp, Variant,
};

use super::follow::{Meaning, Names};
use super::hollow::HARMLESS;
use crate::bundle::text::index::{Index, Sort};
use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::{is_ident, is_punct};

/// What is derived and does not tell how many variants there are.
const DERIVED: [&str; 7] = [
    "Clone",
    "Copy",
    "Debug",
    "Eq",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// Attributes of an enum that say nothing about its variants.
const PLAIN: [&str; 4] = ["allow", "doc", "must_use", "non_exhaustive"];

/// Where these words are, the numbers or the bytes of a variant may be asked for.
const TELLING: [&str; 2] = ["discriminant", "transmute"];

/// Where one's own code has one of these, it may ask how many bytes there are, whether there are some (what has none may have any address),
/// and whether threads can share them. Other people's does with the answer what is right for any.
const TELLING_IN_OWN: [&str; 14] = [
    "Layout",
    "RefUnwindSafe",
    "Send",
    "Sync",
    "Unpin",
    "UnwindSafe",
    "addr_eq",
    "align_of",
    "align_of_val",
    "needs_drop",
    "offset_of",
    "ptr_eq",
    "size_of",
    "size_of_val",
];

/// The same, where a word alone may be anything.
const TELLING_CALLS: [&str; 2] = [".capacity()", "ptr::eq"];

/// Traits whose impls tell what it is to dereference something.
const DEREF: [&str; 2] = ["Deref", "DerefMut"];

/// What is made when it is dereferenced for the first time.
const LAZY: [&str; 3] = ["Lazy", "LazyCell", "LazyLock"];

/// What comes before the name of a type, or of what may be before `::` in a pattern as one is.
const DEFINING: [&str; 7] = ["as", "enum", "mod", "struct", "trait", "type", "union"];

/// A variant by the name of its enum and its own.
type Name = (String, String);

/// The text without the variants that nothing makes; `None` if there are none of which that is sure.
pub fn without_unmade(text: &str) -> Result<Option<String>> {
    let file = source::parsed(text)?;
    let mut words = Words::default();
    let tokens = text.parse().map_err(syn::Error::from)?;
    words.add(tokens);
    words.add_arguments(&file);
    let mut own = Words::default();
    let mut asks = false;
    for item in file.items.iter().filter(|item| !is_silenced(item)) {
        let tokens = item.to_token_stream();
        let text: String = tokens.to_string().split_whitespace().collect();
        asks |= TELLING_CALLS.iter().any(|asking| text.contains(asking));
        own.add(tokens);
    }
    if asks
        || TELLING.iter().any(|word| words.has(word))
        || TELLING_IN_OWN.iter().any(|word| own.has(word))
        || has_own(&HARMLESS, text)?
    {
        return Ok(None);
    }
    let mut found = Enums::default();
    found.visit_silenced(&file);
    let mut dead = found.possible();
    dead.retain(|(of, _)| words.definitions.get(of) == Some(&1) && !words.measured.contains(of));
    if dead.is_empty() {
        return Ok(None);
    }
    let index = Index::new(text)?;
    let names = Names::new(&index);
    // What names one may be in an arm of another.
    loop {
        let mut look = Look {
            index: &index,
            names: &names,
            dead: &dead,
            derefs: !words.may_deref,
            impl_for: None,
            is_in_function: false,
            is_typed: false,
            typed: BTreeSet::new(),
            gone: Vec::new(),
        };
        look.visit_silenced(&file);
        let mut gone = look.gone;
        let definitions = found.definitions(&dead);
        gone.extend(definitions.into_iter().flatten());
        let is_gone = |at: &Range<usize>| gone.iter().any(|of| contains(of, at));
        let size = dead.len();
        let still: BTreeSet<Name> = dead
            .iter()
            .filter(|(_, name)| words.at(name).iter().all(is_gone))
            .cloned()
            .collect();
        dead = found.without_gaps(still);
        if dead.is_empty() {
            return Ok(None);
        }
        if dead.len() == size {
            let mut edits = Edits::default();
            for at in gone {
                edits.delete(at);
            }
            return Ok(Some(edits.apply(text)));
        }
    }
}

/// Whether a text has macros of its own by some of these names.
fn has_own(names: &[&str], text: &str) -> syn::Result<bool> {
    let mut found = false;
    let mut look = |name: &Ident, _: &Group| found |= names.iter().any(|known| name == known);
    source::macro_definitions(text.parse()?, &mut look);
    Ok(found)
}

/// Where names occur, in macros too.
#[derive(Default)]
struct Words {
    places: BTreeMap<String, Vec<Range<usize>>>,
    /// How many types, modules and the like are so called.
    definitions: BTreeMap<String, usize>,
    /// To dereference something may do more than that.
    may_deref: bool,
    /// What is named where somebody asks how many bytes it has.
    measured: BTreeSet<String>,
}

/// Who gives that.
const MEASURING: [&str; 2] = ["align_of", "size_of"];

impl Words {
    fn add(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            let word = match tree {
                TokenTree::Ident(word) => word,
                TokenTree::Group(group) => {
                    self.add(group.stream());
                    continue;
                }
                _ => continue,
            };
            let before = at.checked_sub(1).map(|before| &trees[before]);
            if DEFINING.iter().any(|word| is_ident(before, word)) {
                *self.definitions.entry(word.to_string()).or_default() += 1;
            }
            let is_bound = (is_punct(before, ':') || is_punct(before, '+'))
                && !is_ident(trees.get(at + 1), "for");
            self.may_deref |= match () {
                () if DEREF.iter().any(|name| word == name) => !is_bound,
                () => LAZY.iter().any(|name| word == name),
            };
            let found = self.places.entry(word.to_string()).or_default();
            found.push(word.span().byte_range());
            if MEASURING.iter().any(|name| word == name) {
                let argument = trees[at + 1..].iter();
                let argument = argument.take_while(|tree| !matches!(tree, TokenTree::Group(_)));
                self.measured.extend(argument.map(ToString::to_string));
            }
        }
    }

    /// Arguments are defined without a word for it.
    fn add_arguments(&mut self, file: &File) {
        struct Arguments<'w>(&'w mut Words);
        impl<'ast> Visit<'ast> for Arguments<'_> {
            fn visit_type_param(&mut self, argument: &'ast TypeParam) {
                let name = argument.ident.to_string();
                *self.0.definitions.entry(name).or_default() += 1;
                visit::visit_type_param(self, argument);
            }
        }
        Arguments(self).visit_file(file);
    }

    fn has(&self, word: &str) -> bool {
        self.places.contains_key(word)
    }

    fn at(&self, word: &str) -> &[Range<usize>] {
        self.places.get(word).map_or(&[], Vec::as_slice)
    }
}

/// Whether an item is the module of a crate that others wrote.
pub fn is_silenced(item: &Item) -> bool {
    let is_silent = |attribute: &Attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text.replace(' ', "") == "allow(warnings)"
    };
    matches!(item, Item::Mod(module) if module.attrs.iter().any(is_silent))
}

/// Looks at what other people wrote.
trait VisitSilenced<'ast>: Visit<'ast> {
    fn visit_silenced(&mut self, file: &'ast File) {
        let silenced = file.items.iter().filter(|item| is_silenced(item));
        silenced.for_each(|item| self.visit_item(item));
    }
}

impl<'ast, V: Visit<'ast>> VisitSilenced<'ast> for V {}

/// The enums by name: there may be several of one.
#[derive(Default)]
struct Enums<'ast>(BTreeMap<String, Vec<&'ast ItemEnum>>);

impl<'ast> Visit<'ast> for Enums<'ast> {
    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        let found = self.0.entry(item.ident.to_string()).or_default();
        found.push(item);
    }
}

impl Enums<'_> {
    /// The variants that may go if nothing makes them.
    fn possible(&self) -> BTreeSet<Name> {
        let mut found = BTreeSet::new();
        for (name, items) in &self.0 {
            let [item] = items[..] else { continue };
            let is_plain = |variant: &Variant| {
                let mut attributes = variant.attrs.iter();
                variant.discriminant.is_none() && attributes.all(|a| a.path().is_ident("doc"))
            };
            let all_plain = item.variants.iter().all(is_plain);
            if all_plain && item.attrs.iter().all(says_nothing) {
                let variants = item.variants.iter();
                found.extend(variants.map(|variant| (name.clone(), variant.ident.to_string())));
            }
        }
        found
    }

    /// Without those that others of an enum would be counted otherwise without, and without those that are all of one.
    fn without_gaps(&self, mut dead: BTreeSet<Name>) -> BTreeSet<Name> {
        for (name, items) in &self.0 {
            let variants = items.iter().flat_map(|item| &item.variants);
            // A cast to a number is allowed where no variant has fields.
            let is_counted = variants.clone().all(|variant| match &variant.fields {
                Fields::Unit => true,
                fields => fields.is_empty(),
            });
            let key = |variant: &Variant| (name.clone(), variant.ident.to_string());
            let is_dead = |variant: &&Variant| dead.contains(&key(variant));
            let last = variants.clone().rfind(|variant| !is_dead(variant));
            let stays: Vec<Name> = match last {
                None => variants.map(key).collect(),
                Some(last) if is_counted => {
                    let before = variants.take_while(|variant| variant.ident != last.ident);
                    before.map(key).collect()
                }
                Some(_) => continue,
            };
            for name in stays {
                dead.remove(&name);
            }
        }
        dead
    }

    /// Where these are defined.
    fn definitions<'a>(&'a self, dead: &'a BTreeSet<Name>) -> Vec<Vec<Range<usize>>> {
        let items = self.0.values().flatten();
        let ranges = items.map(|item| {
            let of = item.ident.to_string();
            let pairs = item.variants.pairs();
            let gone = pairs.filter(|pair| {
                let name = (of.clone(), pair.value().ident.to_string());
                dead.contains(&name)
            });
            gone.map(|pair| match pair {
                Pair::Punctuated(variant, comma) => {
                    variant.span().byte_range().start..comma.span().byte_range().end
                }
                Pair::End(variant) => variant.span().byte_range(),
            })
            .collect()
        });
        ranges.collect()
    }
}

/// Whether an attribute of an enum does not depend on its variants.
fn says_nothing(attribute: &Attribute) -> bool {
    let path = attribute.path();
    if !path.is_ident("derive") {
        return PLAIN.iter().any(|name| path.is_ident(name));
    }
    let mut is_known = true;
    let parsed = attribute.parse_nested_meta(|meta| {
        let last = meta.path.segments.last();
        let is_one = |ident: &Ident| DERIVED.iter().any(|name| ident == name);
        is_known &= last.is_some_and(|segment| is_one(&segment.ident));
        Ok(())
    });
    parsed.is_ok() && is_known
}

/// Finds what only runs for variants that nothing makes.
struct Look<'a> {
    index: &'a Index<'a>,
    names: &'a Names,
    dead: &'a BTreeSet<Name>,
    /// To dereference something has no effect.
    derefs: bool,
    /// What `Self` is.
    impl_for: Option<String>,
    /// In the body of a function, and not in a closure there.
    is_in_function: bool,
    /// What it gives has one type, whatever its body is.
    is_typed: bool,
    /// Where the expressions begin of which the arms do not tell the type.
    typed: BTreeSet<usize>,
    gone: Vec<Range<usize>>,
}

impl Look<'_> {
    fn is_dead(&self, path: &Path) -> bool {
        let segments: Vec<&Ident> = path.segments.iter().map(|segment| &segment.ident).collect();
        let (Some((name, of)), None) = (segments.split_last(), path.leading_colon) else {
            return false;
        };
        let of = match of {
            [of] if *of == "Self" => self.impl_for.clone(),
            // Most paths end with the name of no such enum.
            [.., last] if self.dead.iter().any(|(of, _)| *last == of) => self.meant(of),
            _ => None,
        };
        of.is_some_and(|of| self.dead.contains(&(of, name.to_string())))
    }

    /// The name of the one type in the text that a path leads to, where that is sure.
    fn meant(&self, path: &[&Ident]) -> Option<String> {
        let at = path.first()?.span().byte_range();
        let names: Vec<String> = path.iter().map(|name| name.to_string()).collect();
        let from = self.index.innermost(&at);
        match self.names.meaning(self.index, from, &names) {
            Meaning::Items(items) => match items[..] {
                [item] if self.index.nodes[item].sort == Sort::Type => {
                    Some(self.index.nodes[item].name.clone())
                }
                _ => None,
            },
            Meaning::Unknown => None,
        }
    }

    /// Whether a pattern never fits.
    fn never_fits(&self, pattern: &Pat) -> bool {
        match pattern {
            Pat::Or(any) => any.cases.iter().all(|case| self.never_fits(case)),
            Pat::Path(of) => of.qself.is_none() && self.is_dead(&of.path),
            Pat::TupleStruct(of) => {
                of.qself.is_none() && self.is_dead(&of.path)
                    || of.elems.iter().any(|part| self.never_fits(part))
            }
            Pat::Struct(of) => {
                of.qself.is_none() && self.is_dead(&of.path)
                    || of.fields.iter().any(|field| self.never_fits(&field.pat))
            }
            Pat::Tuple(of) => of.elems.iter().any(|part| self.never_fits(part)),
            Pat::Reference(of) => self.never_fits(&of.pat),
            Pat::Paren(of) => self.never_fits(&of.pat),
            Pat::Ident(of) => {
                let inside = of.subpat.as_ref();
                inside.is_some_and(|(_, inside)| self.never_fits(inside))
            }
            _ => false,
        }
    }

    /// Whether an expression may as well not be there.
    fn has_no_effect(&self, value: &Expr) -> bool {
        match value {
            // To name a constant may make something that is dropped.
            Expr::Path(of) => of.path.get_ident().is_some_and(is_variable),
            Expr::Paren(of) => self.has_no_effect(&of.expr),
            Expr::Reference(of) => self.has_no_effect(&of.expr),
            Expr::Field(of) => self.has_no_effect(&of.base),
            Expr::Unary(of) => {
                self.derefs && matches!(of.op, UnOp::Deref(_)) && self.has_no_effect(&of.expr)
            }
            _ => false,
        }
    }

    /// Looks at a function: nothing of it goes where a number that stays might have another type then.
    fn function(&mut self, output: &ReturnType, body: &Block, look: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.is_in_function, true);
        let is_named = |of: &Type| {
            !source::words(&of.to_token_stream().to_string()).any(|word| word == "impl")
        };
        let is_typed = match output {
            ReturnType::Default => true,
            ReturnType::Type(_, of) => is_named(of),
        };
        if is_typed {
            self.has_types(body);
        }
        let around_typed = std::mem::replace(&mut self.is_typed, is_typed);
        let before = self.gone.len();
        look(self);
        self.is_in_function = around;
        self.is_typed = around_typed;
        let gone = &self.gone[before..];
        let stays = |at: &Range<usize>| !gone.iter().any(|of| contains(of, at));
        if open_numbers(body.to_token_stream()).iter().any(stays) {
            self.gone.truncate(before);
        }
    }

    /// Takes in that the type of what a block comes to is known.
    fn has_types(&mut self, block: &Block) {
        if let Some(Stmt::Expr(last, None)) = block.stmts.last() {
            self.has_type(last);
        }
    }

    /// Takes in that the type of an expression is known, and so that of what it may come to.
    fn has_type(&mut self, value: &Expr) {
        match value {
            Expr::Match(of) => {
                self.typed.insert(of.match_token.span.byte_range().start);
                of.arms.iter().for_each(|arm| self.has_type(&arm.body));
            }
            Expr::If(of) => {
                self.has_types(&of.then_branch);
                if let Some((_, other)) = &of.else_branch {
                    self.has_type(other);
                }
            }
            Expr::Block(of) => self.has_types(&of.block),
            Expr::Unsafe(of) => self.has_types(&of.block),
            Expr::Paren(of) => self.has_type(&of.expr),
            Expr::Assign(of) => self.has_type(&of.right),
            _ => {}
        }
    }

    fn arm(&mut self, arm: &Arm, is_typed: bool) {
        if self.never_fits(&arm.pat) && (is_typed || !may_coerce(&arm.body)) {
            let end = arm.comma.map(|comma| comma.span().byte_range().end);
            let arm = arm.span().byte_range();
            self.gone.push(arm.start..end.unwrap_or(arm.end));
            return;
        }
        let Pat::Or(any) = &arm.pat else { return };
        // With a sign beside it: the one before, unless all before are gone.
        let mut is_first = true;
        let mut sign_before = None;
        for pair in any.cases.pairs() {
            let sign = pair.punct().map(|sign| sign.span().byte_range());
            let case = pair.value().span().byte_range();
            if self.never_fits(pair.value()) {
                let (start, end) = match (is_first, &sign_before, &sign) {
                    (false, Some(before), _) => (Range::<usize>::clone(before).start, case.end),
                    (_, _, Some(behind)) => (case.start, behind.end),
                    _ => (case.start, case.end),
                };
                self.gone.push(start..end);
            } else {
                is_first = false;
            }
            sign_before = sign;
        }
    }
}

/// Macros that never come back or make something of a type of its own.
const MAKING: [&str; 6] = [
    "format",
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
];

/// Whether other arms may become what this one is: a reference or something like one, or a function.
fn may_coerce(value: &Expr) -> bool {
    let is_made = |path: &Path| {
        let last = path.segments.last().map(|last| last.ident.to_string());
        last.is_some_and(|last| {
            last.starts_with(char::is_uppercase) && last.contains(char::is_lowercase)
        })
    };
    let is_plain = |mac: &Macro| MAKING.iter().any(|name| mac.path.is_ident(name));
    match value {
        Expr::Lit(of) => matches!(of.lit, Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_)),
        Expr::Path(of) => !is_made(&of.path),
        Expr::Call(of) => !matches!(&*of.func, Expr::Path(of) if is_made(&of.path)),
        Expr::Macro(of) => !is_plain(&of.mac),
        Expr::Block(of) => match of.block.stmts.last() {
            Some(Stmt::Expr(last, None)) => may_coerce(last),
            Some(Stmt::Macro(of)) if of.semi_token.is_none() => !is_plain(&of.mac),
            _ => false,
        },
        Expr::Paren(of) => may_coerce(&of.expr),
        Expr::Unary(of) => matches!(of.op, UnOp::Deref(_)),
        Expr::Binary(_)
        | Expr::Break(_)
        | Expr::Continue(_)
        | Expr::Return(_)
        | Expr::Struct(_)
        | Expr::Tuple(_) => false,
        _ => true,
    }
}

fn is_variable(name: &Ident) -> bool {
    name.to_string()
        .starts_with(|c: char| c.is_lowercase() || c == '_')
}

fn contains(range: &Range<usize>, other: &Range<usize>) -> bool {
    range.start <= other.start && other.end <= range.end
}

/// Whether a number behind these is the name of a field.
fn is_field(before: &[TokenTree]) -> bool {
    let is_dot = |back: usize| {
        let at = before.len().checked_sub(back);
        is_punct(at.and_then(|at| before.get(at)), '.')
    };
    is_dot(1) && !is_dot(2)
}

/// The numbers without a type, and the macros that may make some.
fn open_numbers(stream: TokenStream) -> Vec<Range<usize>> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut found = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        let is_open = match tree {
            TokenTree::Literal(_) if is_field(&trees[..at]) => false,
            TokenTree::Literal(literal) => match Lit::new(literal.clone()) {
                Lit::Int(number) => number.suffix().is_empty(),
                Lit::Float(number) => number.suffix().is_empty(),
                _ => false,
            },
            TokenTree::Group(group) => {
                found.extend(open_numbers(group.stream()));
                let is_harmless =
                    |tree: &TokenTree| HARMLESS.iter().any(|name| is_ident(tree, name));
                source::is_macro(&trees, at) && !is_harmless(&trees[at - 2])
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => false,
        };
        if is_open {
            found.push(tree.span().byte_range());
        }
    }
    found
}

impl<'ast> Visit<'ast> for Look<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let output = &item.sig.output;
        self.function(output, &item.block, |this| visit::visit_item_fn(this, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        let output = &item.sig.output;
        self.function(output, &item.block, |this| {
            visit::visit_impl_item_fn(this, item)
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(block) = &item.default {
            let output = &item.sig.output;
            self.function(output, block, |this| visit::visit_trait_item_fn(this, item));
        }
    }

    fn visit_expr_for_loop(&mut self, of: &'ast ExprForLoop) {
        self.has_types(&of.body);
        visit::visit_expr_for_loop(self, of);
    }

    fn visit_expr_loop(&mut self, of: &'ast ExprLoop) {
        self.has_types(&of.body);
        visit::visit_expr_loop(self, of);
    }

    fn visit_expr_while(&mut self, of: &'ast ExprWhile) {
        self.has_types(&of.body);
        visit::visit_expr_while(self, of);
    }

    fn visit_expr_return(&mut self, of: &'ast ExprReturn) {
        if let (true, Some(value)) = (self.is_typed, &of.expr) {
            self.has_type(value);
        }
        visit::visit_expr_return(self, of);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let around = std::mem::replace(&mut self.is_in_function, false);
        visit::visit_expr_closure(self, closure);
        self.is_in_function = around;
    }

    fn visit_expr_async(&mut self, block: &'ast ExprAsync) {
        let around = std::mem::replace(&mut self.is_in_function, false);
        visit::visit_expr_async(self, block);
        self.is_in_function = around;
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let name = match &*item.self_ty {
            Type::Path(of) if of.qself.is_none() && of.path.leading_colon.is_none() => {
                let segments = of.path.segments.iter();
                self.meant(&segments.map(|segment| &segment.ident).collect::<Vec<_>>())
            }
            _ => None,
        };
        let around = std::mem::replace(&mut self.impl_for, name);
        visit::visit_item_impl(self, item);
        self.impl_for = around;
    }

    fn visit_expr_match(&mut self, found: &'ast ExprMatch) {
        if self.is_in_function {
            let start = found.match_token.span.byte_range().start;
            let is_typed = self.typed.contains(&start);
            for arm in &found.arms {
                self.arm(arm, is_typed);
            }
        }
        visit::visit_expr_match(self, found);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        for (at, statement) in block.stmts.iter().enumerate() {
            match statement {
                Stmt::Expr(value, end) if end.is_some() || at + 1 < block.stmts.len() => {
                    self.has_type(value);
                }
                Stmt::Local(local) => {
                    let is_open = |of: &Type| {
                        let of = of.to_token_stream().to_string();
                        let mut words = source::words(&of);
                        words.any(|word| word == "_")
                    };
                    if let (Pat::Type(of), Some(init)) = (&local.pat, &local.init) {
                        if !is_open(&of.ty) {
                            self.has_type(&init.expr);
                        }
                    }
                }
                _ => {}
            }
        }
        visit::visit_block(self, block);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let found = match statement {
            Stmt::Expr(Expr::If(found), _) if self.is_in_function => Some(found),
            _ => None,
        };
        if let Some(found) = found {
            if let (Expr::Let(asked), None) = (&*found.cond, &found.else_branch) {
                if self.never_fits(&asked.pat) && self.has_no_effect(&asked.expr) {
                    self.gone.push(statement.span().byte_range());
                }
            }
        }
        visit::visit_stmt(self, statement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of an enum with functions on it, by its words.
    fn left(text: &str) -> Option<String> {
        let text = format!("#[allow(warnings)] mod m {{ {text} }}");
        let left = without_unmade(&text).unwrap()?;
        let left = left.split_once('{').unwrap().1.rsplit_once('}').unwrap().0;
        Some(left.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    const E: &str = "enum E { A(u8), B(u8), C } fn f() -> E { E::A(1u8) }";

    #[test]
    fn what_nothing_makes_goes_with_its_arms() {
        let with = |more: &str| left(&format!("{E} {more}"));
        let begin = "enum E { A(u8), } fn f() -> E { E::A(1u8) }";
        let cases = [
            (
                "fn g(e: E) { match e { E::A(x) => a(x), E::B(x) => b(x), E::C => {} } }",
                "fn g(e: E) { match e { E::A(x) => a(x), } }",
            ),
            (
                "fn g(e: E) { let v = match e { E::A(_) => &a, E::B(_) => panic!(), E::C => None }; v.c() }",
                "fn g(e: E) { let v = match e { E::A(_) => &a, }; v.c() }",
            ),
            (
                "fn g(e: E) -> Box<dyn D> { let v: &str = match e { E::A(_) => &a, E::B(_) => b, E::C => c }; if v { d } else { match e { E::A(_) => a, _ if x => y, E::B(_) => b } } }",
                "fn g(e: E) -> Box<dyn D> { let v: &str = match e { E::A(_) => &a, }; if v { d } else { match e { E::A(_) => a, _ if x => y, } } }",
            ),
            (
                "fn g(e: E) -> u8 { loop { if c { return match e { E::A(_) => a, E::B(x) => x, E::C => c }; } match e { E::A(_) => a(), E::B(_) => b(), E::C => {} } } }",
                "fn g(e: E) -> u8 { loop { if c { return match e { E::A(_) => a, }; } match e { E::A(_) => a(), } } }",
            ),
            (
                "fn g(e: E) { match e { E::B(_) | E::A(_) | E::C => a() } }",
                "fn g(e: E) { match e { E::A(_) => a() } }",
            ),
            (
                "fn g(e: E) { match e { E::C | E::B(_) | E::A(_) => a() } }",
                "fn g(e: E) { match e { E::A(_) => a() } }",
            ),
            (
                "mod n { use super::E as F; use super::*; fn g(e: &F) { match e { super::E::C => a(), crate::m::E::B(_) | E::A(_) => b() } } }",
                "mod n { use super::E as F; use super::*; fn g(e: &F) { match e { E::A(_) => b() } } }",
            ),
            // It makes one only of another one.
            (
                "impl E { fn g(e: &(Self, E)) -> E { match e { (Self::B(x), _) | (_, E::C) => E::B(x.h()), _ => f() } } }",
                "impl E { fn g(e: &(Self, E)) -> E { match e { _ => f() } } }",
            ),
            (
                "fn g(e: &Guard<E>) { if let E::B(_) = &**e { panic!(\"{}\", 1) } if let Some(E::C) = e.0 { } }",
                "fn g(e: &Guard<E>) { }",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(with(text), Some(format!("{begin} {expected}")), "{text}");
        }
        // Nothing names it at all.
        assert_eq!(with("").as_deref(), Some(begin));
    }

    #[test]
    fn what_might_be_made_or_told_stays() {
        let begin = "enum E { A(u8), B(u8), } fn f() -> E { E::A(1u8) }";
        let match_b = "match e { E::A(x) => a(x), E::B(x) => b(x) }";
        let cases = [
            "fn g() -> E { E::B(1) }".to_owned(),
            "use E::B; fn g() { h(B) }".to_owned(),
            "fn g() { make!(B) }".to_owned(),
            // The number might be another one.
            format!("fn g(e: E) {{ let n = 1; {match_b} }}"),
            format!("fn g(e: E) {{ let n = number!(); {match_b} }}"),
            // The other arm may become what it is.
            "fn g(e: E) { let v = match e { E::A(_) => &a, E::B(_) => b }; v.c() }".to_owned(),
            "fn g(e: E) { h(match e { E::A(_) => Box::new(A(1u8)), E::B(_) => b(x) }) }".to_owned(),
            "fn g(e: E) { match e { E::A(_) => a, E::B(_) => { b; \"x\" } }.c() }".to_owned(),
            "fn g(e: E) -> impl D { match e { E::A(_) => a, E::B(_) => b } }".to_owned(),
            "fn g(e: E) { let v: Vec<_> = match e { E::A(_) => a, E::B(_) => b }; }".to_owned(),
            // What it takes with it lives shorter.
            format!("fn g(e: E) {{ let h = || {match_b}; }}"),
            "fn g(e: E) { if let E::B(_) = h() {} }".to_owned(),
            "fn g() { if let E::B(_) = G {} } const G: E = f();".to_owned(),
            "fn g(e: E) { if let E::B(_) = e { a() } else { b() } }".to_owned(),
            "fn g(e: E) { if let E::B(_) = *e { a() } } impl Deref for G {}".to_owned(),
            "fn g(e: E) { if let Some(E::A(_) | E::B(_)) = e { a() } }".to_owned(),
            format!("const G: u8 = {match_b};"),
            // It is another one, with the same name.
            format!("mod n {{ use std::x::E; fn g(e: E) {{ {match_b} }} }}"),
            format!("fn g(e: x::E) {{ use std::x::E; {match_b} }}"),
            "mod n { use std::x; fn g(e: x::E) { match e { x::E::B(_) => a(), _ => b() } } }"
                .to_owned(),
            "mod n { use std::x::*; fn g(e: E) { match e { E::B(_) => a(), _ => b() } } }"
                .to_owned(),
            "fn g(e: ::x::E) { match e { ::x::E::B(_) => a(), _ => b() } }".to_owned(),
        ];
        for text in cases {
            let expected = format!("{begin} {text}");
            assert_eq!(
                left(&format!("{E} {text}")),
                Some(expected.clone()),
                "{text}"
            );
        }
        // Another one has the name of the enum.
        let others = [
            "mod n { pub struct E; impl E { const B: u8 = 1; } } fn g(e: n::E)",
            "fn g<E: Named>(e: E)",
        ];
        for other in others {
            let text = format!("{E} {other} {{ {match_b} }}");
            assert_eq!(left(&text), None, "{other}");
        }
        for more in [
            "fn g() { std::mem::discriminant(&f()); }",
            "fn g() { transmute(f()); }",
            "macro_rules! vec { () => {} }",
        ] {
            assert_eq!(left(&format!("{E} {more}")), None, "{more}");
        }
        // What others ask about something else; of it, nobody may.
        let asking = "fn g() -> usize { std::mem::size_of::<E>() }";
        assert_eq!(left(&format!("{E} {asking}")), None);
        let text = format!(
            "#[allow(warnings)] mod others {{ {E} fn g() -> usize {{ size_of::<Vec<F>>() }} }}"
        );
        assert!(without_unmade(&text).unwrap().is_some());
        let with = |more: &str| without_unmade(&format!("{text} {more}")).unwrap();
        for more in [
            asking,
            "fn g(v: Vec<E>) -> usize { v.capacity() }",
            "fn g(a: &E) -> bool { std::ptr::eq(a, a) }",
        ] {
            assert_eq!(with(more), None, "{more}");
        }
        let more = "fn g(ptr: usize, capacity: usize) -> usize { ptr + capacity }";
        assert!(with(more).is_some());
        for more in ["#[derive(Hash)]", "#[repr(u8)]", "#[derive(Clone, Other)]"] {
            assert_eq!(left(&format!("{more} {E}")), None, "{more}");
        }
        for text in [
            "enum E { A, B }",
            "enum E { A = 1, B }",
            "enum E { B, A } fn f() { E::A }",
            "enum E { A(u8), #[x] B } fn f() { E::A(1u8) }",
        ] {
            assert_eq!(left(text), None, "{text}");
        }
        let own = "enum E { A(u8), B } fn f() { E::A(1u8) }";
        assert_eq!(without_unmade(own).unwrap(), None);
        // One by which no other is counted.
        let last = left("#[derive(Debug, PartialOrd)] enum E { A, B } fn f() { E::A }");
        assert_eq!(
            last.as_deref(),
            Some("#[derive(Debug, PartialOrd)] enum E { A, } fn f() { E::A }")
        );
    }
}
