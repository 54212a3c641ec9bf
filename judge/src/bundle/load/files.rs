//! Other files: modules, and what a text includes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{AttrStyle, Expr, ExprLit, Item, ItemMod, Lit, Meta, Token};

use super::marks;
use crate::bundle::resolve::cfg::Settled;
use crate::bundle::text::source;

use super::attributes::Fate;
use super::macros::macro_range;
use super::{Exported, Pass, Place, Rendered};

/// Macros that read what the bundle has not.
pub(super) const INCLUDES: [&str; 5] = [
    "include_str",
    "include_bytes",
    "include",
    "env",
    "option_env",
];

const GENERATED: &str = "its build script generates part of its code";

impl Pass<'_, '_, '_> {
    /// The file that `path = "…"` names, or `cfg_attr(…, path = "…")` where the condition holds.
    fn path_in(&self, meta: &Meta) -> Option<String> {
        match meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(path),
                    ..
                }) => Some(path.value()),
                _ => None,
            },
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
                let metas = list.parse_args_with(parser).ok()?;
                let mut metas = metas.iter();
                let holds = match self.loader.unit.cfg.settle(metas.next()?) {
                    Settled::True => true,
                    Settled::False => false,
                    // There can be one file only, and the program has been tried with this one.
                    Settled::Open(left) => {
                        let left: Meta = syn::parse_str(&left).ok()?;
                        self.loader.unit.cfg.holds_here(&left)
                    }
                };
                metas.filter(|_| holds).find_map(|meta| self.path_in(meta))
            }
            _ => None,
        }
    }

    pub(super) fn child_module(&mut self, module: &ItemMod) -> Result<Option<Rendered>> {
        let ident = module.ident.to_string();
        let name = ident.trim_start_matches("r#");
        let path = module
            .attrs
            .iter()
            .find_map(|attr| self.path_in(&attr.meta));
        let base = if self.place.inline {
            self.place.children.clone()
        } else {
            self.place.folder.clone()
        };
        let macros = self.loader.macros.len();
        let leaks = module
            .attrs
            .iter()
            .any(|attr| attr.path().is_ident("macro_use"));
        let mut rendered = if let Some((_, items)) = &module.content {
            let children = match &path {
                Some(path) => base.join(path),
                None => self.place.children.join(name),
            };
            let place = Place {
                children,
                inline: true,
                root: false,
                ..self.place.clone()
            };
            let outer = std::mem::replace(&mut self.place, place);
            let exported = std::mem::take(&mut self.exported);
            let fate = self.attributes(
                &module
                    .attrs
                    .iter()
                    .filter(|attr| matches!(attr.style, AttrStyle::Inner(_)))
                    .cloned()
                    .collect::<Vec<_>>(),
                false,
            );
            for item in items {
                self.visit_item(item);
            }
            self.place = outer;
            let below = std::mem::replace(&mut self.exported, exported);
            match fate {
                Fate::Drop => None,
                Fate::Keep => Some(Rendered {
                    text: String::new(),
                    exported: below,
                }),
            }
        } else {
            let (file, is_root_like) = match &path {
                Some(path) => (base.join(path), true),
                None => {
                    let flat = self.place.children.join(format!("{name}.rs"));
                    if flat.is_file() {
                        (flat, false)
                    } else {
                        (self.place.children.join(name).join("mod.rs"), true)
                    }
                }
            };
            let folder = file.parent().unwrap_or(Path::new("")).to_owned();
            let children = if is_root_like {
                folder.clone()
            } else {
                self.place.children.join(name)
            };
            // What is for other systems alone may not be there.
            if file.is_file() || self.holds(&module.attrs) {
                let text = self.loader.read(&file)?;
                let place = Place {
                    file,
                    folder,
                    children,
                    inline: false,
                    root: false,
                };
                self.loader.module(&text, &place)?
            } else {
                None
            }
        };
        if !leaks {
            self.loader.macros.truncate(macros);
        }
        if let (Some(rendered), None) = (&rendered, &module.content) {
            let semi = module.semi.span().byte_range();
            if self.loader.unit.own {
                self.raise_comments(module);
            }
            let content = rendered.text.trim_end();
            self.edits.replace(semi, format!(" {{\n{content}\n}}"));
        }
        if let Some(rendered) = &mut rendered {
            let end = module.span().byte_range().end;
            let open = self.open_cfg(&module.attrs);
            for Exported { name, apart, cfg } in &mut rendered.exported {
                cfg.insert_str(0, &open);
                let passed_on = apart.as_ref().unwrap_or(name);
                let import = format!("\n{cfg}pub(crate) use self::{ident}::{passed_on};");
                self.edits.insert(end, import);
            }
            self.exported.append(&mut rendered.exported);
        }
        Ok(rendered)
    }

    /// Puts the comments behind a module above it: behind its closing brace nobody would know what they are about.
    fn raise_comments(&mut self, module: &syn::ItemMod) {
        let place = module.span().byte_range();
        let end = source::end_of_comments(self.text, self.comments(), place.end);
        let behind = place.end..end;
        if behind.is_empty() {
            return;
        }
        let line = self.text[..place.start].rfind('\n').map_or(0, |n| n + 1);
        let is_on_line = self.text[line..place.start].trim().is_empty();
        // An attribute may go with all of its line.
        let (at, mut above) = match is_on_line {
            true => (line, String::new()),
            false => (place.start, "\n".to_owned()),
        };
        for line in self.text[behind.clone()].trim().lines() {
            above += line.trim_start();
            above.push('\n');
        }
        self.edits.insert(at, above);
        self.edits.delete(behind);
    }

    /// `include_str!` and its kin, which read a file that the bundle has not.
    pub(super) fn included(
        &mut self,
        name: &str,
        mac: &syn::Macro,
        string: &dyn Fn(&str) -> String,
    ) -> Result<()> {
        let range = macro_range(mac);
        if self.loader.known(name).is_some() {
            // It is one of this crate that is called so.
            return Ok(());
        }
        if name == "env" || name == "option_env" {
            let Some(variable) = self.string(mac.tokens.clone()) else {
                return Ok(());
            };
            let unit = self.loader.unit;
            let value = match unit.variables.get(&variable) {
                Some(value) if unit.is_on_machine(value) => {
                    bail!("the environment variable {variable}, which it reads when it is compiled, names a file or a folder of this machine")
                }
                Some(value) => value,
                None if variable == "OUT_DIR" => bail!(GENERATED),
                None if name == "option_env" && !variable.starts_with("CARGO") => {
                    // It may be the argument of a macro.
                    if mac.parse_body::<syn::LitStr>().is_err() {
                        let asked = format!("{name}!({variable:?})");
                        self.edits.replace(range, asked);
                    }
                    return Ok(());
                }
                None => bail!("it reads the environment variable {variable} when it is compiled"),
            };
            self.edits.replace(range, literal(name, value));
            return Ok(());
        }
        let file = self.file_of(mac)?;
        let bytes = fs::read(&file).with_context(|| {
            format!(
                "{}: cannot read {}",
                self.loader.unit.title(),
                file.display()
            )
        })?;
        let literal = match (name, String::from_utf8(bytes)) {
            ("include_str", Ok(text)) => string(&text),
            ("include_str", Err(_)) => bail!("{} is no UTF-8", file.display()),
            ("include_bytes", Ok(text)) => bytes_literal(text.as_bytes()),
            ("include_bytes", Err(raw)) => bytes_literal(raw.as_bytes()),
            (_, Ok(text)) => enclosed(&source::plain(&text)),
            (_, Err(_)) => bail!("{} is no UTF-8", file.display()),
        };
        self.edits.replace(range, literal);
        Ok(())
    }

    /// The file that `include!` or its kin read.
    pub(super) fn file_of(&self, mac: &syn::Macro) -> Result<PathBuf> {
        match self.string(mac.tokens.clone()) {
            Some(path) => Ok(self.place.folder.join(path)),
            None if mac.tokens.to_string().contains("OUT_DIR") => bail!(GENERATED),
            None => bail!(
                "it cannot be told which file `{}` reads",
                mac.to_token_stream()
            ),
        }
    }

    /// The text that the only argument of a macro is.
    pub(super) fn string(&self, tokens: TokenStream) -> Option<String> {
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let arguments = parser.parse2(marks::transparent(tokens)).ok()?;
        // `env!` may be told what to say where there is none.
        match arguments.len() {
            1 | 2 => self.string_of(&arguments[0]),
            _ => None,
        }
    }

    /// The text that a literal is, or `concat!` and `env!` make.
    fn string_of(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Lit(ExprLit { lit, .. }) => match lit {
                Lit::Str(text) => Some(text.value()),
                Lit::Char(c) => Some(c.value().to_string()),
                Lit::Bool(word) => Some(word.value().to_string()),
                Lit::Int(number) => Some(number.base10_digits().to_owned()),
                _ => None,
            },
            Expr::Paren(inside) => self.string_of(&inside.expr),
            Expr::Macro(call) if call.mac.path.is_ident("concat") => {
                let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
                let parts = call.mac.parse_body_with(parser).ok()?;
                parts.iter().map(|part| self.string_of(part)).collect()
            }
            Expr::Macro(call) if call.mac.path.is_ident("env") => {
                let unit = self.loader.unit;
                match self.string(call.mac.tokens.clone())?.as_str() {
                    "CARGO_MANIFEST_DIR" => unit.folder.to_str().map(str::to_owned),
                    variable => unit.variables.get(variable).cloned(),
                }
            }
            _ => None,
        }
    }
}

/// Whether there is a module in a file of its own.
pub(super) fn has_module_file(items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::Mod(module) => match &module.content {
            Some((_, items)) => has_module_file(items),
            None => true,
        },
        _ => false,
    })
}

/// A text as a literal: in its lines, if it is long and they show all that is in it.
pub(super) fn string_literal(text: &str) -> String {
    const SHORT: usize = 80;
    let line = format!("{text:?}");
    let is_shown = |line: &str| {
        let mut letters = line.chars();
        letters.all(|c| c == '\\' || c == '"' || c == '\'' || c.escape_debug().count() == 1)
            && line.trim_end() == line
    };
    let has_lines = line.len() > SHORT && text.trim_end().contains('\n');
    if !has_lines || !text.split('\n').all(is_shown) {
        return line;
    }
    if !text.contains(['\\', '"']) {
        return format!("\"{text}\"");
    }
    let runs = text.split('"').skip(1);
    let longest = runs.map(|rest| rest.len() - rest.trim_start_matches('#').len());
    let marks = longest.max().map_or(0, |longest| longest + 1);
    let marks = "#".repeat(marks);
    format!("r{marks}\"{text}\"{marks}")
}

/// Bytes as they are written in a string, a zero as shortly as can be: tables are full of them.
pub(super) fn bytes_literal(bytes: &[u8]) -> String {
    let mut text = String::from("b\"");
    for &byte in bytes {
        match byte {
            0 => text.push_str("\\0"),
            byte => text.extend(byte.escape_ascii().map(char::from)),
        }
    }
    text.push('"');
    text
}

/// What `env!` or `option_env!` is for a value.
pub(super) fn literal(name: &str, value: &str) -> String {
    match name {
        "env" => format!("{value:?}"),
        _ => format!("Some({value:?})"),
    }
}

/// The expression of a file as it stands among others.
pub(super) fn enclosed(text: &str) -> String {
    let is_closed = syn::parse_str::<Expr>(text).is_ok_and(|expr| match expr {
        Expr::Array(_) | Expr::Paren(_) | Expr::Repeat(_) | Expr::Tuple(_) => true,
        Expr::Lit(literal) => !matches!(literal.lit, syn::Lit::Float(_)),
        // One with braces could be a statement of its own.
        Expr::Macro(call) => !matches!(call.mac.delimiter, syn::MacroDelimiter::Brace(_)),
        _ => false,
    });
    // The last line may be a comment, or what comes next a word.
    match is_closed {
        true => format!("{}\n", text.trim()),
        false => format!("({}\n)", text.trim()),
    }
}
