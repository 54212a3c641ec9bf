//! Source text: edits by byte range, and the comments of a file.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use super::tokens::{is_ident, is_punct};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{
    AttrStyle, Attribute, File, Ident, ImplItem, Item, ItemUse, Signature, UseTree, Visibility,
};
use walkdir::{DirEntry, WalkDir};

/// Replacements of byte ranges of one text.
#[derive(Clone, Default)]
pub struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub fn replace(&mut self, range: Range<usize>, with: impl Into<String>) {
        self.0.push((range, with.into()));
    }

    pub fn delete(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Inserts a text before and one behind what is in a range, what was inserted at its ends among that.
    pub fn surround(&mut self, range: Range<usize>, before: &str, behind: &str) {
        self.0
            .insert(0, (range.start..range.start, before.to_owned()));
        self.insert(range.end, behind);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each place, and what is to be there.
    pub fn into_list(self) -> Vec<(Range<usize>, String)> {
        self.0
    }

    /// The text with the edits made. An edit inside a range that is replaced as a whole is lost with it.
    pub fn apply(mut self, text: &str) -> String {
        // Insertions go before a replacement that starts at the same place.
        self.0
            .sort_by_key(|(range, _)| (range.start, !range.is_empty(), Reverse(range.end)));
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        let mut pending: Vec<(Range<usize>, String)> = Vec::with_capacity(self.0.len());
        for edit in self.0 {
            match pending.last() {
                Some((last, _)) if edit.0.start < last.end => {}
                Some((last, _)) if *last == edit.0 && !edit.0.is_empty() => {}
                _ => pending.push(edit),
            }
        }
        for (range, with) in pending {
            out.push_str(&text[at..range.start]);
            out.push_str(&with);
            at = range.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

/// The lines of a text.
pub struct Lines(Vec<usize>);

impl Lines {
    pub fn new(text: &str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(breaks).collect())
    }

    /// The line of a place, from 1.
    pub fn at(&self, place: usize) -> usize {
        self.0.partition_point(|&start| start <= place)
    }

    /// Where a line starts.
    pub fn start(&self, line: usize) -> Option<usize> {
        self.0.get(line.checked_sub(1)?).copied()
    }
}

/// Bytes of Rust source in a folder and those below it.
pub fn size(folder: &Path) -> u64 {
    let files = files(folder).filter_map(|file| file.metadata().ok());
    files.map(|file| file.len()).sum()
}

/// About how many bytes of a file are no comments and no tests: tests come last, and comments have lines of their own.
pub fn code_size(text: &str) -> u64 {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    let lines = lines.map(str::trim).filter(|line| !line.starts_with("//"));
    lines.map(|line| line.len() as u64).sum()
}

/// The Rust files in a folder and those below it, in the same order everywhere.
pub fn files(folder: &Path) -> impl Iterator<Item = DirEntry> {
    let all = WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter();
    let is_rust = |entry: &DirEntry| {
        entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "rs")
    };
    all.filter_map(Result::ok)
        .filter(move |entry| is_rust(entry))
}

/// Whether a letter may stand in a name.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Code of edition 2015, in which some keywords of today are names.
pub fn with_raw_names(text: &str) -> String {
    const NAMES: [&str; 3] = ["async", "await", "try"];
    fn look(tokens: TokenStream, edits: &mut Edits) {
        let mut before = None;
        for tree in tokens {
            match &tree {
                TokenTree::Group(group) => look(group.stream(), edits),
                // The variable of a macro may be called by any word.
                TokenTree::Ident(name)
                    if before != Some('$') && NAMES.iter().any(|word| name == word) =>
                {
                    edits.insert(name.span().byte_range().start, "r#");
                }
                _ => {}
            }
            before = match &tree {
                TokenTree::Punct(punct) => Some(punct.as_char()),
                _ => None,
            };
        }
    }
    if !words(text).any(|word| NAMES.contains(&word)) {
        return text.to_owned();
    }
    let mut edits = Edits::default();
    look(text.parse().unwrap_or_default(), &mut edits);
    edits.apply(text)
}

/// The text without its modules of tests. The compiler reads them for no program, so it tells nothing of older code in them.
pub fn without_tests(text: &str) -> String {
    let trees: Vec<TokenTree> = text
        .parse::<TokenStream>()
        .map_or_else(|_| Vec::new(), |stream| stream.into_iter().collect());
    let mut bytes = text.as_bytes().to_vec();
    for trees in trees.windows(5) {
        let [TokenTree::Punct(hash), TokenTree::Group(attr), TokenTree::Ident(word), _, TokenTree::Group(body)] =
            trees
        else {
            continue;
        };
        let is_test = attr.stream().to_string() == "cfg (test)";
        if hash.as_char() == '#' && is_test && word == "mod" {
            let start = hash.span().byte_range().start;
            blank(&mut bytes, start..body.span().byte_range().end);
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Traits of the standard library that objects have most often, with the modules that they are in.
const OBJECTS: [(&str, &str); 10] = [
    ("any", "Any"),
    ("error", "Error"),
    ("fmt", "Debug"),
    ("fmt", "Display"),
    ("fmt", "Write"),
    ("io", "BufRead"),
    ("io", "Read"),
    ("io", "Seek"),
    ("io", "Write"),
    ("iter", "Iterator"),
];

/// Code before edition 2021 with `dyn` before the closures that it calls by their traits alone, as in `Box<Fn(u8)>` and `&Fn(u8)`, and
/// before what can be nothing but a trait, as in `&std::error::Error`. The compiler tells where else to write it, but nothing of macros
/// for others and of what a `cfg` leaves out.
pub fn with_dyn(text: &str) -> String {
    const CLOSURES: [&str; 3] = ["Fn", "FnMut", "FnOnce"];
    /// Whether some tokens are the trait of a closure and more bounds.
    fn is_of_closure(tokens: TokenStream) -> bool {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let is_closure = CLOSURES.iter().any(|word| is_ident(trees.first(), word));
        let is_called = matches!(trees.get(1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        is_closure && is_called && trees.iter().any(|tree| is_punct(tree, '+'))
    }
    fn look(tokens: TokenStream, edits: &mut Edits) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let punct = |at: usize, marks: &str| matches!(&trees[at], TokenTree::Punct(p) if marks.contains(p.as_char()));
        let word = |at: usize| match &trees[at] {
            TokenTree::Ident(word) => Some(word.to_string()),
            _ => None,
        };
        let colons = |at: usize| at + 1 < trees.len() && punct(at, ":") && punct(at + 1, ":");
        // Where a path begins that leads from the standard library to one of its traits, which ends before `end`.
        let path = |end: usize| {
            let first = end.checked_sub(7)?;
            let is_path =
                colons(first + 1) && colons(first + 4) && !(end < trees.len() && colons(end));
            let (module, name) = (word(first + 3)?, word(first + 6)?);
            let is_trait = OBJECTS.contains(&(module.as_str(), name.as_str()))
                || module == "ops" && CLOSURES.contains(&name.as_str());
            let is_standard = ["std", "core"].contains(&word(first)?.as_str());
            let leads = first.checked_sub(2).filter(|&at| colons(at));
            (is_path && is_trait && is_standard).then_some(leads.unwrap_or(first))
        };
        for (at, tree) in trees.iter().enumerate() {
            if let TokenTree::Group(group) = tree {
                look(group.stream(), edits);
                // `&(Fn(u8) + Sync)`
                let mut before = at;
                if before > 1 && punct(before - 2, "'") {
                    before -= 2;
                }
                if before > 0 && punct(before - 1, "<&") && is_of_closure(group.stream()) {
                    let first = group.span_open().byte_range().end;
                    edits.insert(first, "dyn ");
                }
            }
            let TokenTree::Ident(name) = tree else {
                continue;
            };
            let is_called = matches!(trees.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
            let is_closure = is_called && CLOSURES.iter().any(|word| name == word);
            let Some(first) = path(at + 1).or_else(|| is_closure.then_some(at)) else {
                continue;
            };
            let mut start = first;
            // `&'a mut`
            if start > 1 && word(start - 1).is_some_and(|word| word == "mut") {
                start -= 1;
            }
            if start > 2 && punct(start - 2, "'") {
                start -= 2;
            }
            let marks = if start == first { "<&" } else { "&" };
            if start > 0 && punct(start - 1, marks) {
                edits.insert(trees[first].span().byte_range().start, "dyn ");
            }
        }
    }
    // To read all of it takes long, and most are bounds.
    let may_be_object = |at: usize| {
        let before = text[..at].trim_end();
        let word = before.rsplit(|c| !is_word(c)).next().unwrap_or("");
        let is_lifetime = before[..before.len() - word.len()].ends_with('\'');
        is_lifetime
            || word == "mut"
            || ["<", "&", "(", "::", "*/"]
                .iter()
                .any(|mark| before.ends_with(mark))
    };
    let names = CLOSURES.into_iter().chain(OBJECTS.map(|(_, name)| name));
    let mut found = names.flat_map(|name| text.match_indices(name));
    if !found.any(|(at, _)| may_be_object(at)) {
        return text.to_owned();
    }
    let mut edits = Edits::default();
    look(text.parse().unwrap_or_default(), &mut edits);
    let new = edits.apply(text);
    // Somebody's own `Fn` may be a variant.
    let is_readable = |text: &str| syn::parse_file(text).is_ok();
    if new != text && !is_readable(&new) && is_readable(text) {
        return text.to_owned();
    }
    new
}

/// A text as items. Several look at the text of a crate one after the other, and to read it is most of their work: what this thread has
/// read last is at hand.
pub fn parsed(text: &str) -> syn::Result<Rc<File>> {
    thread_local! {
        static LAST: RefCell<Option<(String, Rc<File>)>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| match last {
        Some((of, file)) if of == text => Ok(Rc::clone(file)),
        _ => {
            *last = None;
            let file = Rc::new(syn::parse_file(text)?);
            *last = Some((text.to_owned(), Rc::clone(&file)));
            Ok(file)
        }
    })
}

/// What of a text could be names.
pub fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

/// The attributes of a file. They are before its first item, and to read all of it takes long.
pub fn inner_attributes(text: &str) -> Vec<Attribute> {
    const ITEMS: [&str; 8] = [
        "pub",
        "use",
        "mod",
        "extern",
        "#[",
        "fn",
        "struct",
        "macro_rules",
    ];
    let attributes = |input: ParseStream| {
        let found = input.call(Attribute::parse_inner)?;
        input.parse::<TokenStream>()?;
        Ok(found)
    };
    let is_item = |&(at, _): &(usize, _)| ITEMS.iter().any(|item| text[at + 1..].starts_with(item));
    let first = text.match_indices('\n').find(is_item);
    let head = first.map_or(text, |(end, _)| &text[..end]);
    // What looks like an item may stand in a comment or a string: then there is no end to that.
    let found = attributes.parse_str(head);
    found
        .or_else(|_| attributes.parse_str(text))
        .unwrap_or_default()
}

/// What of a text could be imports, each from behind its `use` on: what stands on a line of a comment is none.
pub fn imports(text: &str) -> impl Iterator<Item = &str> {
    let found = text.match_indices("use").filter(|&(at, _)| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        !text[line..at].trim_start().starts_with("//")
    });
    let behind = found.map(|(at, word)| &text[at + word.len()..]);
    behind.map(|rest| rest.split(';').next().unwrap_or(rest))
}

/// Whether a text has a path with a name in it that is not its first.
pub fn has_path_to(text: &str, name: &str) -> bool {
    let step = format!("::{name}");
    let mut found = text.match_indices(&step);
    found.any(|(at, path)| !text[at + path.len()..].starts_with(is_word))
}

/// Whether a text is another in which some bytes are blanks instead.
pub fn is_part(part: &str, of: &str) -> bool {
    let is_same = |(now, before): (u8, u8)| now == before || now.is_ascii_whitespace();
    part.len() == of.len() && part.bytes().zip(of.bytes()).all(is_same)
}

/// A name as others may write it: `r#gen` and `gen` are the same. A keyword is a name only with its mark.
pub fn plain_name(name: &str) -> &str {
    let plain = name.strip_prefix("r#");
    plain
        .filter(|plain| syn::parse_str::<Ident>(plain).is_ok())
        .unwrap_or(name)
}

/// The byte range of an item with its attributes. `Spanned` would copy all tokens of what is nested, level by level.
pub fn item_range(item: &Item) -> Range<usize> {
    match item {
        Item::Mod(i) => match &i.content {
            Some((brace, _)) => {
                let word = i.unsafety.map_or(i.mod_token.span, |token| token.span);
                start(&i.attrs, &i.vis, word)..brace.span.close().byte_range().end
            }
            None => item.span().byte_range(),
        },
        Item::Impl(i) => {
            let word = i.unsafety.map_or(i.impl_token.span, |token| token.span);
            let end = i.brace_token.span.close().byte_range().end;
            start(&i.attrs, &Visibility::Inherited, word)..end
        }
        Item::Fn(i) => {
            let end = i.block.brace_token.span.close().byte_range().end;
            start(&i.attrs, &i.vis, i.sig.span())..end
        }
        _ => item.span().byte_range(),
    }
}

/// The same of an item of an impl.
pub fn impl_item_range(item: &ImplItem) -> Range<usize> {
    match item {
        ImplItem::Fn(i) => {
            let end = i.block.brace_token.span.close().byte_range().end;
            start(&i.attrs, &i.vis, i.sig.span())..end
        }
        _ => item.span().byte_range(),
    }
}

/// Where a function begins for the compiler: behind its attributes.
pub fn function_start(vis: &Visibility, signature: &Signature) -> usize {
    start(&[], vis, signature.span())
}

fn start(attrs: &[Attribute], vis: &Visibility, rest: Span) -> usize {
    let outer = |attr: &&Attribute| matches!(attr.style, AttrStyle::Outer);
    let first = match (attrs.iter().find(outer), vis) {
        (Some(attr), _) => attr.pound_token.span,
        (None, Visibility::Inherited) => rest,
        (None, vis) => vis.span(),
    };
    first.byte_range().start
}

/// What of a text is no code.
enum Piece {
    Comment(Range<usize>),
    /// A string or a character.
    Literal(Range<usize>),
}

impl Piece {
    fn comment(self) -> Option<Range<usize>> {
        match self {
            Self::Comment(range) => Some(range),
            Self::Literal(_) => None,
        }
    }
}

/// The byte ranges of all comments, doc comments among them.
pub fn comments(text: &str) -> Vec<Range<usize>> {
    let pieces = pieces(text).into_iter();
    pieces.filter_map(Piece::comment).collect()
}

fn pieces(text: &str) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |n| at + n);
                found.push(Piece::Comment(start..at));
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let mut depth = 0;
                while at < bytes.len() {
                    if bytes[at..].starts_with(b"/*") {
                        depth += 1;
                        at += 2;
                    } else if bytes[at..].starts_with(b"*/") {
                        depth -= 1;
                        at += 2;
                        if depth == 0 {
                            break;
                        }
                    } else {
                        at += 1;
                    }
                }
                found.push(Piece::Comment(start..at));
            }
            b'"' => {
                at = string_end(bytes, at);
                found.push(Piece::Literal(start..at));
            }
            b'r' | b'b' | b'c' if at == 0 || !is_in_word(bytes[at - 1]) => {
                // A raw string: r"…", br#"…"#, cr##"…"##; a raw identifier is r#name.
                let prefix = usize::from(bytes[at] != b'r' && bytes.get(at + 1) == Some(&b'r'));
                let mut quote = at + prefix + 1;
                let hashes = bytes[quote.min(bytes.len())..]
                    .iter()
                    .take_while(|&&b| b == b'#')
                    .count();
                quote += hashes;
                if bytes[at + prefix] == b'r' && bytes.get(quote) == Some(&b'"') {
                    let close = format!("\"{}", "#".repeat(hashes));
                    at = text[quote + 1..]
                        .find(&close)
                        .map_or(bytes.len(), |n| quote + 1 + n + close.len());
                    found.push(Piece::Literal(start..at));
                } else {
                    at += 1;
                }
            }
            b'\'' => {
                // A character, or a lifetime.
                let mut chars = text[at + 1..].chars();
                match (chars.next(), chars.next()) {
                    (Some('\\'), _) => {
                        at += 3;
                        while at < bytes.len() && bytes[at] != b'\'' {
                            at += 1;
                        }
                        at = (at + 1).min(bytes.len());
                        found.push(Piece::Literal(start..at));
                    }
                    (Some(c), Some('\'')) => {
                        at += 2 + c.len_utf8();
                        found.push(Piece::Literal(start..at));
                    }
                    _ => at += 1,
                }
            }
            _ => at += 1,
        }
    }
    found
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A file as the compiler reads it: without a mark of its encoding and a first line `#!…` for the system, with `\n` at the ends of lines.
pub fn plain(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    match text.strip_prefix("#!") {
        Some(rest) if !code(rest).starts_with('[') => {
            let line = text.find('\n').map_or(text.len(), |n| n + 1);
            text[line..].to_owned()
        }
        _ => text,
    }
}

/// What of a text begins with code.
fn code(text: &str) -> &str {
    let text = text.trim_start();
    match comments(text).first() {
        Some(first) if first.start == 0 => code(&text[first.end..]),
        _ => text,
    }
}

/// Whether a comment on a line of its own goes on with one behind code, on the line above or further up: it stands in the same column.
pub fn goes_on(text: &str, comments: &[Range<usize>], comment: usize) -> bool {
    let before = |at: usize| {
        let start = comments[at].start;
        &text[text[..start].rfind('\n').map_or(0, |n| n + 1)..start]
    };
    let is_plain = |at: usize| {
        let comment = &text[comments[at].clone()];
        comment.starts_with("//") && !is_doc(comment)
    };
    let mut at = comment;
    while before(at).trim().is_empty() {
        let above = at.checked_sub(1).filter(|&above| is_plain(above));
        let Some(above) = above.filter(|_| is_plain(at)) else {
            return false;
        };
        let gap = &text[comments[above].end..comments[at].start];
        let is_below = gap.trim().is_empty() && gap.matches('\n').count() == 1;
        if !is_below || columns(before(above)) != columns(before(at)) {
            return false;
        }
        at = above;
    }
    at < comment
}

/// Where a text has `Drop for`, and where what is behind that begins. rustfmt may break the line between the two.
pub fn drops(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    text.match_indices("Drop").filter_map(|(at, found)| {
        let behind = &text[at + found.len()..];
        let of = behind.trim_start().strip_prefix("for")?;
        let is_apart = behind.starts_with(char::is_whitespace) && !of.starts_with(is_word);
        is_apart.then(|| (at, text.len() - of.trim_start().len()))
    })
}

/// The comments that begin and end a region, which editors fold: `// region: x`, `// #region`, `// endregion`.
pub fn regions(text: &str, comments: &[Range<usize>]) -> Vec<[usize; 2]> {
    let begins = |at: usize| {
        let comment = text[comments[at].clone()].strip_prefix("//")?.trim_start();
        let comment = comment.strip_prefix('#').unwrap_or(comment);
        let (begins, name) = match comment.strip_prefix("end") {
            Some(rest) => (false, rest.trim_start()),
            None => (true, comment),
        };
        let behind = name.strip_prefix("region")?;
        (!behind.starts_with(is_word)).then_some(begins)
    };
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for at in 0..comments.len() {
        match begins(at) {
            Some(true) => open.push(at),
            // What only sounds like one has no end.
            Some(false) => found.extend(open.pop().map(|start| [start, at])),
            None => {}
        }
    }
    found
}

/// The comments on lines of their own that have an empty line below: each run of them. They may be about more than what is next.
pub fn titles(text: &str, comments: &[Range<usize>], regions: &[[usize; 2]]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (n, comment) in comments.iter().enumerate() {
        let line = text[..comment.start].rfind('\n').map_or(0, |n| n + 1);
        let is_on_line = text[line..comment.start].trim().is_empty();
        let is_region = || regions.iter().any(|marks| marks.contains(&n));
        if is_doc(&text[comment.clone()])
            || !is_on_line
            || goes_on(text, comments, n)
            || is_region()
        {
            continue;
        }
        match runs.last_mut() {
            Some(run) if is_gap(&text[run.end..comment.start], 1) => run.end = comment.end,
            _ => runs.push(comment.clone()),
        }
    }
    let behind = |run: &Range<usize>| text.len() - text[run.end..].trim_start().len();
    runs.retain(|run| !is_gap(&text[run.end..behind(run)], 1));
    runs
}

/// Whether there are so many ends of lines in what is blank, or fewer.
fn is_gap(text: &str, lines: usize) -> bool {
    text.trim().is_empty() && text.matches('\n').count() <= lines
}

/// Where the comments end that are behind a place with nothing else on its line, and those that go on with the last; else the place.
pub fn end_of_comments(text: &str, comments: &[Range<usize>], place: usize) -> usize {
    let mut end = place;
    let first = comments.partition_point(|comment| comment.start < place);
    for at in first..comments.len() {
        let comment = &comments[at];
        let gap = &text[end..comment.start];
        let is_behind = gap.trim().is_empty()
            && (!gap.contains('\n') || end > place && goes_on(text, comments, at));
        if !is_behind || is_doc(&text[comment.clone()]) {
            break;
        }
        end = comment.end;
    }
    let rest = text[end..].trim_start_matches([' ', '\t', '\r']);
    match rest.is_empty() || rest.starts_with('\n') {
        true => end,
        false => place,
    }
}

/// How many columns a tab in a source is taken for.
pub const TAB: usize = 4;

/// How wide a text is.
pub fn columns(text: &str) -> usize {
    let of = |c| if c == '\t' { TAB } else { 1 };
    text.chars().map(of).sum()
}

/// The text without its comments; lines that held nothing else go too.
pub fn without_comments(text: &str) -> String {
    without(text, comments(text)).apply(text)
}

/// The same, but documentation in calls of macros stays, as attributes: it is a part of what a macro gets.
pub fn without_other_comments(text: &str) -> String {
    let pieces = pieces(text);
    let mut given = docs_in_calls(text, &pieces);
    let comments = pieces.into_iter().filter_map(Piece::comment);
    let (stay, go): (Vec<_>, Vec<_>) = comments.partition(|range| given.contains_key(&range.start));
    let mut edits = without(text, go);
    for range in stay {
        let attribute = given.remove(&range.start).unwrap_or_default();
        edits.replace(range, attribute);
    }
    edits.apply(text)
}

fn without(text: &str, comments: Vec<Range<usize>>) -> Edits {
    let mut edits = Edits::default();
    for range in comments {
        let line = text[..range.start].rfind('\n').map_or(0, |n| n + 1);
        let alone = text[line..range.start].trim().is_empty();
        let end = range.end;
        let rest = text[end..].find('\n').map_or(text.len(), |n| end + n);
        if alone && text[end..rest].trim().is_empty() {
            edits.delete(line..(rest + 1).min(text.len()));
        } else {
            edits.replace(range, " ");
        }
    }
    edits
}

/// The doc comments among the arguments of macros, by their places, as attributes. `pieces` are those of the text.
fn docs_in_calls(text: &str, pieces: &[Piece]) -> BTreeMap<usize, String> {
    let mut found = BTreeMap::new();
    // For each bracket that is open here, whether it is, or stands in, that of a call.
    let mut calls: Vec<bool> = Vec::new();
    let (mut last, mut is_named) = (b' ', false);
    let mut add_code = |code: &str, calls: &mut Vec<bool>| {
        for byte in code.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
            match byte {
                b'(' | b'[' | b'{' => {
                    let is_in_call = calls.last() == Some(&true);
                    calls.push(is_in_call || last == b'!' && is_named);
                }
                b')' | b']' | b'}' => drop(calls.pop()),
                b'!' => is_named = is_in_word(last),
                _ => {}
            }
            last = byte;
        }
    };
    let mut end = 0;
    for piece in pieces {
        let (Piece::Comment(range) | Piece::Literal(range)) = piece;
        add_code(&text[end..range.start], &mut calls);
        end = range.end;
        match piece {
            Piece::Literal(_) => add_code("\"", &mut calls),
            Piece::Comment(_) if calls.last() == Some(&true) => {
                let attribute = doc_attribute(&text[range.clone()]);
                found.extend(attribute.map(|attribute| (range.start, attribute)));
            }
            Piece::Comment(_) => {}
        }
    }
    found
}

/// A doc comment as an attribute; nothing if it is another one.
fn doc_attribute(comment: &str) -> Option<String> {
    let tokens: TokenStream = comment.parse().ok()?;
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let hash = if trees.len() > 2 { "#!" } else { "#" };
    Some(format!("{hash}{}", trees.last()?))
}

/// Whether a comment is documentation.
pub fn is_doc(comment: &str) -> bool {
    doc_attribute(comment).is_some()
}

fn is_doc_end(lines: &[&str]) -> bool {
    lines
        .last()
        .is_some_and(|last| ["///", "//!"].contains(&last.trim()))
}

/// How deep a heading a line of a doc comment is, or 0.
pub fn level(line: &str) -> usize {
    let mut marks = ["///", "//!"].into_iter();
    let body = marks.find_map(|mark| line.trim_start().strip_prefix(mark));
    let body = body.unwrap_or("").trim_start();
    let text = body.trim_start_matches('#');
    match text.starts_with(' ') {
        true => body.len() - text.len(),
        false => 0,
    }
}

/// Takes the words that lead to an example, up to a colon, from the lines of a doc comment before it, the first of which is known. Under a
/// heading for examples a few words are its title.
fn drop_lead(lines: &mut Vec<&str>, first: usize, is_under_heading: bool) {
    let is_text = |line: &&&str| !is_doc_end(&[line]) && level(line) == 0;
    let Some(last) = lines.iter().rposition(|line| !is_doc_end(&[line])) else {
        return;
    };
    if last < first || !is_text(&&lines[last]) {
        return;
    }
    let is_alone = last == first || is_doc_end(&lines[..last]);
    let title = lines[last].trim_start_matches([' ', '\t', '/', '!']);
    let is_title = words(title).count() < 5
        && title.starts_with(char::is_lowercase)
        && title
            .chars()
            .all(|c| c.is_alphanumeric() || c == ' ' || c == '-');
    if is_under_heading && is_alone && is_title {
        lines.truncate(last);
        return;
    }
    if !lines[last].ends_with(':') {
        return;
    }
    let words_before = lines[first..=last].iter().rev().take_while(is_text);
    let start = last + 1 - words_before.count();
    let end_in = |at: usize| {
        let end = lines[at].rfind(". ")?;
        // That of `e.g.` is none.
        let word = lines[at][..end].rsplit(' ').next()?;
        (!word.contains('.')).then_some((at, end))
    };
    let sentence = (start..=last).rev().find_map(end_in);
    if let Some((at, end)) = sentence {
        lines.truncate(at + 1);
        lines[at] = &lines[at][..=end];
        return;
    }
    // What a comment begins with may say more.
    let is_first = start == first;
    let told = ["example", "examples", "usage"];
    let mut words = words(lines[last]);
    let is_known = words.clone().count() < 5
        && words.any(|word| told.iter().any(|known| word.eq_ignore_ascii_case(known)));
    if !is_first || start == last && is_known {
        lines.truncate(start);
    }
}

/// What marks an example as code to be tested in some way, as does nothing.
const OF_RUST: [&str; 6] = [
    "",
    "rust",
    "ignore",
    "no_run",
    "should_panic",
    "compile_fail",
];

/// Whether lines of documentation, the first of which begins a block marked so, are an example: code in Rust.
fn is_example<'t>(kind: &str, marks: &str, lines: impl Iterator<Item = &'t str>) -> bool {
    let is_of_rust = |part: &str| OF_RUST.contains(&part) || part.starts_with("edition");
    if !kind.split(',').all(|part| is_of_rust(part.trim())) {
        return false;
    }
    let lines = lines.skip(1).map_while(|line| {
        let line = line.trim_start();
        let mut bodies = ["///", "//!"].into_iter();
        let body = bodies.find_map(|mark| line.strip_prefix(mark))?.trim();
        // Hidden in the documentation.
        (!body.starts_with(marks)).then(|| body.strip_prefix("# ").unwrap_or(body))
    });
    let code: Vec<&str> = lines.filter(|line| *line != "#").collect();
    let code = code.join("\n");
    syn::parse_str::<syn::Block>(&format!("{{{code}\n}}")).is_ok() || syn::parse_file(&code).is_ok()
}

/// The text without the examples in its doc comments: code of another crate, which the file is not. What is marked as another language, or
/// is no Rust, stays.
pub fn without_examples(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    // Where the lines begin that are of the last doc comment: those before may look like it, in a string.
    let mut first = 0;
    // The marks that a block began with, and whether it is plain text.
    let mut fence: Option<(&str, bool)> = None;
    // Where a heading stands that has had nothing but examples under it.
    let mut bare = None;
    // Whether the last heading was one for examples.
    let mut is_of_examples = false;
    // Lines of a string that looks like a doc comment are none.
    let starts: std::collections::BTreeSet<usize> = comments(text)
        .into_iter()
        .map(|range| range.start)
        .collect();
    let mut at = 0;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let is_comment = starts.contains(&(at + indent));
        let line_start = at;
        at += line.len() + 1;
        let doc = line.trim_start();
        let mark = ["///", "//!"]
            .into_iter()
            .find(|mark| is_comment && doc.starts_with(mark));
        let Some(body) = mark.map(|mark| doc[mark.len()..].trim()) else {
            fence = None;
            is_of_examples = false;
            if let Some(at) = bare.take() {
                out.truncate(at);
            }
            // An empty doc line before the item explains nothing.
            while is_doc_end(&out[first..]) {
                out.pop();
            }
            out.push(line);
            first = out.len();
            continue;
        };
        if let Some((marks, is_plain)) = fence {
            if body.starts_with(marks) && body.trim_start_matches('`').is_empty() {
                fence = None;
            }
            if is_plain {
                out.push(line);
            }
            continue;
        }
        if body.starts_with("```") {
            let kind = body.trim_start_matches('`');
            let marks = &body[..body.len() - kind.len()];
            let is_plain = !is_example(kind, marks, text[line_start..].lines());
            fence = Some((marks, is_plain));
            if !is_plain {
                drop_lead(&mut out, first, is_of_examples);
                let last = out.iter().rposition(|last| !is_doc_end(&[last]));
                bare = last.filter(|&at| at >= first && level(out[at]) > 0);
                continue;
            }
        }
        let is_heading = matches!(body, "# Example" | "# Examples");
        if is_heading || level(line) > 0 {
            is_of_examples = is_heading;
        }
        if is_heading {
            continue;
        }
        let is_after_empty = out.len() == first || is_doc_end(&out);
        if body.is_empty() && is_after_empty {
            continue;
        }
        if !body.is_empty() {
            // Another heading follows, unless it is one under that.
            let ends = |at: &usize| (1..=level(out[*at])).contains(&level(line));
            if let Some(at) = bare.take().filter(ends) {
                out.truncate(at);
            }
        }
        out.push(line);
    }
    let mut text = out.join("\n");
    text.push('\n');
    text
}

/// Calls `then` with the name and the body of each definition of a macro, also of those that a macro defines.
pub fn macro_definitions(stream: TokenStream, then: &mut dyn FnMut(&Ident, &Group)) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        match at.checked_sub(1).map(|before| &trees[before]) {
            Some(TokenTree::Ident(name)) if is_macro(&trees, at) => then(name, group),
            _ => {}
        }
        macro_definitions(group.stream(), then);
    }
}

/// Whether there is a `$` among tokens of a macro's definition.
pub fn has_variable(stream: TokenStream) -> bool {
    stream.into_iter().any(|tree| match tree {
        TokenTree::Punct(punct) => punct.as_char() == '$',
        TokenTree::Group(group) => has_variable(group.stream()),
        _ => false,
    })
}

/// The names on the path of each name that an import brings, or of all (`*`), and what that is called then. A path that begins with `::`
/// has an empty name first.
pub fn leaves(import: &ItemUse) -> Vec<(Vec<String>, String)> {
    fn add(tree: &UseTree, mut path: Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
        let (name, called) = match tree {
            UseTree::Path(of) => {
                path.push(of.ident.to_string());
                return add(&of.tree, path, found);
            }
            UseTree::Group(of) => {
                let inside = of.items.iter();
                return inside.for_each(|tree| add(tree, path.clone(), found));
            }
            UseTree::Name(of) => (of.ident.to_string(), of.ident.to_string()),
            UseTree::Rename(of) => (of.ident.to_string(), of.rename.to_string()),
            UseTree::Glob(_) => ("*".to_owned(), "*".to_owned()),
        };
        path.push(name);
        found.push((path, called));
    }
    let path = Vec::from_iter(import.leading_colon.map(|_| String::new()));
    let mut found = Vec::new();
    add(&import.tree, path, &mut found);
    found
}

/// The group at this place holds what a macro is called with, or its definition.
pub fn is_macro(trees: &[TokenTree], at: usize) -> bool {
    let bang = |at: usize| is_punct(&trees[at], '!');
    let word = |at: usize| matches!(&trees[at], TokenTree::Ident(_));
    at >= 2 && bang(at - 1) && word(at - 2)
        || at >= 3 && word(at - 1) && bang(at - 2) && word(at - 3)
}

/// Puts spaces over a part of a text, which keeps its lines.
pub fn blank(bytes: &mut [u8], range: Range<usize>) {
    for byte in &mut bytes[range] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_in_comments_are_none() {
        let text = "//! use a;\n  /// use b;\nuse c::{d, e}; pub use f; // use g;\nx // use h";
        let found: Vec<&str> = imports(text).map(str::trim).collect();
        assert_eq!(found, ["c::{d, e}", "f", "g", "h"]);
    }

    #[test]
    fn attributes_of_a_file_are_read_without_the_rest() {
        let names = |text: &str| -> Vec<String> {
            let found = inner_attributes(text);
            found
                .iter()
                .map(|of| of.path().get_ident().unwrap().to_string())
                .collect()
        };
        let head =
            "// a\n#![no_std]\n/*\npub b */\n#![doc = \"\nuse c\"]\n#![allow(\nfn,\n)]\n//! d";
        let all = ["no_std", "doc", "allow", "doc"];
        assert_eq!(names(head), all);
        assert_eq!(names(&format!("{head}\n\nmod e;\n'")), all[..0]);
        for items in [
            "",
            "pub use f;",
            "#[cfg(g)]\npub mod h;",
            "i! { }\nfn j() {}",
        ] {
            assert_eq!(names(&format!("{head}\n{items}\n")), all, "{items}");
        }
        let rest = "fn k() { \"an end that is none";
        assert_eq!(names(&format!("#![no_std]\n{rest}")), ["no_std"]);
    }

    #[test]
    fn impls_of_drop_are_found_over_lines() {
        let text = "impl Drop for A {} impl<T> std::ops::Drop\n    for\n    B<T> {} impl Dropfor C {} impl Drop forD {} Drop(for) e";
        let found = drops(text).map(|(at, of)| (&text[at..at + 4], &text[of..of + 1]));
        assert_eq!(found.collect::<Vec<_>>(), [("Drop", "A"), ("Drop", "B")]);
    }

    #[test]
    fn comments_and_tests_are_no_code() {
        let text = "//! Doc.\n\nfn f() {\n    // g\n    g()\n}\n\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(code_size(text), "fn f() {g()}".len() as u64);
    }

    #[test]
    fn comments_are_found_and_strings_are_not_comments() {
        let text = "a // one\n\"// no\" r#\"/* no */\"# 'x' '\\'' '\"' 'l: /* two /* nested */ */ b br\"//\" /// doc\n";
        let found: Vec<&str> = comments(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, ["// one", "/* two /* nested */ */", "/// doc"]);
    }

    #[test]
    fn a_comment_goes_on_in_its_column() {
        let found = |text: &str| {
            let comments = comments(text);
            (0..comments.len())
                .filter(|&n| goes_on(text, &comments, n))
                .collect::<Vec<_>>()
        };
        assert_eq!(found("a; // 0\n   // 1\n   // 2\n// 3\n"), [1, 2]);
        assert_eq!(found("\ta; // 0\n\t   // 1\n"), [1]);
        for text in [
            "a; // 0\n\n   // 1\n",
            "// 0\n// 1\n",
            "a; // 0\n   /// 1\n",
            "a; /* 0 */\n   // 1\n",
            "a; // 0\nb; // 1\n",
        ] {
            assert_eq!(found(text), [0usize; 0], "{text}");
        }
    }

    #[test]
    fn lines_of_comment_go_whole() {
        assert_eq!(
            without_comments("/// doc\nfn f() { /* x */ g() } // y\n  // z\n"),
            "fn f() {   g() }  \n"
        );
    }

    #[test]
    fn documentation_stays_where_macros_see_it() {
        let text = "/// no\nm! {\n    /// a \"b\"\n    A, // no\n    n!(/** c */ B)\n}\nmacro_rules! m { () => { /// no\n struct A; n! { //! d\n } } }\n";
        assert_eq!(
            without_other_comments(text),
            "m! {\n    #[doc = \" a \\\"b\\\"\"]\n    A,  \n    n!(#[doc = \" c \"] B)\n}\nmacro_rules! m { () => {  \n struct A; n! { #![doc = \" d\"]\n } } }\n"
        );
    }

    #[test]
    fn what_stands_in_a_call_is_told_by_its_brackets() {
        let call = |text: &str| format!("m! {{ {text}\n/// a\nA }}\n/// b\nstruct B;\n");
        let left = |text: &str| format!("m! {{ {text}\n#[doc = \" a\"]\nA }}\nstruct B;\n");
        for text in ["'}'", "\"}\"", "r#\"}\"#", "b'\\'', '}'", "'a {}", ""] {
            assert_eq!(without_other_comments(&call(text)), left(text));
        }
        for text in [
            "a != (/// a\n)",
            "m!();\n/// a\nfn f() {}",
            "é! { }\n/// a\nfn f() {}",
            "#![cfg(/** a */ x)]",
        ] {
            assert!(!without_other_comments(text).contains(" a"), "{text}");
        }
    }

    #[test]
    fn examples_go_and_prose_stays() {
        let text = "//! Top.\n//!\n//! ```\n//! code();\n//! ```\n\n/// Does it.\n///\n/// # Example\n///\n/// ```\n/// use a::b;\n/// ```\n///\n/// Slowly.\nfn f() {}\n";
        assert_eq!(
            without_examples(text),
            "//! Top.\n\n/// Does it.\n///\n/// Slowly.\nfn f() {}\n"
        );
    }

    #[test]
    fn lines_of_strings_are_no_documentation() {
        for text in [
            "const A: &str = \"\n///\n/// # B\n///\n\";\nfn f() {}\n",
            "const A: &str = r\"\n/// As in:\n///\";\n/// C.\nfn f() {}\n",
            "/*\n/// # D\n///\n*/\nfn f() {}\n",
        ] {
            assert_eq!(without_examples(text), text);
            let example = "/// ```\n/// a();\n/// ```\nfn f() {}\n";
            let with_example = text.replace("fn f() {}\n", example);
            assert_eq!(without_examples(&with_example), text);
        }
    }

    #[test]
    fn words_that_lead_to_an_example_go_with_it() {
        let example = "///\n/// ```\n/// a();\n/// ```\n";
        for (doc, left) in [
            ("/// Does it.\n///\n/// Basic usage:\n", "/// Does it.\n"),
            ("/// Does it. As in\n/// this:\n", "/// Does it.\n"),
            (
                "/// Does it.\n///\n/// # Example\n///\n/// default version\n",
                "/// Does it.\n",
            ),
            (
                "/// Does it.\n///\n/// # Example\n///\n/// Never panics\n",
                "/// Does it.\n///\n/// Never panics\n",
            ),
            (
                "/// Does it.\n///\n/// # Cost\n///\n/// default version\n",
                "/// Does it.\n///\n/// # Cost\n///\n/// default version\n",
            ),
            (
                "/// Does it.\n///\n/// # Examples\n///\n/// With\n/// many:\n",
                "/// Does it.\n",
            ),
            (
                "/// Does it.\n///\n/// # Use\n/// Like so:\n",
                "/// Does it.\n",
            ),
            ("    /// Example:\n", ""),
            ("/// Does it, e.g. so:\n", "/// Does it, e.g. so:\n"),
            ("/// Does what it is told:\n", "/// Does what it is told:\n"),
            ("// Not this:\n/// # X\n", "// Not this:\n"),
        ] {
            let text = without_examples(&format!("{doc}{example}fn f() {{}}\n"));
            assert_eq!(text, format!("{left}fn f() {{}}\n"));
        }
    }

    #[test]
    fn plain_text_is_no_example() {
        let text = "/// # Kinds\n///\n/// Like this:\n/// ```text\n/// # x | y\n///\n/// ```rust\n/// ```\n///\n/// ````\n/// # a();\n/// ````\n/// ```c\n/// a();\n/// ```\n/// ```\n/// 1 [2 3]\n/// ```\n///\n/// End.\nfn f() {}\n";
        let left = "/// # Kinds\n///\n/// Like this:\n/// ```text\n/// # x | y\n///\n/// ```rust\n/// ```\n///\n/// ```c\n/// a();\n/// ```\n/// ```\n/// 1 [2 3]\n/// ```\n///\n/// End.\nfn f() {}\n";
        assert_eq!(without_examples(text), left);
    }

    #[test]
    fn a_heading_over_nothing_but_examples_goes() {
        let text = "/// Does it.\n///\n/// # 例\n///\n/// ```\n/// # a();\n/// ```\n///\n/// # Panics\n///\n/// Never.\n///\n/// ## Like\n/// ```\n/// ```\nfn f() {}\n\
                    /// # One\n/// ```\n/// ```\n/// Or two.\nfn g() {}\n/// # Kinds\n/// ```\n/// ```\n/// ## Odd\n/// 1\n/// #x\n/// ```\n/// ```\nfn h() {}\n\
                    // # Part\n/// ```\n/// ```\nfn i() {}\n";
        assert_eq!(
            without_examples(text),
            "/// Does it.\n///\n/// # Panics\n///\n/// Never.\nfn f() {}\n\
             /// # One\n/// Or two.\nfn g() {}\n/// # Kinds\n/// ## Odd\n/// 1\n/// #x\nfn h() {}\n\
             // # Part\nfn i() {}\n"
        );
    }

    #[test]
    fn closures_by_their_traits_get_a_word() {
        let text = "fn f<F: Fn(u8)>(a: Box<Fn(u8) -> u8>, b: &FnMut(), c: &'a mut FnOnce(u8), d: &dyn Fn(), e: Box<dyn Fn()>, f: impl Fn()) where &'a F: Fn(), F: 'a + Fn() { Fn(1) < Fn } \
                    macro_rules! m { () => { Vec<&'a Fn()> } }";
        let expected = "fn f<F: Fn(u8)>(a: Box<dyn Fn(u8) -> u8>, b: &dyn FnMut(), c: &'a mut dyn FnOnce(u8), d: &dyn Fn(), e: Box<dyn Fn()>, f: impl Fn()) where &'a F: Fn(), F: 'a + Fn() { Fn(1) < Fn } \
                    macro_rules! m { () => { Vec<&'a dyn Fn()> } }";
        assert_eq!(with_dyn(text), expected);
        let text = "fn cause(&self) -> Option<&::std::error::Error>; Box<std::error::Error + 'static> &'a std::any::Any \
                    <T as ::std::error::Error>::f() Vec<&dyn std::fmt::Debug> T: &std::error::Error::g";
        let expected = "fn cause(&self) -> Option<&dyn ::std::error::Error>; Box<dyn std::error::Error + 'static> &'a dyn std::any::Any \
                    <T as ::std::error::Error>::f() Vec<&dyn std::fmt::Debug> T: &std::error::Error::g";
        assert_eq!(with_dyn(text), expected);
        let text = "static A: &(Fn(u8) -> u8 + Sync) = &f; fn g(a: Box<(Fn() + Send)>, b: &'static (FnMut() + 'a), c: &(Fn)) {}";
        let expected = "static A: &(dyn Fn(u8) -> u8 + Sync) = &f; fn g(a: Box<(dyn Fn() + Send)>, b: &'static (dyn FnMut() + 'a), c: &(Fn)) {}";
        assert_eq!(with_dyn(text), expected);
        let text = "enum Word { Fn(u8) } use Word::*; fn f() { g(&Fn(1)) }";
        assert_eq!(with_dyn(text), text);
    }

    #[test]
    fn modules_of_tests_go() {
        let text = "mod a {} #[cfg(test)]\nmod tests { fn f(u8); }\n#[cfg(feature = \"test\")] mod b {} #[cfg(test)] mod c;";
        let left = "mod a {}             \n                       \n#[cfg(feature = \"test\")] mod b {} #[cfg(test)] mod c;";
        assert_eq!(without_tests(text), left);
    }

    #[test]
    fn the_first_line_may_be_for_the_system() {
        assert_eq!(
            plain("\u{feff}#!/usr/bin/env x\r\nfn f() {}\r\n"),
            "fn f() {}\n"
        );
        assert_eq!(plain("#!x"), "");
        for attribute in ["#![a]\n", "#! /* x */ // y\n [a]\n"] {
            assert_eq!(plain(attribute), attribute);
        }
    }

    #[test]
    fn an_edit_inside_a_replaced_range_is_lost() {
        let mut edits = Edits::default();
        edits.replace(2..3, "x");
        edits.delete(1..4);
        edits.insert(1, "+");
        assert_eq!(edits.apply("abcde"), "a+e");
    }

    #[test]
    fn old_names_become_raw() {
        let text = "fn async(await: u8) { try!(m!(async)) } macro_rules! m { ($try:expr) => { $try } } // async";
        let expected = "fn r#async(r#await: u8) { r#try!(m!(r#async)) } macro_rules! m { ($try:expr) => { $try } } // async";
        assert_eq!(with_raw_names(text), expected);
        assert_eq!(with_raw_names(expected), expected);
    }
}
