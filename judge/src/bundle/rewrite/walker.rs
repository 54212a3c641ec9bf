//! Paths in tokens: which of them name crates, and what these become.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};
use syn::ItemUse;

use super::declared::declare_use;
use super::scopes::{below, Modules, Scope};
use super::{colons, is_std, module_block, own_root, Names, KEYWORDS};
use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::{is_block, is_ident, is_punct};

/// Whether a `...` between two ends is over at `at`. Outside of macros `syn` reads it as `..=`. The `...` of C functions has nothing
/// before it, or a comma or colon.
fn is_old_range(trees: &[TokenTree], at: usize) -> bool {
    let dot = |n: usize| is_punct(trees.get(n), '.');
    let Some(first) = at.checked_sub(2).filter(|&n| dot(n) && dot(n + 1)) else {
        return false;
    };
    let before = first.checked_sub(1).map(|before| &trees[before]);
    let between = matches!(before, Some(TokenTree::Ident(_) | TokenTree::Literal(_)));
    is_punct(trees.get(at), '=') || dot(at) && between && at + 1 < trees.len()
}

/// A walk over the tokens of one module.
#[derive(Clone, Copy)]
pub struct Walker<'a> {
    pub names: &'a Names,
    pub modules: &'a Modules,
    /// The module that we are in.
    pub path: &'a [String],
    pub declared: &'a BTreeSet<String>,
    pub program_root: bool,
    /// The crates to import, as macros get their names; `None` where these are no names after an import.
    pub wanted: Option<&'a RefCell<BTreeSet<String>>>,
    pub within: Within,
    /// Macros that hide those of the standard library.
    pub hiding: &'a BTreeSet<String>,
    /// Macros of other crates that are meant here, and elsewhere in the crate its own.
    pub outside: &'a BTreeSet<String>,
    /// Macros that an import brings while another so called stands before the crate in the file, with what to write before them.
    pub imported: &'a BTreeMap<String, String>,
}

/// Where tokens are.
#[derive(Clone, Copy, PartialEq)]
pub enum Within {
    Code,
    /// A macro gets or has them that may look at them, or mean something else elsewhere: they stay.
    Kept,
    /// The definition of a macro that may be called in any crate, or what one gets that puts it into a module.
    Definition,
}

impl Walker<'_> {
    /// The names of crates that mean something else in a block.
    fn local(&self, trees: &[TokenTree]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (at, tree) in trees.iter().enumerate() {
            let TokenTree::Ident(word) = tree else {
                continue;
            };
            match (word.to_string().as_str(), trees.get(at + 1)) {
                ("use", _) => {
                    let rest = trees[at..].iter().cloned();
                    let end = |tree: &TokenTree| is_punct(tree, ';');
                    let length = trees[at..].iter().take_while(|tree| !end(tree)).count() + 1;
                    if let Ok(import) = syn::parse2::<ItemUse>(rest.take(length).collect()) {
                        declare_use(&import.tree, &[], &self.names.namesakes, &mut found);
                        let mut scope = Scope::default();
                        scope.import(&import, self.path, self.names.edition);
                        found.extend(self.modules.through(&scope, self.path));
                    }
                }
                ("mod" | "struct" | "enum" | "union" | "trait" | "type", Some(name)) => {
                    found.insert(name.to_string());
                }
                _ => {}
            }
        }
        found.retain(|name| self.names.prelude.contains_key(name));
        found
    }

    /// Whether a word begins an item with type parameters that have names of crates.
    fn has_parameters(&self, word: &Ident, rest: &[TokenTree]) -> bool {
        // Behind `impl` a name is that of a trait or a type, and what follows are its arguments.
        let begins = match word.to_string().as_str() {
            "impl" => is_punct(rest.first(), '<'),
            // `union < geo::N` compares a variable.
            "fn" | "struct" | "enum" | "union" | "trait" | "type" => {
                matches!(rest.first(), Some(TokenTree::Ident(_)))
            }
            _ => false,
        };
        begins && !self.parameters(rest).is_empty()
    }

    /// Those parameters: what follows is `name<A, …`, or `<A, …`.
    fn parameters(&self, rest: &[TokenTree]) -> BTreeSet<String> {
        let named = usize::from(matches!(rest.first(), Some(TokenTree::Ident(_))));
        let mut found = BTreeSet::new();
        if !is_punct(rest.get(named), '<') {
            return found;
        }
        let (mut depth, mut begins) = (0, false);
        for (at, tree) in rest.iter().enumerate().skip(named) {
            match tree {
                TokenTree::Punct(p) if p.as_char() == '<' => {
                    depth += 1;
                    begins = depth == 1;
                }
                TokenTree::Punct(p) if p.as_char() == '>' => {
                    let arrow = is_punct(rest.get(at - 1), '-') || is_punct(rest.get(at - 1), '=');
                    depth -= i32::from(!arrow);
                    if depth == 0 {
                        break;
                    }
                }
                TokenTree::Punct(p) if p.as_char() == ',' => begins = depth == 1,
                TokenTree::Punct(p) if p.as_char() == '\'' => begins = false,
                TokenTree::Ident(word) if begins && word != "const" => {
                    begins = false;
                    found.insert(word.to_string());
                }
                _ => {}
            }
        }
        found.retain(|name| self.names.prelude.contains_key(name));
        found
    }

    /// What the first name of a path becomes, if it changes.
    fn first(&self, name: &str) -> Option<String> {
        if self.names.leading_only || self.declared.contains(name) {
            return None;
        }
        let path = self.names.prelude.get(name)?;
        // At the program's root the module is in scope under its own name.
        let is_at_root = self.program_root && *path == format!("crate::{name}");
        if is_at_root && self.within != Within::Definition {
            return None;
        }
        // All that the root imports comes to those who import all of it, and may not be what they call so.
        let may_import =
            !self.program_root || path.starts_with("::") || !self.modules.is_root_imported();
        let wanted = self.wanted.filter(|_| may_import);
        match (wanted, self.within) {
            (Some(wanted), Within::Kept) => {
                wanted.borrow_mut().insert(name.to_owned());
                None
            }
            _ => Some(path.clone()),
        }
    }

    /// What is in the group at a place.
    fn inside(&self, trees: &[TokenTree], at: usize) -> Within {
        if self.within != Within::Code || !source::is_macro(trees, at) {
            return self.within;
        }
        let is_definition = matches!(trees[at - 1], TokenTree::Ident(_));
        let enclosing = &self.names.namesakes.enclosing;
        if !is_definition && !enclosing.is_empty() && enclosing.contains(&trees[at - 2].to_string())
        {
            return Within::Definition;
        }
        let within = match self.wanted {
            Some(_) if !is_definition || self.names.module.is_empty() => Within::Kept,
            _ if is_definition => Within::Definition,
            _ => Within::Code,
        };
        if within == Within::Kept && !is_definition {
            let called = Walker { within, ..*self };
            for name in &self.names.in_bodies {
                called.first(name);
            }
        }
        within
    }

    /// Imports the crates whose names stand alone among what a macro gets that leads on from them.
    fn named_alone(&self, trees: &[TokenTree]) {
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => {
                    self.named_alone(&group.stream().into_iter().collect::<Vec<_>>());
                }
                TokenTree::Ident(name) if !colons(trees, at + 1) => {
                    let within = Within::Kept;
                    Walker { within, ..*self }.first(&name.to_string());
                }
                _ => {}
            }
        }
    }

    /// Rewrites the paths in tokens.
    pub fn walk(&self, tokens: TokenStream, edits: &mut Edits) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        self.trees(&trees, edits);
    }

    fn trees(&self, trees: &[TokenTree], edits: &mut Edits) {
        let mut at = 0;
        while at < trees.len() {
            match &trees[at] {
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let within = self.inside(trees, at);
                    if let Some(called) =
                        source::is_macro(trees, at).then(|| trees[at - 2].to_string())
                    {
                        if self.names.namesakes.leading.contains(&called) {
                            self.named_alone(&inside);
                        }
                    }
                    let begins = within == Within::Definition && self.within != within;
                    let none = BTreeSet::new();
                    // What the program calls, it calls with its own macros.
                    let hiding = match begins.then(|| trees[at - 1].to_string()) {
                        Some(name) if self.names.before.words.contains(&name) => &none,
                        _ => self.hiding,
                    };
                    let walker = Walker {
                        within,
                        hiding,
                        ..*self
                    };
                    let block = group.delimiter() == Delimiter::Brace;
                    match block.then(|| self.local(&inside)) {
                        Some(more) if !more.is_empty() => {
                            let declared = &(self.declared | &more);
                            Walker { declared, ..walker }.trees(&inside, edits);
                        }
                        _ => walker.trees(&inside, edits),
                    }
                    at += 1;
                }
                TokenTree::Punct(last) if self.names.edition < 2021 && is_old_range(trees, at) => {
                    edits.replace(last.span().byte_range(), "=");
                    at += 1;
                }
                TokenTree::Ident(word) if word == "mod" && module_block(trees, at).is_some() => {
                    // Of what is in scope around a module nothing is in scope in it.
                    let end = module_block(trees, at).expect("just seen");
                    let path = below(self.path, &trees[end - 1]);
                    let inner = Walker {
                        path: &path,
                        declared: &BTreeSet::new(),
                        program_root: false,
                        wanted: None,
                        ..*self
                    };
                    inner.trees(&trees[end..=end], edits);
                    at = end + 1;
                }
                // `pub(in a)` of edition 2015, from the root.
                TokenTree::Ident(word)
                    if word == "in"
                        && at == 0
                        && self.names.edition == 2015
                        && from_root(trees).is_some() =>
                {
                    if let Some(name) = from_root(trees) {
                        let start = trees[1].span().byte_range().start;
                        let path = format!("{}::{name}", own_root(self.names));
                        edits.replace(start..name.span().byte_range().end, path);
                    }
                    at = trees.len();
                }
                // `extern crate a as b;` in a function.
                TokenTree::Ident(word)
                    if word == "extern" && is_ident(trees.get(at + 1), "crate") =>
                {
                    let end = (at..trees.len()).find(|&n| is_punct(trees.get(n), ';'));
                    let words = &trees[at..end.unwrap_or(trees.len())];
                    if let [first, _, target, rest @ ..] = words {
                        let alias = rest.last().unwrap_or(target);
                        if let Some(path) = self.names.prelude.get(&target.to_string()) {
                            let range =
                                first.span().byte_range().start..alias.span().byte_range().end;
                            edits.replace(range, format!("use {path} as {alias}"));
                        }
                    }
                    at += words.len();
                }
                TokenTree::Ident(word) if self.has_parameters(word, &trees[at + 1..]) => {
                    let end = (at..trees.len())
                        .find(|&n| is_block(trees.get(n)) || is_punct(trees.get(n), ';'));
                    let end = end.map_or(trees.len(), |end| end + 1);
                    let declared = &(self.declared | &self.parameters(&trees[at + 1..]));
                    Walker { declared, ..*self }.trees(&trees[at + 1..end], edits);
                    at = end;
                }
                TokenTree::Ident(word)
                    if word == "use"
                        && !is_punct(trees.get(at + 1), '<')
                        && !(at > 0 && is_punct(trees.get(at - 1), '.')) =>
                {
                    let end = (at + 1..trees.len())
                        .find(|&n| is_punct(trees.get(n), ';'))
                        .unwrap_or(trees.len());
                    let import = &trees[at + 1..end];
                    if !self.passes_on(&trees[..at], import) {
                        self.use_tree(import, edits);
                    }
                    at = end;
                }
                TokenTree::Ident(word) => {
                    let name = word.to_string();
                    let fragment = at > 0 && is_punct(trees.get(at - 1), '$');
                    let before_path = at >= 2 && colons(trees, at - 2);
                    let member = at > 0
                        && is_punct(trees.get(at - 1), '.')
                        && !(at > 1 && is_punct(trees.get(at - 2), '.'));
                    let range = word.span().byte_range();
                    if colons(trees, at + 1) && !before_path && !member {
                        if name == "crate" {
                            if !self.names.module.is_empty() {
                                edits.insert(range.end, format!("::{}", self.names.module));
                            }
                        // Crates have no `::<T>`: it is a function.
                        } else if !fragment && !is_punct(trees.get(at + 3), '<') {
                            if let Some(path) = self.first(&name) {
                                edits.replace(range.clone(), path);
                            }
                        }
                    } else if before_path && !fragment && at >= 2 && self.leads(trees, at - 2) {
                        // `::name::…`
                        let start = trees[at - 2].span().byte_range().start;
                        if let Some(path) = self.names.prelude.get(&name) {
                            edits.replace(start..range.end, path.clone());
                        } else if self.names.edition == 2015 && !is_std(&name) {
                            edits.replace(
                                start..range.end,
                                format!("{}::{name}", own_root(self.names)),
                            );
                        }
                    }
                    let is_call = is_punct(trees.get(at + 1), '!')
                        && matches!(trees.get(at + 2), Some(TokenTree::Group(_)));
                    if is_call && !before_path && !fragment {
                        let path = self.names.macros.get(&name);
                        let path = path.filter(|_| self.outside.contains(&name));
                        let imported = self.imported.get(&name);
                        let imported = imported.filter(|_| self.within != Within::Definition);
                        if let Some(path) = path {
                            edits.insert(range.start, format!("{path}::"));
                        } else if let Some(path) = imported {
                            edits.insert(range.start, path);
                        } else if self.hiding.contains(&name) && !self.names.defined.contains(&name)
                        {
                            edits.insert(range.start, "::std::");
                        }
                    }
                    self.reserved(&name, trees, at, edits);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Whether the `::` at `at` starts a path.
    fn leads(&self, trees: &[TokenTree], at: usize) -> bool {
        match at.checked_sub(1).map(|before| &trees[before]) {
            None => true,
            // Edition 2015 has modules called `dyn` and `await`.
            Some(TokenTree::Ident(word)) => {
                let is_on_a_path = at >= 3 && colons(trees, at - 3);
                let is_lifetime = at >= 2 && is_punct(trees.get(at - 2), '\'');
                is_lifetime || KEYWORDS.contains(&word.to_string().as_str()) && !is_on_a_path
            }
            Some(TokenTree::Punct(p)) if p.as_char() == '>' => {
                is_arrow(trees, at - 1) || no_path_goes_on(&trees[..at])
            }
            Some(TokenTree::Group(group)) => {
                let is_visibility =
                    at >= 2 && matches!(&trees[at - 2], TokenTree::Ident(word) if word == "pub");
                is_visibility || group.delimiter() != Delimiter::Parenthesis
            }
            Some(_) => true,
        }
    }

    /// Words that later editions reserve.
    fn reserved(&self, name: &str, trees: &[TokenTree], at: usize, edits: &mut Edits) {
        let reserved = name == "gen" && self.names.edition < 2024
            || matches!(name, "async" | "await" | "try" | "dyn")
                && self.names.edition == 2015
                && !(name == "dyn" && is_before_trait(trees, at));
        // The variable of a macro may be called by any word.
        if reserved && !(at > 0 && is_punct(trees.get(at - 1), '$')) {
            edits.insert(trees[at].span().byte_range().start, "r#");
        }
    }

    /// Whether an import is one that `load` wrote for a macro, which may be called like a crate.
    fn passes_on(&self, before: &[TokenTree], import: &[TokenTree]) -> bool {
        match (before.last(), import) {
            (Some(TokenTree::Group(vis)), [TokenTree::Ident(name)]) => {
                ["crate", "in crate"].contains(&vis.stream().to_string().as_str())
                    && self.names.defined.contains(&name.to_string())
            }
            _ => false,
        }
    }

    /// The trees of a `use`, each from its first name.
    fn use_tree(&self, trees: &[TokenTree], edits: &mut Edits) {
        // `use ::{a, b};` of edition 2015 leads from the root as all imports do.
        let of_2015 = self.names.edition == 2015 && colons(trees, 0);
        let group = if of_2015 { &trees[2..] } else { trees };
        if let [TokenTree::Group(group)] = group {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            for part in inner.split(|tree| is_punct(tree, ',')) {
                self.use_tree(part, edits);
            }
            return;
        }
        for (at, tree) in trees.iter().enumerate() {
            if let TokenTree::Ident(word) = tree {
                if at > 0 {
                    self.reserved(&word.to_string(), trees, at, edits);
                }
            }
        }
        let leading = colons(trees, 0);
        let first = if leading { 2 } else { 0 };
        let Some(tree) = trees.get(first) else { return };
        let start = trees[0].span().byte_range().start;
        match tree {
            TokenTree::Punct(p)
                if p.as_char() == '$'
                    && is_ident(trees.get(first + 1), "crate")
                    && !self.names.module.is_empty() =>
            {
                let end = trees[first + 1].span().byte_range().end;
                edits.insert(end, format!("::{}", self.names.module));
            }
            TokenTree::Ident(word) => {
                let name = word.to_string();
                let range = word.span().byte_range();
                if name == "crate" {
                    if !self.names.module.is_empty() {
                        edits.insert(range.end, format!("::{}", self.names.module));
                    }
                    return;
                }
                if matches!(name.as_str(), "self" | "super") {
                    return;
                }
                let rest = &trees[first + 1..];
                if leading || self.names.edition == 2015 {
                    if let Some(path) = self.names.prelude.get(&name) {
                        self.import(path.clone(), start, tree, rest, &name, edits, trees);
                    } else if self.names.edition == 2015
                        && !is_std(&name)
                        && !(!colons(rest, 0) && !leading && self.names.defined.contains(&name))
                    {
                        edits.replace(
                            start..range.end,
                            format!("{}::{name}", own_root(self.names)),
                        );
                    }
                    return;
                }
                if let Some(path) = self.names.prelude.get(&name) {
                    let scope = self.modules.0.get(self.path);
                    let is_own = || scope.is_some_and(|scope| scope.own.contains(&name));
                    // What the import declares itself it does not mean.
                    let hidden = || {
                        self.declared.contains(&name)
                            && (is_own()
                                || !self.names.namesakes.modules.contains(&name)
                                || !has_leaf(rest, &name))
                    };
                    if self.names.leading_only || hidden() {
                        return;
                    }
                    self.import(path.clone(), start, tree, rest, &name, edits, trees);
                }
            }
            _ => {}
        }
    }

    /// An import from another crate.
    #[allow(clippy::too_many_arguments)]
    pub fn import(
        &self,
        path: String,
        start: usize,
        tree: &TokenTree,
        rest: &[TokenTree],
        name: &str,
        edits: &mut Edits,
        all: &[TokenTree],
    ) {
        let range = tree.span().byte_range();
        let in_scope = self.program_root && path == format!("crate::{name}");
        if in_scope && rest.is_empty() {
            // `use name;` at the root, where the module is.
            let end = all
                .last()
                .map_or(range.end, |last| last.span().byte_range().end);
            edits.replace(start..end, "{}");
            return;
        }
        if in_scope {
            // A leading `::` leads out of the file.
            if start < range.start {
                edits.delete(start..range.start);
            }
            // `use name::{self, …}`.
            if let Some(TokenTree::Group(group)) = rest.get(2) {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for (at, tree) in inner.iter().enumerate() {
                    let is_self = is_ident(tree, "self");
                    let alone = match inner.get(at + 1) {
                        None => true,
                        next => is_punct(next, ','),
                    };
                    if is_self && alone {
                        let end = match inner.get(at + 1) {
                            Some(comma) => comma.span().byte_range().end,
                            None => tree.span().byte_range().end,
                        };
                        edits.delete(tree.span().byte_range().start..end);
                    }
                }
            }
            return;
        }
        let end = range.end;
        let renamed = !path.ends_with(&format!("::{name}"));
        if let (true, Some(TokenTree::Group(group))) = (renamed, rest.get(2)) {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            for part in inner.split(|tree| is_punct(tree, ',')) {
                match part {
                    [TokenTree::Ident(word)] if word == "self" => {
                        edits.insert(word.span().byte_range().end, format!(" as {name}"));
                    }
                    _ => {}
                }
            }
        }
        if rest.is_empty() && renamed {
            edits.replace(start..end, format!("{path} as {name}"));
        } else {
            edits.replace(start..end, path);
        }
    }
}

/// Whether what follows the first name of an import is `::name` or `::*`, or has that in braces.
fn has_leaf(rest: &[TokenTree], name: &str) -> bool {
    match rest.get(2) {
        Some(TokenTree::Ident(leaf)) => leaf == name && rest.len() == 3,
        Some(TokenTree::Punct(all)) => all.as_char() == '*',
        Some(TokenTree::Group(group)) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let mut leaves = inner.split(|tree| is_punct(tree, ','));
            leaves.any(|leaf| match leaf {
                [TokenTree::Ident(leaf)] => leaf == name,
                leaf => is_punct(leaf.first(), '*'),
            })
        }
        _ => false,
    }
}

/// The first name of the path behind `in`, if that is none of the words for modules.
fn from_root(trees: &[TokenTree]) -> Option<&Ident> {
    let first = if colons(trees, 1) { 3 } else { 1 };
    match trees.get(first) {
        Some(TokenTree::Ident(name)) => {
            let is_word = ["crate", "self", "super"].iter().any(|word| name == word);
            (!is_word).then_some(name)
        }
        _ => None,
    }
}

/// Whether the `dyn` at `at` of edition 2015 is no name: a path from the root of the crates behind it is one that `load` wrote it for.
fn is_before_trait(trees: &[TokenTree], at: usize) -> bool {
    let in_type = || match at.checked_sub(1).map(|at| &trees[at]) {
        Some(TokenTree::Punct(mark)) => matches!(mark.as_char(), '<' | '&'),
        Some(TokenTree::Ident(word)) => {
            word == "mut" || at > 1 && is_punct(trees.get(at - 2), '\'')
        }
        _ => false,
    };
    let is_name = match at.checked_sub(1).map(|at| &trees[at]) {
        Some(TokenTree::Punct(mark)) => mark.as_char() == '.' || at > 1 && colons(trees, at - 2),
        Some(TokenTree::Ident(word)) => word == "fn",
        _ => false,
    };
    match trees.get(at + 1) {
        _ if is_name => false,
        Some(TokenTree::Ident(_) | TokenTree::Group(_)) => true,
        next => is_punct(next, '$') || colons(trees, at + 1) && in_type(),
    }
}

/// Whether the `>` at `at` is one of `->` or `=>`.
fn is_arrow(trees: &[TokenTree], at: usize) -> bool {
    matches!(at.checked_sub(1).map(|at| &trees[at]), Some(TokenTree::Punct(p))
        if matches!(p.as_char(), '-' | '=') && p.spacing() == Spacing::Joint)
}

/// Whether tokens end in a `>` that no path goes on behind: that of the parameters of `impl<T>` or `for<'a>`, or one that compares.
fn no_path_goes_on(trees: &[TokenTree]) -> bool {
    let mut depth = 0;
    for at in (0..trees.len()).rev() {
        match &trees[at] {
            TokenTree::Punct(p) => match p.as_char() {
                '>' if !is_arrow(trees, at) => depth += 1,
                '<' => depth -= 1,
                ';' => return true,
                // In a type `&&` begins something.
                '&' | '|' if p.spacing() == Spacing::Joint => {
                    let before = at.checked_sub(1).map(|at| &trees[at]);
                    let is_in_type = match before {
                        Some(TokenTree::Ident(word)) => {
                            ["as", "const", "dyn", "mut"].iter().any(|of| word == of)
                                || at > 1 && is_punct(&trees[at - 2], '\'')
                        }
                        before => matches!(before, None | Some(TokenTree::Punct(_))),
                    };
                    if !is_in_type {
                        return true;
                    }
                }
                _ => {}
            },
            TokenTree::Ident(word) if word == "let" => return true,
            _ => {}
        }
        if depth == 0 {
            let before = at.checked_sub(1).map(|at| &trees[at]);
            return is_ident(before, "impl") || is_ident(before, "for");
        }
    }
    true
}
