//! Blocks without a name, `const _: () = { make!(…); }`, which crates have for the impls that macros make in them.
//!
//! What the macros make is written in their place, and where a block does nothing but call macros, each gets a block of its own. Impls that
//! need no block stand without one. The compiler can judge each impl then.

use quote::quote;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ExprBlock, Item, ItemConst, Stmt};

/// Expansions in expansions, at most.
const DEPTH: usize = 64;

/// Bytes that a block may become. Beyond that it costs the compiler more than it saves.
const MOST: usize = 64 << 10;

/// What has to be known to open a block.
pub trait Known {
    /// What a call of a macro makes.
    fn expansion(&self, call: &syn::Macro) -> Option<String>;
    /// Whether what has some attributes is there, if they tell that and nothing else.
    fn is_there(&self, attrs: &[Attribute]) -> Option<bool>;
}

/// A block without a name with the calls of macros in it expanded, as impls and such blocks; `None` if no call in it is known.
pub fn opened(item: &ItemConst, known: &impl Known) -> Option<String> {
    let (is_unsafe, block) = match &*item.expr {
        Expr::Block(of) if of.label.is_none() && of.attrs.is_empty() => (false, &of.block),
        Expr::Unsafe(of) if of.attrs.is_empty() => (true, &of.block),
        _ => return None,
    };
    let mut opener = Opener {
        known,
        made: 0,
        defines: false,
    };
    let statements = opener.grown(&block.stmts, 0);
    if opener.made == 0 || opener.is_too_much() || opener.defines {
        return None;
    }
    let of_type = &item.ty;
    let keyword = is_unsafe.then(|| quote!(unsafe));
    let mut parts = Vec::new();
    split(statements, &mut parts);
    let parts = parts
        .into_iter()
        .map(|statements| match impls(&statements) {
            Some(impls) => quote!(#(#impls)*),
            None => quote!(const _: #of_type = #keyword { #(#statements)* };),
        });
    let opened: String = parts.map(|part| part.to_string() + "\n").collect();
    (opened.len() <= MOST).then_some(opened)
}

struct Opener<'k, K> {
    known: &'k K,
    /// Bytes of expansions, and of those in expansions.
    made: usize,
    /// A macro is defined inside, which a call may mean, or a variable, which may hide another.
    defines: bool,
}

impl<K: Known> Opener<'_, K> {
    /// Some statements with the calls of macros among them expanded.
    fn grown(&mut self, statements: &[Stmt], depth: usize) -> Vec<Stmt> {
        let mut grown = Vec::new();
        for statement in statements {
            self.visit_stmt(statement);
            self.defines |= matches!(statement, Stmt::Local(_));
            let mut statement = statement.clone();
            let attrs = attributes(&mut statement);
            if let Some(attrs) = attrs.filter(|attrs| !attrs.is_empty()) {
                match self.known.is_there(attrs) {
                    Some(true) => attrs.clear(),
                    Some(false) => continue,
                    None => {}
                }
            }
            let statement = &statement;
            let made = call(statement).and_then(|call| self.made(call, depth));
            match (made, statement) {
                (Some(made), _) => {
                    grown.extend(self.grown(&made.stmts, depth + 1));
                }
                (None, Stmt::Expr(Expr::Block(of), _)) if of.label.is_none() => {
                    let stmts = self.grown(&of.block.stmts, depth);
                    let block = Block { stmts, ..of.block };
                    let of = ExprBlock {
                        block,
                        ..of.clone()
                    };
                    grown.push(Stmt::Expr(Expr::Block(of), None));
                }
                (None, statement) => grown.push(statement.clone()),
            }
        }
        grown
    }

    /// What a call makes, as a block.
    fn made(&mut self, call: &syn::Macro, depth: usize) -> Option<Block> {
        if depth == DEPTH || self.is_too_much() {
            return None;
        }
        let made = self.known.expansion(call)?;
        let block = syn::parse_str(&format!("{{{made}}}")).ok()?;
        self.made += made.len().max(1);
        Some(block)
    }

    /// Whether it will not come to a block of [`MOST`] bytes: most of what is made is made by others of these macros.
    fn is_too_much(&self) -> bool {
        self.made > 4 * MOST
    }
}

impl<'ast, K> Visit<'ast> for Opener<'_, K> {
    fn visit_item(&mut self, item: &'ast Item) {
        self.defines |= matches!(item, Item::Macro(of) if of.ident.is_some());
        visit::visit_item(self, item);
    }
}

/// The attributes of a statement that is a block or the call of a macro.
fn attributes(statement: &mut Stmt) -> Option<&mut Vec<Attribute>> {
    match statement {
        Stmt::Macro(call) => Some(&mut call.attrs),
        Stmt::Expr(Expr::Macro(call), _) => Some(&mut call.attrs),
        Stmt::Expr(Expr::Block(of), _) => Some(&mut of.attrs),
        _ => None,
    }
}

/// The call of a macro that is all of a statement.
fn call(statement: &Stmt) -> Option<&syn::Macro> {
    match statement {
        Stmt::Macro(call) if call.attrs.is_empty() => Some(&call.mac),
        Stmt::Expr(Expr::Macro(call), _) if call.attrs.is_empty() => Some(&call.mac),
        _ => None,
    }
}

/// Takes apart what only consists of blocks and of calls of macros; nothing is empty then.
fn split(statements: Vec<Stmt>, parts: &mut Vec<Vec<Stmt>>) {
    let is_part = |statement: &Stmt| match statement {
        Stmt::Expr(Expr::Block(of), _) => of.label.is_none() && of.attrs.is_empty(),
        other => call(other).is_some(),
    };
    if !statements.iter().all(is_part) {
        parts.push(statements);
        return;
    }
    for statement in statements {
        match statement {
            Stmt::Expr(Expr::Block(of), _) => split(of.block.stmts, parts),
            call => parts.push(vec![call]),
        }
    }
}

/// The impls among some statements, if nothing else is but calls like `check();`: these are there to be unsafe, or to fail.
fn impls(statements: &[Stmt]) -> Option<Vec<&Item>> {
    let mut found = Vec::new();
    for statement in statements {
        match statement {
            Stmt::Item(item @ Item::Impl(_)) => found.push(item),
            Stmt::Expr(Expr::Call(of), Some(_)) if of.args.is_empty() => {}
            _ => return None,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    use super::super::expand::Macro;
    use super::*;

    /// Some macros; only what is never there says if it is.
    struct Defined<'a>(Vec<(&'a str, Macro)>);

    impl Known for Defined<'_> {
        fn expansion(&self, call: &syn::Macro) -> Option<String> {
            let mut known = self.0.iter();
            let (_, known) = known.find(|(name, _)| call.path.is_ident(name))?;
            Some(known.expand(call.tokens.clone())?.to_string())
        }

        fn is_there(&self, attrs: &[Attribute]) -> Option<bool> {
            let mut attrs = attrs.iter();
            attrs
                .any(|attr| attr.path().is_ident("cfg"))
                .then_some(false)
        }
    }

    fn opened_with(definitions: &[(&str, &str)], text: &str) -> Option<String> {
        let parse = |text: &&str| Macro::parse(text.parse().unwrap()).unwrap();
        let known = definitions.iter();
        let known = known.map(|(name, definition)| (*name, parse(definition)));
        let known = known.collect();
        let item: ItemConst = syn::parse_str(text).unwrap();
        let tokens = opened(&item, &Defined(known))?
            .parse::<TokenStream>()
            .unwrap();
        Some(tokens.to_string().replace(' ', ""))
    }

    const MAKE: (&str, &str) = (
        "make",
        "($t:ident: $($of:ident),*) => {{ $(make!(@one $t $of);)* }}; (@one $t:ident $of:ident) => { unsafe impl $of for $t {} };",
    );
    const CHECKED: (&str, &str) = (
        "checked",
        "($($t:ident),*) => {{ $({ check(); impl A for $t {} })* }};",
    );

    #[test]
    fn impls_stand_alone() {
        let text = "const _: () = unsafe { checked!(X, Y); #[cfg(any())] { f() } make!(Z: A, B) };";
        let want = "implAforX{}implAforY{}unsafeimplAforZ{}unsafeimplBforZ{}";
        assert_eq!(opened_with(&[CHECKED, MAKE], text).as_deref(), Some(want));
    }

    #[test]
    fn what_is_made_beside_something_else_stays_there() {
        let text = "const _: () = unsafe { use a::B; make!(X: A, B); };";
        let want = "const_:()=unsafe{usea::B;{unsafeimplAforX{}unsafeimplBforX{}}};";
        assert_eq!(opened_with(&[MAKE], text).as_deref(), Some(want));
    }

    #[test]
    fn calls_of_unknown_macros_stay() {
        let text = "const _: () = { make!(X: A); };";
        assert_eq!(opened_with(&[], text), None);
        let text = "const _: () = { checked!(X); unknown!(X); };";
        let want = "implAforX{}const_:()={unknown!(X);};";
        assert_eq!(opened_with(&[CHECKED], text).as_deref(), Some(want));
    }

    #[test]
    fn a_call_may_mean_a_macro_defined_beside_it() {
        let text = "const _: () = { macro_rules! make { () => {} } make!(X: A); };";
        assert_eq!(opened_with(&[MAKE], text), None);
        let text = "const _: () = { let a = 1; make!(X: A); };";
        assert_eq!(opened_with(&[MAKE], text), None);
    }
}
