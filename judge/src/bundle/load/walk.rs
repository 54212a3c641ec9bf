//! What is done with each part of a text.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    AttrStyle, Attribute, Block, Expr, ExprArray, ExprAsync, ExprCall, ExprClosure, ExprIf,
    ExprMethodCall, ExprTuple, ExprWhile, FnArg, ForeignItem, GenericParam, ImplItem, Item, Meta,
    NamedArg, Stmt, TraitItem, Visibility,
};

use crate::bundle::text::source;

use super::attributes::Fate;
use super::files::{string_literal, INCLUDES};
use super::macros::{macro_range, path_name, Form};
use super::Pass;

fn visit_all(pass: &mut Pass, attrs: &[Attribute]) {
    for attr in attrs {
        pass.visit_attribute(attr);
    }
}

impl<'ast> Visit<'ast> for Pass<'_, '_, '_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let range = item.span().byte_range();
        let none = Vec::new();
        let attrs = match item {
            Item::Const(i) => &i.attrs,
            Item::Enum(i) => &i.attrs,
            Item::ExternCrate(i) => &i.attrs,
            Item::Fn(i) => &i.attrs,
            Item::ForeignMod(i) => &i.attrs,
            Item::Impl(i) => &i.attrs,
            Item::Macro(i) => &i.attrs,
            Item::Mod(i) => &i.attrs,
            Item::Static(i) => &i.attrs,
            Item::Struct(i) => &i.attrs,
            Item::Trait(i) => &i.attrs,
            Item::TraitAlias(i) => &i.attrs,
            Item::Type(i) => &i.attrs,
            Item::Union(i) => &i.attrs,
            Item::Use(i) => &i.attrs,
            _ => &none,
        };
        let outer: Vec<Attribute> = attrs
            .iter()
            .filter(|attr| matches!(attr.style, AttrStyle::Outer))
            .cloned()
            .collect();
        if let Fate::Drop = self.attributes(&outer, false) {
            self.delete_item(range);
            return;
        }
        match item {
            Item::Mod(module) => {
                let rendered = self.child_module(module);
                if let Some(None) = self.attempt(rendered) {
                    self.delete(range);
                }
            }
            Item::Macro(item) => {
                let done = self.item_macro(item);
                self.attempt(done);
            }
            Item::Const(block) if block.ident == "_" && !self.loader.unit.own => {
                let rendered = self.block(block);
                match self.attempt(rendered).flatten() {
                    Some(rendered) => self.replace(range, rendered),
                    None => visit::visit_item(self, item),
                }
            }
            _ => {
                match item {
                    Item::Fn(function) => {
                        let start = source::function_start(&function.vis, &function.sig);
                        self.on_its_own_line(start, range.start);
                    }
                    Item::Impl(_) if self.loader.depth == 0 => {
                        self.on_its_own_line(range.start, range.start);
                    }
                    _ => {}
                }
                if let Item::Use(import) = item {
                    self.passed_on_inside(import);
                }
                visit::visit_item(self, item);
            }
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attrs = match item {
            ImplItem::Const(i) => &i.attrs[..],
            ImplItem::Fn(i) => &i.attrs,
            ImplItem::Type(i) => &i.attrs,
            ImplItem::Macro(i) => &i.attrs,
            _ => &[],
        };
        if let Fate::Keep = self.node(attrs, item.span().byte_range()) {
            if let ImplItem::Macro(call) = item {
                let range = call.span().byte_range();
                let done = self.member_macro("impl Around {", &call.attrs, &call.mac, range);
                self.attempt(done);
                return;
            }
            if let ImplItem::Fn(function) = item {
                let start = source::function_start(&function.vis, &function.sig);
                self.on_its_own_line(start, function.span().byte_range().start);
            }
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attrs = match item {
            TraitItem::Const(i) => &i.attrs[..],
            TraitItem::Fn(i) => &i.attrs,
            TraitItem::Type(i) => &i.attrs,
            TraitItem::Macro(i) => &i.attrs,
            _ => &[],
        };
        if let Fate::Keep = self.node(attrs, item.span().byte_range()) {
            if let TraitItem::Macro(call) = item {
                let range = call.span().byte_range();
                let done = self.member_macro("trait Around {", &call.attrs, &call.mac, range);
                self.attempt(done);
                return;
            }
            if let TraitItem::Fn(function) = item {
                let start = source::function_start(&Visibility::Inherited, &function.sig);
                self.on_its_own_line(start, function.span().byte_range().start);
            }
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_foreign_item(&mut self, item: &'ast ForeignItem) {
        let attrs = match item {
            ForeignItem::Fn(i) => &i.attrs[..],
            ForeignItem::Static(i) => &i.attrs,
            ForeignItem::Type(i) => &i.attrs,
            _ => &[],
        };
        if let Fate::Keep = self.node(attrs, item.span().byte_range()) {
            visit::visit_foreign_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Fate::Keep = self.node(&field.attrs, field.span().byte_range()) {
            visit::visit_field(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if let Fate::Keep = self.node(&variant.attrs, variant.span().byte_range()) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Fate::Keep = self.node(&arm.attrs, arm.span().byte_range()) {
            visit::visit_arm(self, arm);
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if let Fate::Keep = self.node(&field.attrs, field.span().byte_range()) {
            visit::visit_field_value(self, field);
        }
    }

    fn visit_field_pat(&mut self, field: &'ast syn::FieldPat) {
        if let Fate::Keep = self.node(&field.attrs, field.span().byte_range()) {
            visit::visit_field_pat(self, field);
        }
    }

    fn visit_fn_arg(&mut self, arg: &'ast FnArg) {
        let attrs = match arg {
            FnArg::Receiver(arg) => &arg.attrs,
            FnArg::Typed(arg) => &arg.attrs,
        };
        if let Fate::Keep = self.node(attrs, arg.span().byte_range()) {
            visit::visit_fn_arg(self, arg);
        }
    }

    fn visit_generic_param(&mut self, param: &'ast GenericParam) {
        let attrs = match param {
            GenericParam::Lifetime(p) => &p.attrs,
            GenericParam::Type(p) => &p.attrs,
            GenericParam::Const(p) => &p.attrs,
        };
        if let Fate::Keep = self.node(attrs, param.span().byte_range()) {
            visit::visit_generic_param(self, param);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let outside = self.checked.len();
        self.checked.extend(self.checked_in(block));
        let idle = block.stmts.iter().rev();
        let idle = idle.take_while(|stmt| self.is_idle(stmt)).count();
        let (done, idle) = block.stmts.split_at(block.stmts.len() - idle);
        for stmt in done {
            self.visit_stmt(stmt);
        }
        for stmt in idle {
            match done.last() {
                // It would be the block's value, and what it borrows would live longer.
                Some(Stmt::Expr(_, None)) => visit::visit_stmt(self, stmt),
                _ => self.visit_stmt(stmt),
            }
        }
        self.checked.truncate(outside);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if !matches!(stmt, Stmt::Item(_)) {
            if let Fate::Drop = self.listed(stmt) {
                return;
            }
        }
        if self.is_idle(stmt) {
            self.delete(stmt.span().byte_range());
            return;
        }
        if let Stmt::Expr(Expr::If(choice), _) = stmt {
            if let (Some((_, other)), true) = (&choice.else_branch, self.is_never_taken(choice)) {
                let start = choice.span().byte_range().start;
                self.edits.delete(start..other.span().byte_range().start);
                return self.visit_expr(other);
            }
        }
        if let Stmt::Macro(call) = stmt {
            let range = call.span().byte_range();
            let ended = call.semi_token.is_some();
            let form = Form::Statement { ended };
            let is_bare = call.attrs.is_empty();
            if is_bare
                && (self.settled_choice(&call.mac, range.clone(), form)
                    || self.written_call(&call.mac, range, form))
            {
                return;
            }
        }
        match stmt {
            Stmt::Expr(Expr::Macro(call), None) if call.attrs.is_empty() => {
                self.whole = Some(call.span().byte_range());
            }
            _ => {}
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_type_macro(&mut self, call: &'ast syn::TypeMacro) {
        const BEFORE: &str = "type Around =";
        let expansion = (!self.loader.unit.own).then(|| self.expansion(&call.mac));
        let expansion = expansion.flatten().map(|text| format!("{BEFORE} {text};"));
        let expansion = expansion.filter(|text| syn::parse_str::<syn::ItemType>(text).is_ok());
        let rendered = self.rendered(expansion);
        let rendered = self.attempt(rendered).flatten();
        match rendered
            .as_deref()
            .and_then(|text| text.strip_prefix(BEFORE))
        {
            Some(text) => {
                let of_type = text.trim().trim_end_matches(';').to_owned();
                self.edits.replace(call.span().byte_range(), of_type);
            }
            None => visit::visit_type_macro(self, call),
        }
    }

    fn visit_expr_macro(&mut self, call: &'ast syn::ExprMacro) {
        let range = call.span().byte_range();
        let is_bare = call.attrs.is_empty();
        if is_bare
            && (self.settled_choice(&call.mac, range.clone(), Form::Expression)
                || self.written_call(&call.mac, range, Form::Expression))
        {
            return;
        }
        visit::visit_expr_macro(self, call);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match self.value_of(expr) {
            Some(value) if !matches!(expr, Expr::Macro(_)) => {
                self.edits
                    .replace(expr.span().byte_range(), value.to_string());
            }
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_expr_if(&mut self, choice: &'ast ExprIf) {
        visit_all(self, &choice.attrs);
        self.condition(&choice.cond);
        self.visit_block(&choice.then_branch);
        if let Some((_, other)) = &choice.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, repeated: &'ast ExprWhile) {
        visit_all(self, &repeated.attrs);
        self.condition(&repeated.cond);
        self.visit_block(&repeated.body);
    }

    fn visit_expr_array(&mut self, array: &'ast ExprArray) {
        visit_all(self, &array.attrs);
        self.elements(&array.elems, array.bracket_token.span);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        visit_all(self, &call.attrs);
        self.visit_expr(&call.func);
        self.elements(&call.args, call.paren_token.span);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        visit_all(self, &call.attrs);
        self.visit_expr(&call.receiver);
        if let Some(arguments) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(arguments);
        }
        self.elements(&call.args, call.paren_token.span);
    }

    fn visit_expr_tuple(&mut self, tuple: &'ast ExprTuple) {
        visit_all(self, &tuple.attrs);
        let left = self.elements(&tuple.elems, tuple.paren_token.span);
        let last = match tuple.elems.last() {
            Some(last) if left == 1 && tuple.elems.len() > 1 => last,
            _ => return,
        };
        // What is left of a tuple is one still.
        if !tuple.elems.trailing_punct() && matches!(self.listed(last), Fate::Keep) {
            let end = tuple.paren_token.span.close().byte_range().start;
            self.edits.insert(end, ",");
        }
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        visit_all(self, &closure.attrs);
        for input in &closure.inputs {
            if let Fate::Keep = self.listed(input) {
                self.visit_pat(input);
            }
        }
        self.visit_return_type(&closure.output);
        self.closures += 1;
        self.whole = Some(closure.body.span().byte_range());
        self.visit_expr(&closure.body);
        self.closures -= 1;
    }

    fn visit_expr_async(&mut self, block: &'ast ExprAsync) {
        self.closures += 1;
        visit::visit_expr_async(self, block);
        self.closures -= 1;
    }

    fn visit_named_arg(&mut self, arg: &'ast NamedArg) {
        if let Fate::Keep = self.node(&arg.attrs, arg.span().byte_range()) {
            visit::visit_named_arg(self, arg);
        }
    }

    /// Where nothing could be left out.
    fn visit_attribute(&mut self, attr: &'ast Attribute) {
        if let ("cfg" | "cfg_attr", Fate::Drop) = (
            path_name(attr.path()).as_str(),
            self.attributes(std::slice::from_ref(attr), false),
        ) {
            let bang = match attr.style {
                AttrStyle::Inner(_) => "!",
                AttrStyle::Outer => "",
            };
            let range = attr.span().byte_range();
            self.edits.replace(range, format!("#{bang}[cfg(any())]"));
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let name = mac
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        self.renamed_call(mac);
        match name.as_str() {
            "cfg" if self.loader.known("cfg").is_none() => {
                if let Ok(predicate) = mac.parse_body::<Meta>() {
                    self.cfg_value(&predicate, macro_range(mac));
                }
            }
            name if INCLUDES.contains(&name) => {
                let done = self.included(name, mac, &string_literal);
                self.attempt(done);
            }
            _ if self.predicates(mac, false) => {}
            _ => self.arguments(mac),
        }
    }
}
