//! Drops what `main` does not reach, and nothing else.
//!
//! The compiler decides. At first, and in each round, what no code names is taken out (see `unnamed`): that saves it most of
//! its work. Each round asks it for its lints `dead_code`, `unused_imports`, `unused_macros` and `unused_macro_rules`
//! (forced, so that no `allow` hides anything), and removes what they point at. A removal makes errors where something named what is gone:
//! an import, an impl of a type or trait that is gone, an impl item of a trait method that is gone. These are removed in turn,
//! until the text compiles again. Everything else that breaks is proof that the thing was needed after all: the round is undone,
//! and the thing stays for good. So a removal that would break something live cannot survive, and one that changes behaviour
//! without an error (an impl of a live trait for a live type) is never tried.
//!
//! Enum variants and struct fields stay: they are part of a type's layout, of its `Debug` text and of its ordering.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use anyhow::{bail, Context, Result};
use serde_json::Value;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, TraitItem, UseTree};

use super::source::{self, Edits};
use super::unnamed;

/// How to call the compiler on the bundle.
pub struct Compiler {
    pub rustc: OsString,
    /// `--extern` and `-L` for crates that are not inlined.
    pub externs: Vec<OsString>,
    /// A folder for the compiler's files.
    pub scratch: std::path::PathBuf,
}

/// What the compiler says about one place.
#[derive(Debug)]
pub struct Diagnostic {
    pub level: String,
    pub code: String,
    pub message: String,
    pub rendered: String,
    /// Replacements that the compiler is sure of.
    pub fixes: Vec<(Range<usize>, String)>,
    /// Primary byte ranges; those from a macro's expansion with the outermost call.
    pub spans: Vec<(Range<usize>, Option<Range<usize>>)>,
}

impl Compiler {
    /// Compiles `text` without making code.
    pub fn check(&self, text: &str, edition: &str, lints: &[&str]) -> Result<Vec<Diagnostic>> {
        let file = self.scratch.join(format!("bundle-{edition}.rs"));
        std::fs::write(&file, text)?;
        let output = Command::new(&self.rustc)
            .args([
                "--edition",
                edition,
                "--crate-name",
                "bundle",
                "--crate-type",
                "bin",
            ])
            .args(["--emit=metadata", "--error-format=json"])
            .args(lints)
            .arg("-o")
            .arg(self.scratch.join(format!("bundle-{edition}.rmeta")))
            .args(&self.externs)
            .arg(&file)
            .current_dir(&self.scratch)
            .output()
            .context("cannot start rustc")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let mut found: Vec<Diagnostic> = Vec::new();
        // Some lints that are errors have an error's code, and their name in a note, the first time.
        let mut lints = BTreeMap::new();
        for line in stderr.lines() {
            let Ok(value) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let mut notes = value["children"].as_array().into_iter().flatten();
            let lint = notes.find_map(|note| {
                let rest = note["message"].as_str()?.strip_prefix("`#[deny(")?;
                Some(rest.split_once(")]` on by default")?.0.to_owned())
            });
            if let Some(mut diagnostic) = diagnostic(&value, &file) {
                if let Some(lint) = lint {
                    lints.insert(diagnostic.code.clone(), lint);
                }
                if let Some(lint) = lints.get(&diagnostic.code) {
                    diagnostic.code = lint.clone();
                }
                found.push(diagnostic);
            }
        }
        if !output.status.success() && !found.iter().any(|d| d.level == "error") {
            bail!("rustc failed: {stderr}");
        }
        Ok(found)
    }
}

fn diagnostic(value: &Value, file: &Path) -> Option<Diagnostic> {
    let level = value.get("level")?.as_str()?.to_owned();
    let spans = value.get("spans")?.as_array()?;
    let here = |span: &Value| {
        span["file_name"]
            .as_str()
            .is_some_and(|name| Path::new(name).file_name() == file.file_name())
    };
    let range = |span: &Value| {
        Some(span["byte_start"].as_u64()? as usize..span["byte_end"].as_u64()? as usize)
    };
    let mut found = Vec::new();
    for span in spans.iter().filter(|span| span["is_primary"] == true) {
        let mut call = None;
        let mut outer = span;
        while let Some(next) = outer.get("expansion").and_then(|e| e.get("span")) {
            outer = next;
            if here(outer) {
                call = range(outer);
            }
        }
        if here(span) || call.is_some() {
            let range = if here(span) {
                range(span)?
            } else {
                call.clone()?
            };
            found.push((range, call));
        }
    }
    Some(Diagnostic {
        level,
        code: value["code"]["code"].as_str().unwrap_or("").to_owned(),
        message: value["message"].as_str().unwrap_or("").to_owned(),
        rendered: value["rendered"].as_str().unwrap_or("").to_owned(),
        spans: found,
        fixes: value["children"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|child| child["spans"].as_array().into_iter().flatten())
            .filter(|span| {
                span["suggestion_applicability"] == "MachineApplicable"
                    && span["expansion"].is_null()
            })
            .filter_map(|span| {
                Some((
                    range(span)?,
                    span["suggested_replacement"].as_str()?.to_owned(),
                ))
            })
            .collect(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Item,
    /// A module, which goes when it is empty.
    Module,
    Impl,
    /// An item of an inherent impl.
    Inherent,
    /// An item of an impl of a trait.
    Implemented,
    TraitItem,
    Arm,
    Import,
    /// A macro call, whose expansion nobody sees.
    Call,
}

struct Node {
    kind: Kind,
    /// With attributes and comments.
    range: Range<usize>,
    /// The name, which lints point at; of a macro's arm the pattern, of an impl what is before its braces.
    head: Range<usize>,
    /// Path that names the node from round to round.
    key: String,
    name: String,
    /// Items inside (of a module or an impl).
    children: usize,
    /// Of an impl of one of [`BY_BOUND`]: the trait, and the word for the type.
    by_bound: Option<(String, String)>,
    /// Of an import, the names on the path to it.
    ancestors: Vec<Range<usize>>,
}

struct Index<'t> {
    text: &'t str,
    comments: Vec<Range<usize>>,
    nodes: Vec<Node>,
    path: Vec<String>,
    seen: BTreeMap<String, usize>,
    /// Uses, each with the nodes of its leaves.
    imports: Vec<(Range<usize>, syn::ItemUse)>,
}

impl<'t> Index<'t> {
    fn new(text: &'t str) -> Result<Self> {
        let file = syn::parse_file(text).context("the bundle does not parse")?;
        let mut index = Self {
            text,
            comments: source::comments(text),
            nodes: Vec::new(),
            path: Vec::new(),
            seen: BTreeMap::new(),
            imports: Vec::new(),
        };
        for item in &file.items {
            index.visit_item(item);
        }
        Ok(index)
    }

    fn add(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        head: Range<usize>,
        name: &str,
        children: usize,
    ) {
        let base = format!("{}::{kind:?} {name}", self.path.join("::"));
        let count = self.seen.entry(base.clone()).or_insert(0);
        *count += 1;
        let key = format!("{base} #{count}");
        let start = self.with_comments(range.start);
        self.nodes.push(Node {
            kind,
            range: start..range.end,
            head,
            key,
            name: name.to_owned(),
            children,
            ancestors: Vec::new(),
            by_bound: None,
        });
    }

    /// Where the comments directly above a node begin.
    fn with_comments(&self, start: usize) -> usize {
        let mut start = start;
        loop {
            let before = self.text[..start].trim_end_matches([' ', '\t']);
            let Some(before) = before.strip_suffix('\n') else {
                return start;
            };
            let end = before.trim_end_matches([' ', '\t']).len();
            let above = self.comments.partition_point(|c| c.end <= end);
            let Some(comment) = above.checked_sub(1).map(|n| &self.comments[n]) else {
                return start;
            };
            let line = self.text[..comment.start].rfind('\n').map_or(0, |n| n + 1);
            let inner_doc = self.text[comment.clone()].starts_with("//!");
            if comment.end != end || inner_doc || !self.text[line..comment.start].trim().is_empty()
            {
                return start;
            }
            start = comment.start;
        }
    }

    fn leaves(&mut self, tree: &UseTree, ancestors: &mut Vec<Range<usize>>) {
        match tree {
            UseTree::Path(path) => {
                ancestors.push(path.ident.span().byte_range());
                self.leaves(&path.tree, ancestors);
                ancestors.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.leaves(tree, ancestors);
                }
            }
            leaf => {
                let range = leaf.span().byte_range();
                let name = match leaf {
                    UseTree::Name(leaf) => leaf.ident.to_string(),
                    UseTree::Rename(leaf) => leaf.rename.to_string(),
                    _ => "*".to_owned(),
                };
                let base = format!("{}::use {name}", self.path.join("::"));
                let count = self.seen.entry(base.clone()).or_insert(0);
                *count += 1;
                self.nodes.push(Node {
                    kind: Kind::Import,
                    range: range.clone(),
                    head: range,
                    key: format!("{base} #{count}"),
                    name,
                    children: 0,
                    ancestors: ancestors.clone(),
                    by_bound: None,
                });
            }
        }
    }

    /// The imports that a range in a `use` is about: a leaf, with or without its path, or all below a name.
    fn imports_at(&self, range: &Range<usize>) -> Vec<usize> {
        let inside = |(item, _): &&(Range<usize>, syn::ItemUse)| {
            item.start <= range.start && range.end <= item.end
        };
        let Some((item, _)) = self.imports.iter().find(inside) else {
            return Vec::new();
        };
        let meets = |other: &Range<usize>| other.start < range.end && range.start < other.end;
        let of_item: Vec<usize> = (0..self.nodes.len())
            .filter(|&n| {
                let node = &self.nodes[n];
                node.kind == Kind::Import
                    && item.start <= node.range.start
                    && node.range.end <= item.end
            })
            .collect();
        let leaves: Vec<usize> = of_item
            .iter()
            .copied()
            .filter(|&n| meets(&self.nodes[n].range))
            .collect();
        if !leaves.is_empty() {
            return leaves;
        }
        of_item
            .into_iter()
            .filter(|&n| self.nodes[n].ancestors.iter().any(meets))
            .collect()
    }

    /// The nodes that an error at a place is in.
    fn at(&self, range: &Range<usize>) -> Vec<usize> {
        let imports = self.imports_at(range);
        if imports.is_empty() {
            self.innermost(range).into_iter().collect()
        } else {
            imports
        }
    }

    /// The innermost node at a place.
    fn innermost(&self, range: &Range<usize>) -> Option<usize> {
        (0..self.nodes.len())
            .filter(|&n| {
                let node = &self.nodes[n].range;
                node.start <= range.start && range.end <= node.end
            })
            .min_by_key(|&n| self.nodes[n].range.len())
    }

    /// The nodes whose name, pattern or leaf a lint points at.
    fn pointed_at(&self, range: &Range<usize>) -> Vec<usize> {
        if let Some(n) = (0..self.nodes.len()).find(|&n| self.nodes[n].head == *range) {
            return vec![n];
        }
        let imports = self.imports_at(range);
        if !imports.is_empty() {
            return imports;
        }
        self.innermost(range)
            .filter(|&n| self.nodes[n].kind == Kind::Arm)
            .into_iter()
            .collect()
    }
}

impl<'ast> Visit<'ast> for Index<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let range = item.span().byte_range();
        let named = match item {
            Item::Const(i) => Some(&i.ident),
            Item::Enum(i) => Some(&i.ident),
            Item::Fn(i) => Some(&i.sig.ident),
            Item::Static(i) => Some(&i.ident),
            Item::Struct(i) => Some(&i.ident),
            Item::Trait(i) => Some(&i.ident),
            Item::TraitAlias(i) => Some(&i.ident),
            Item::Type(i) => Some(&i.ident),
            Item::Union(i) => Some(&i.ident),
            _ => None,
        };
        if let Some(name) = named {
            let text = name.to_string();
            self.add(Kind::Item, range, name.span().byte_range(), &text, 0);
            self.path.push(text);
            visit::visit_item(self, item);
            self.path.pop();
            return;
        }
        match item {
            Item::Mod(module) => {
                let Some((_, items)) = &module.content else {
                    return;
                };
                let name = module.ident.to_string();
                let uses_path = module.attrs.iter().any(|a| a.path().is_ident("path"));
                debug_assert!(!uses_path);
                self.add(
                    Kind::Module,
                    range,
                    module.ident.span().byte_range(),
                    &name,
                    items.len(),
                );
                self.path.push(name);
                for item in items {
                    self.visit_item(item);
                }
                self.path.pop();
            }
            Item::Impl(block) => {
                let head = range.start..block.brace_token.span.open().byte_range().start;
                let attrs = block
                    .attrs
                    .last()
                    .map_or(head.start, |a| a.span().byte_range().end);
                let title: String = self.text[attrs..head.end].split_whitespace().collect();
                self.add(Kind::Impl, range, head, &title, block.items.len());
                if let (Some((path, _)), syn::Type::Path(of)) = (&block.trait_, &*block.self_ty) {
                    let last = |path: &syn::Path| {
                        path.segments
                            .last()
                            .map(|segment| segment.ident.to_string())
                    };
                    if let (Some(name), Some(of)) = (last(path), last(&of.path)) {
                        let by_bound = BY_BOUND.iter().any(|(known, _)| *known == name);
                        if let (true, Some(node)) = (by_bound, self.nodes.last_mut()) {
                            node.by_bound = Some((name, of));
                        }
                    }
                }

                self.path.push(title);
                for item in &block.items {
                    let name = match item {
                        ImplItem::Const(i) => &i.ident,
                        ImplItem::Fn(i) => &i.sig.ident,
                        ImplItem::Type(i) => &i.ident,
                        _ => {
                            self.add(Kind::Call, item.span().byte_range(), 0..0, "!", 0);
                            continue;
                        }
                    };
                    let kind = if block.trait_.is_some() {
                        Kind::Implemented
                    } else {
                        Kind::Inherent
                    };
                    let text = name.to_string();
                    self.add(
                        kind,
                        item.span().byte_range(),
                        name.span().byte_range(),
                        &text,
                        0,
                    );
                    self.path.push(text);
                    visit::visit_impl_item(self, item);
                    self.path.pop();
                }
                self.path.pop();
            }
            Item::Macro(mac) => match &mac.ident {
                Some(name) => {
                    let text = name.to_string();
                    self.add(Kind::Item, range, name.span().byte_range(), &text, 0);
                    self.path.push(text);
                    let mut start = None;
                    let trees: Vec<_> = mac.mac.tokens.clone().into_iter().collect();
                    let mut arms = Vec::new();
                    let mut head = 0..0;
                    for tree in &trees {
                        let at = tree.span().byte_range();
                        if start.is_none() {
                            start = Some(at.start);
                            head = at.clone();
                        }
                        let semicolon =
                            matches!(tree, proc_macro2::TokenTree::Punct(p) if p.as_char() == ';');
                        if semicolon {
                            arms.push((start.take().expect("set above")..at.end, head.clone()));
                        }
                    }
                    if let (Some(start), Some(last)) = (start, trees.last()) {
                        arms.push((start..last.span().byte_range().end, head));
                    }
                    for (range, head) in arms {
                        self.add(Kind::Arm, range, head, "arm", 0);
                    }
                    self.path.pop();
                }
                None => self.add(Kind::Call, range, 0..0, "!", 0),
            },
            Item::Use(item) => {
                self.imports.push((range, item.clone()));
                self.leaves(&item.tree, &mut Vec::new());
            }
            other => visit::visit_item(self, other),
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let name = match item {
            TraitItem::Const(i) => &i.ident,
            TraitItem::Fn(i) => &i.sig.ident,
            TraitItem::Type(i) => &i.ident,
            _ => return,
        };
        let text = name.to_string();
        self.add(
            Kind::TraitItem,
            item.span().byte_range(),
            name.span().byte_range(),
            &text,
            0,
        );
        self.path.push(text);
        visit::visit_trait_item(self, item);
        self.path.pop();
    }
}

/// The text of a use tree without some leaves; `None` if nothing is left.
fn pruned(tree: &UseTree, text: &str, gone: &BTreeSet<(usize, usize)>) -> Option<String> {
    match tree {
        UseTree::Path(path) => {
            let inner = pruned(&path.tree, text, gone)?;
            Some(format!("{}::{inner}", path.ident))
        }
        UseTree::Group(group) => {
            let mut kept: Vec<(String, &UseTree)> = group
                .items
                .iter()
                .filter_map(|tree| Some((pruned(tree, text, gone)?, tree)))
                .collect();
            match kept.len() {
                0 => None,
                1 if !matches!(kept[0].1, UseTree::Name(name) if name.ident == "self")
                    && !matches!(kept[0].1, UseTree::Rename(name) if name.ident == "self") =>
                {
                    Some(kept.remove(0).0)
                }
                _ => {
                    let kept: Vec<String> = kept.into_iter().map(|(text, _)| text).collect();
                    Some(format!("{{{}}}", kept.join(", ")))
                }
            }
        }
        leaf => {
            let range = leaf.span().byte_range();
            if gone.contains(&(range.start, range.end)) {
                None
            } else {
                Some(text[range].to_owned())
            }
        }
    }
}

/// The text without some nodes.
fn without(index: &Index, gone: &BTreeSet<usize>) -> String {
    let text = index.text;
    let mut edits = Edits::default();
    let mut leaves = BTreeSet::new();
    for &n in gone {
        let node = &index.nodes[n];
        if node.kind == Kind::Import {
            leaves.insert((node.range.start, node.range.end));
            continue;
        }
        edits.delete(whole_lines(text, node.range.clone()));
    }
    if !leaves.is_empty() {
        for (range, item) in &index.imports {
            let touched = leaves
                .range((range.start, 0)..(range.end, 0))
                .next()
                .is_some();
            if !touched {
                continue;
            }
            match pruned(&item.tree, text, &leaves) {
                Some(tree) => {
                    let colons = if item.leading_colon.is_some() {
                        "::"
                    } else {
                        ""
                    };
                    edits.replace(item.tree_range(), format!("{colons}{tree}"));
                }
                None => {
                    let range = index.with_comments(range.start)..range.end;
                    edits.delete(whole_lines(text, range));
                }
            }
        }
    }
    edits.apply(text)
}

trait TreeRange {
    fn tree_range(&self) -> Range<usize>;
}

impl TreeRange for syn::ItemUse {
    fn tree_range(&self) -> Range<usize> {
        let tree = self.tree.span().byte_range();
        let start = self
            .leading_colon
            .map_or(tree.start, |colons| colons.span().byte_range().start);
        start..tree.end
    }
}

/// The range with the rest of its lines, where nothing else is on them.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let line = text[..range.start].rfind('\n').map_or(0, |n| n + 1);
    let rest = text[range.end..]
        .find('\n')
        .map_or(text.len(), |n| range.end + n + 1);
    if text[line..range.start].trim().is_empty() && text[range.end..rest].trim().is_empty() {
        line..rest
    } else {
        range
    }
}

const LINTS: [&str; 7] = [
    "-Awarnings",
    // What is an error by itself is none in a dependency that cargo compiles.
    "--cap-lints=warn",
    "--force-warn=dead_code",
    "--force-warn=unused_imports",
    "--force-warn=unused_macros",
    "--force-warn=unused_macro_rules",
    "-Aunused",
];

/// Removes everything that the program does not reach.
pub fn shake(compiler: &Compiler, text: String, edition: &str) -> Result<String> {
    let mut good = text;
    let mut kept: BTreeSet<String> = BTreeSet::new();
    let protected = inactive_names(&good);
    let mut lints;
    // The compiler takes a second for the whole of some crates, and most of it no code names.
    let index = Index::new(&good)?;
    let shorter = without(&index, &unnamed_nodes(&index, &protected, &kept)?);
    drop(index);
    match settle(compiler, shorter, edition)? {
        Ok(next) => (good, lints) = next,
        Err(_) => {
            lints = compiler.check(&good, edition, &LINTS)?;
            if let Some(error) = lints.iter().find(|d| d.level == "error") {
                if error.message.contains("only allowed in Rust") {
                    bail!(
                        "it needs a newer edition than {edition}, which judges compile with:\n{}",
                        error.rendered
                    );
                }
                bail!("inlined, the program does not compile:\n{}", error.rendered);
            }
        }
    }
    loop {
        let index = Index::new(&good)?;
        let mut gone = BTreeSet::new();
        for lint in &lints {
            for (range, _) in &lint.spans {
                for n in index.pointed_at(range) {
                    let node = &index.nodes[n];
                    let fits = match lint.code.as_str() {
                        "dead_code" => {
                            matches!(node.kind, Kind::Item | Kind::Inherent | Kind::TraitItem)
                        }
                        "unused_imports" => node.kind == Kind::Import,
                        "unused_macros" => node.kind == Kind::Item,
                        "unused_macro_rules" => node.kind == Kind::Arm,
                        _ => false,
                    };
                    if fits && !kept.contains(&node.key) && !protected.contains(&node.name) {
                        gone.insert(n);
                    }
                }
            }
        }
        // An unused group is reported by its parts or as a whole.
        empty_modules(&index, &mut gone, &kept);
        gone.extend(unnamed_nodes(&index, &protected, &kept)?);
        if gone.is_empty() {
            drop(index);
            if let Some(next) = without_unasked(compiler, &good, edition, &mut kept)? {
                (good, lints) = next;
                continue;
            }
            return Ok(good);
        }
        // Imports last: they are not what the errors were about.
        let is_import = |n: &&usize| index.nodes[**n].kind == Kind::Import;
        let (imports, others): (Vec<&usize>, Vec<&usize>) = gone.iter().partition(is_import);
        let removed: Vec<(String, String)> = others
            .into_iter()
            .chain(imports)
            .map(|&n| (index.nodes[n].key.clone(), index.nodes[n].name.clone()))
            .collect();
        let text = without(&index, &gone);
        drop(index);
        match settle(compiler, text, edition)? {
            Ok((text, diagnostics)) => {
                good = text;
                lints = diagnostics;
            }
            Err(trouble) => {
                // Something live needs what went: keep what the errors name, or else half of it.
                let before = kept.len();
                for (key, name) in &removed {
                    if name != "_" && trouble.iter().any(|words| words.contains(name)) {
                        kept.insert(key.clone());
                    }
                }
                if kept.len() == before {
                    for (key, _) in removed.iter().take(removed.len().div_ceil(2)) {
                        kept.insert(key.clone());
                    }
                }
            }
        }
    }
}

/// The types that only their own impls name, and what else no used code names.
fn unnamed_nodes(
    index: &Index,
    protected: &BTreeSet<String>,
    kept: &BTreeSet<String>,
) -> Result<BTreeSet<usize>> {
    let starts: BTreeMap<usize, usize> = unnamed::unnamed(index.text)?
        .into_iter()
        .map(|range| (range.end, range.start))
        .collect();
    let named = |node: &Node| protected.contains(&node.name) || kept.contains(&node.key);
    let is_unnamed = |node: &Node| {
        let start = starts.get(&node.range.end);
        start.is_some_and(|&start| node.range.start <= start) && !named(node)
    };
    Ok((0..index.nodes.len())
        .filter(|&n| {
            let node = &index.nodes[n];
            let kinds = [
                Kind::Item,
                Kind::Impl,
                Kind::Inherent,
                Kind::TraitItem,
                Kind::Import,
            ];
            kinds.contains(&node.kind) && is_unnamed(node)
        })
        .collect())
}

/// Traits whose impls are mostly asked for by bounds, and the methods by which they, or what the standard library builds on them, are
/// asked for otherwise.
const BY_BOUND: [(&str, &[&str]); 9] = [
    ("Debug", &[]),
    ("UpperExp", &[]),
    ("LowerExp", &[]),
    ("UpperHex", &[]),
    ("LowerHex", &[]),
    ("Octal", &[]),
    ("Binary", &[]),
    ("Pointer", &[]),
    ("Clone", &["clone", "clone_from", "to_owned", "clone_into"]),
];

/// The text without the impls of such traits that nothing asks for.
///
/// A bound can be met by no other impl in its stead, so that a missing impl is an error. What could make it silent is a method: found
/// through the trait, or through a blanket impl with a bound on it. So it is not tried where anything else names the trait (for the
/// formatting traits that is the only way to call their method) or one of the methods.
fn without_unasked(
    compiler: &Compiler,
    text: &str,
    edition: &str,
    kept: &mut BTreeSet<String>,
) -> Result<Option<(String, Vec<Diagnostic>)>> {
    let index = Index::new(text)?;
    loop {
        let mut gone = BTreeSet::new();
        let impls: Vec<(usize, &str, &str)> = index
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.kind == Kind::Impl && !kept.contains(&node.key))
            .filter_map(|(n, node)| {
                let (name, of) = node.by_bound.as_ref()?;
                Some((n, name.as_str(), of.as_str()))
            })
            .collect();
        for (name, methods) in BY_BOUND {
            let of_trait: Vec<usize> = impls.iter().filter(|i| i.1 == name).map(|i| i.0).collect();
            let named = |word: &&str| {
                occurrences(text, word, |at| {
                    index.nodes.iter().any(|node| {
                        node.kind == Kind::Impl
                            && node.by_bound.as_ref().is_some_and(|(of, _)| of == name)
                            && node.range.contains(&at)
                    })
                }) > 0
            };
            if !named(&name) && !methods.iter().any(named) {
                gone.extend(of_trait);
            }
        }
        if gone.is_empty() {
            return Ok(None);
        }
        let shorter = without(&index, &gone);
        let diagnostics = compiler.check(&shorter, edition, &LINTS)?;
        let errors: BTreeSet<String> = diagnostics
            .iter()
            .filter(|d| d.level == "error")
            .flat_map(|d| words(&d.rendered))
            .collect();
        if errors.is_empty() {
            return Ok(Some((shorter, diagnostics)));
        }
        let needed: Vec<usize> = impls
            .iter()
            .filter(|(n, name, of)| {
                gone.contains(n) && errors.contains(*name) && errors.contains(*of)
            })
            .map(|i| i.0)
            .collect();
        let needed = if needed.is_empty() {
            gone.into_iter().collect()
        } else {
            needed
        };
        kept.extend(needed.into_iter().map(|n| index.nodes[n].key.clone()));
    }
}

/// How often a word stands in the code (comments, strings and derives aside) outside of some places.
fn occurrences(text: &str, word: &str, inside: impl Fn(usize) -> bool) -> usize {
    use proc_macro2::{TokenStream, TokenTree};
    fn count(stream: TokenStream, word: &str, inside: &impl Fn(usize) -> bool) -> usize {
        let mut derives = false;
        let mut found = 0;
        for tree in stream {
            match &tree {
                TokenTree::Ident(ident) => {
                    found += usize::from(ident == word && !inside(ident.span().byte_range().start));
                    derives = ident == "derive";
                }
                TokenTree::Group(group) => {
                    if !derives {
                        found += count(group.stream(), word, inside);
                    }
                    derives = false;
                }
                _ => derives = false,
            }
        }
        found
    }
    text.parse()
        .map_or(1, |stream| count(stream, word, &inside))
}

/// Modules with nothing in them, and inherent impls.
fn empty_modules(index: &Index, gone: &mut BTreeSet<usize>, kept: &BTreeSet<String>) {
    for (n, node) in index.nodes.iter().enumerate() {
        let inherent_impl = node.kind == Kind::Impl && !node.name.contains(")for") && {
            // An impl without a trait has no ` for ` in its head, but for `for<'a>`.
            !index.text[node.head.clone()]
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| word == "for")
        };
        if (node.kind == Kind::Module || inherent_impl)
            && node.children == 0
            && !kept.contains(&node.key)
        {
            gone.insert(n);
        }
    }
}

type Settled = std::result::Result<(String, Vec<Diagnostic>), Vec<BTreeSet<String>>>;

/// Follows the errors of a removal until the text compiles, or tells the words of the errors that nothing may follow.
fn settle(compiler: &Compiler, mut text: String, edition: &str) -> Result<Settled> {
    for _ in 0..60 {
        let diagnostics = compiler.check(&text, edition, &LINTS)?;
        let errors: Vec<&Diagnostic> = diagnostics
            .iter()
            .filter(|d| d.level == "error" && !d.spans.is_empty())
            .collect();
        if errors.is_empty() {
            if let Some(error) = diagnostics
                .iter()
                .find(|d| d.level == "error" && !d.message.starts_with("aborting"))
            {
                return Ok(Err(vec![words(&error.rendered)]));
            }
            return Ok(Ok((text, diagnostics)));
        }
        let index = Index::new(&text)?;
        let mut gone = BTreeSet::new();
        let mut trouble = Vec::new();
        for error in &errors {
            let mut followed = false;
            for (range, call) in &error.spans {
                let place = call.as_ref().unwrap_or(range);
                for n in index.at(place) {
                    let node = &index.nodes[n];
                    let not_a_member = matches!(error.code.as_str(), "E0407" | "E0437" | "E0438");
                    // Only what names something that is gone may follow it: an impl that fails for another reason is needed.
                    let unresolved = ["cannot find", "unresolved", "failed to resolve"]
                        .iter()
                        .any(|start| error.message.starts_with(start));
                    let may_go = match node.kind {
                        Kind::Import => call.is_none(),
                        Kind::Impl => unresolved && call.is_none(),
                        Kind::Inherent => true,
                        // The lint says nothing about names that begin so.
                        Kind::Item => node.name.starts_with('_'),
                        Kind::Implemented => not_a_member && call.is_none(),
                        _ => false,
                    };
                    if may_go {
                        gone.insert(n);
                        followed = true;
                    }
                }
            }
            if !followed {
                trouble.push(error);
            }
        }
        if gone.is_empty() {
            return Ok(Err(trouble.iter().map(|e| words(&e.rendered)).collect()));
        }
        let next = without(&index, &gone);
        drop(index);
        text = next;
    }
    Ok(Err(Vec::new()))
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// All names in code that a cfg left open turns off on this machine: the compiler does not see that they are used.
fn inactive_names(text: &str) -> BTreeSet<String> {
    struct Inactive<'t> {
        text: &'t str,
        host: super::cfg::CfgSet,
        names: BTreeSet<String>,
    }
    impl<'ast> Visit<'ast> for Inactive<'_> {
        fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    }
    let mut found = Inactive {
        text,
        host: super::cfg::CfgSet::default(),
        names: BTreeSet::new(),
    };
    if !text.contains("cfg(") {
        return found.names;
    }
    if let Ok(host) = super::cfg::CfgSet::of_host(&super::resolve::rustc()) {
        found.host = host;
    }
    // By token: an attribute `#[cfg(…)]` that does not hold, and what follows it up to the end of that node.
    if let Ok(stream) = text.parse::<proc_macro2::TokenStream>() {
        inactive_in(stream, &found.host, &mut found.names);
    }
    let _ = found.text;
    found.names
}

fn inactive_in(
    stream: proc_macro2::TokenStream,
    host: &super::cfg::CfgSet,
    names: &mut BTreeSet<String>,
) {
    use proc_macro2::{Delimiter, TokenTree};
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        let attribute = match (&trees[at], trees.get(at + 1)) {
            (TokenTree::Punct(p), Some(TokenTree::Group(group)))
                if p.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
            {
                syn::parse2::<syn::Meta>(group.stream()).ok()
            }
            (TokenTree::Ident(word), Some(TokenTree::Punct(bang)))
                if word == "cfg" && bang.as_char() == '!' =>
            {
                None
            }
            _ => None,
        };
        if let Some(syn::Meta::List(list)) = &attribute {
            if list.path.is_ident("cfg") {
                let holds = list
                    .parse_args::<syn::Meta>()
                    .map_or(true, |predicate| host.holds_here(&predicate));
                if !holds {
                    at += 2;
                    // Up to the braces or the semicolon that end it.
                    while at < trees.len() {
                        let tree = trees[at].clone();
                        let end = match &tree {
                            TokenTree::Punct(p) => p.as_char() == ';' || p.as_char() == ',',
                            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                            _ => false,
                        };
                        idents(tree.into(), names);
                        at += 1;
                        if end {
                            break;
                        }
                    }
                    continue;
                }
            }
        }
        if let TokenTree::Group(group) = &trees[at] {
            inactive_in(group.stream(), host, names);
        }
        at += 1;
    }
}

fn idents(stream: proc_macro2::TokenStream, names: &mut BTreeSet<String>) {
    for tree in stream {
        match tree {
            proc_macro2::TokenTree::Ident(ident) if ident != "_" => {
                names.insert(ident.to_string());
            }
            proc_macro2::TokenTree::Group(group) => idents(group.stream(), names),
            _ => {}
        }
    }
}

/// Whether a diagnostic is one that an `allow` silences.
pub fn is_lint(diagnostic: &Diagnostic) -> bool {
    diagnostic
        .code
        .starts_with(|c: char| c.is_ascii_lowercase())
}

/// Adds `#[allow(…)]` to items of the user's own code where the compiler would warn about what had to stay: a field that only dropped code
/// read, a variant that only dropped code made.
pub fn quiet(text: &str, warnings: &[Diagnostic]) -> Result<Option<String>> {
    let index = Index::new(text)?;
    let mut wanted: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for warning in warnings {
        // Errors have codes like E0308, lints have names.
        if !is_lint(warning) {
            continue;
        }
        for (range, call) in &warning.spans {
            let place = call.as_ref().unwrap_or(range);
            if let Some(n) = index.innermost(place) {
                let node = &index.nodes[n];
                if !matches!(node.kind, Kind::Import | Kind::Arm) {
                    wanted
                        .entry(node.range.start)
                        .or_default()
                        .insert(warning.code.clone());
                }
            }
        }
    }
    if wanted.is_empty() {
        return Ok(None);
    }
    let mut edits = Edits::default();
    for (at, lints) in wanted {
        let lints: Vec<String> = lints.into_iter().collect();
        edits.insert(at, format!("#[allow({})]\n", lints.join(", ")));
    }
    Ok(Some(edits.apply(text)))
}
