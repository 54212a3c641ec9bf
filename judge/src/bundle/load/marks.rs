//! The fragments that one macro hands to another in a call.
//!
//! A macro cannot look into a type, an expression or the like that another has matched: it stands as `__opaque_ty!(u8)` until the call is
//! expanded, or found not to care. It can look into a lifetime and has no use for a visibility, but `paste!` is told of these too, so they
//! have names that are as good for all else: `'__opaque_lifetime_a` and `pub(in __opaque_vis)`.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

use super::pasted;
use crate::bundle::text::source::Edits;
use crate::bundle::text::tokens::{is_ident, is_joint, is_punct, with_inside};

/// Fragments that a macro cannot look into when another has matched them. `pat_param` and the like begin with one of these.
const OPAQUE: [&str; 5] = ["ty", "expr", "literal", "path", "pat"];

/// What a fragment's kind stands behind, as the name of a macro.
pub const MARK: &str = "__opaque_";

/// What the name of a lifetime stands behind.
const LIFETIME: &str = "__opaque_lifetime_";

/// Where `pub` is a fragment.
const VISIBILITY: &str = "__opaque_vis";

/// A fragment in a call.
pub struct Fragment {
    /// Without the parentheses that keep it together.
    pub inside: TokenStream,
    /// Of how many trees its mark is.
    pub length: usize,
    /// The same with these parentheses.
    whole: TokenStream,
}

/// As what a fragment is marked in a call.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Opaque(&'static str),
    Lifetime,
    Visibility,
    /// What an attribute says, if it is one word.
    Word,
}

impl Kind {
    /// That of what some tokens were matched as.
    pub fn new(kind: &str, tokens: &TokenStream) -> Option<Self> {
        match kind {
            "lifetime" => Some(Self::Lifetime),
            "vis" => Some(Self::Visibility),
            "meta" => pasted::is_word(tokens.clone()).then_some(Self::Word),
            kind => {
                let mut opaque = OPAQUE.iter().copied();
                let found = opaque.find(|opaque| kind.starts_with(opaque));
                found.map(Self::Opaque)
            }
        }
    }
}

/// The tokens of a fragment in a call, which may be one of `paste!`.
pub fn marked(kind: Kind, tokens: TokenStream, of_paste: bool) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    match (kind, &trees[..]) {
        (Kind::Opaque(kind), _) => opaque(kind, tokens),
        (Kind::Word, _) if of_paste => opaque("path", tokens),
        (Kind::Lifetime, [sign, TokenTree::Ident(name)]) if !is_lifetime(name) => {
            let text = name.to_string();
            let name = match text.strip_prefix("r#") {
                Some(raw) => Ident::new_raw(&format!("{LIFETIME}{raw}"), name.span()),
                None => Ident::new(&format!("{LIFETIME}{text}"), name.span()),
            };
            TokenStream::from_iter([sign.clone(), name.into()])
        }
        (Kind::Visibility, [word]) if is_ident(word, "pub") => {
            let inside = ["in", VISIBILITY].map(|name| Ident::new(name, word.span()));
            let inside = inside.into_iter().map(TokenTree::from).collect();
            let group = Group::new(Delimiter::Parenthesis, inside);
            TokenStream::from_iter([word.clone(), group.into()])
        }
        _ => tokens,
    }
}

/// Tokens as an opaque fragment, in brackets if they are an expression with parentheses that it has for its value alone.
fn opaque(kind: &str, tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let group = match &trees[..] {
        [_, _, TokenTree::Group(group)] if opaque_kind(&trees, 0).is_some() => group.clone(),
        // Parentheses of the program have a place.
        [TokenTree::Group(group)]
            if group.delimiter() == Delimiter::Parenthesis
                && group.span().byte_range().is_empty() =>
        {
            Group::new(Delimiter::Bracket, tokens)
        }
        _ => Group::new(Delimiter::Parenthesis, tokens),
    };
    let name = Ident::new(&format!("{MARK}{kind}"), Span::call_site());
    let bang = Punct::new('!', Spacing::Alone);
    TokenStream::from_iter([TokenTree::from(name), bang.into(), group.into()])
}

/// The fragment that begins at `at`, if there is one.
pub fn fragment_at(trees: &[TokenTree], at: usize) -> Option<Fragment> {
    if let (Some(_), Some(TokenTree::Group(group))) = (opaque_kind(trees, at), trees.get(at + 2)) {
        let whole = group.stream();
        let inside = match whole.clone().into_iter().next() {
            Some(TokenTree::Group(kept)) if group.delimiter() == Delimiter::Bracket => {
                kept.stream()
            }
            _ => whole.clone(),
        };
        return Some(Fragment {
            inside,
            length: 3,
            whole,
        });
    }
    let whole: TokenStream = match (&trees[at], trees.get(at + 1)?) {
        (TokenTree::Ident(word), TokenTree::Group(mark)) if is_visibility(word, mark) => {
            TokenTree::from(word.clone()).into()
        }
        (sign, TokenTree::Ident(name)) if is_punct(sign, '\'') && is_lifetime(name) => {
            TokenStream::from_iter([sign.clone(), bare_lifetime(name).into()])
        }
        _ => return None,
    };
    Some(Fragment {
        inside: whole.clone(),
        length: 2,
        whole,
    })
}

/// Some tokens with what is in the fragments among them, without the parentheses that keep it together. What is in groups stays.
pub fn taken_apart(trees: &[TokenTree]) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        if let Some(fragment) = fragment_at(trees, at) {
            out.extend(fragment.inside);
            at += fragment.length;
        } else {
            out.push(trees[at].clone());
            at += 1;
        }
    }
    out.into_iter().collect()
}

/// The kind of the fragment that begins at `at`, if it is an opaque one.
pub fn opaque_kind(trees: &[TokenTree], at: usize) -> Option<&'static str> {
    let TokenTree::Ident(name) = trees.get(at)? else {
        return None;
    };
    let name = name.to_string();
    let kind = name.strip_prefix(MARK)?;
    OPAQUE.iter().copied().find(|known| *known == kind)
}

pub fn has_opaque(tokens: TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Group(group) => has_opaque(group.stream()),
        _ => opaque_kind(&trees, at).is_some(),
    })
}

/// Whether a word and what follows it are `pub` as a fragment.
pub fn is_visibility(word: &Ident, behind: &Group) -> bool {
    let inside: Vec<TokenTree> = behind.stream().into_iter().collect();
    word == "pub" && matches!(&inside[..], [_, TokenTree::Ident(mark)] if mark == VISIBILITY)
}

fn is_lifetime(name: &Ident) -> bool {
    let name = name.to_string();
    name.strip_prefix("r#")
        .unwrap_or(&name)
        .starts_with(LIFETIME)
}

/// The name of a lifetime without its mark.
pub fn bare_lifetime(name: &Ident) -> Ident {
    if !is_lifetime(name) {
        return name.clone();
    }
    let text = name.to_string().replacen(LIFETIME, "", 1);
    match text.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, name.span()),
        None => Ident::new(&text, name.span()),
    }
}

/// The tokens with what is in all fragments.
pub fn transparent(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        if let Some(fragment) = fragment_at(&trees, at) {
            at += fragment.length;
            let tokens = transparent(fragment.whole);
            out.extend(with_its_sign(tokens, trees.get(at)));
            continue;
        }
        out.push(match &trees[at] {
            TokenTree::Group(group) => with_inside(group, transparent(group.stream())).into(),
            tree => tree.clone(),
        });
        at += 1;
    }
    out.into_iter().collect()
}

pub fn is_negative(tokens: &TokenStream) -> bool {
    let mut trees = tokens.clone().into_iter();
    let sign = trees.next();
    is_punct(sign.as_ref(), '-')
        && matches!(trees.next(), Some(TokenTree::Literal(_)))
        && trees.next().is_none()
}

/// Whether as text, what follows a negative number would be done to it without its sign.
fn takes_no_sign(next: Option<&TokenTree>) -> bool {
    is_punct(next, '.') && !next.is_some_and(is_joint)
}

/// A fragment before what follows it, as text: `(-3).pow(2)`.
pub fn with_its_sign(tokens: TokenStream, next: Option<&TokenTree>) -> TokenStream {
    if is_negative(&tokens) && takes_no_sign(next) {
        TokenTree::Group(Group::new(Delimiter::Parenthesis, tokens)).into()
    } else {
        tokens
    }
}

/// The same as [`transparent`] for a text, whose lines stay.
pub fn unmark(tokens: TokenStream, edits: &mut Edits) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(name) if is_lifetime(name) => {
                edits.replace(name.span().byte_range(), bare_lifetime(name).to_string());
            }
            TokenTree::Group(group) => {
                let before = &trees[..at];
                if let [.., TokenTree::Ident(word)] = before {
                    if is_visibility(word, group) {
                        edits.delete(group.span().byte_range());
                    }
                }
                let mark = at.checked_sub(2);
                if let Some(mark) = mark.filter(|&mark| opaque_kind(&trees, mark).is_some()) {
                    let start = trees[mark].span().byte_range().start;
                    let signed = is_negative(&group.stream()) && takes_no_sign(trees.get(at + 1));
                    let (open, close) = if signed { ("(", ")") } else { (" ", " ") };
                    edits.replace(start..group.span_open().byte_range().end, open);
                    edits.replace(group.span_close().byte_range(), close);
                }
                unmark(group.stream(), edits);
            }
            _ => {}
        }
    }
}
