//! What of a file is new that only types tell: what a trait object becomes, and which of some functions with one name is called. The
//! compiler tells it where it shows the bodies of all functions.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::heaps::Unordered;
use super::since::IN_CONSTANT;
use crate::bundle::text::source;

/// The functions of types that others have as well, by the version in which they came.
const FUNCTIONS: [(u32, &str, &str); 30] = [
    (79, "NonNull", "is_aligned"),
    (80, "BinaryHeap", "as_slice"),
    (80, "NonNull", "add"),
    (80, "NonNull", "copy_from_nonoverlapping"),
    (80, "NonNull", "copy_to_nonoverlapping"),
    (80, "NonNull", "offset"),
    (80, "NonNull", "offset_from"),
    (80, "NonNull", "read"),
    (80, "NonNull", "replace"),
    (80, "NonNull", "sub"),
    (80, "NonNull", "swap"),
    (80, "NonNull", "write"),
    (81, "Duration", "abs_diff"),
    (83, "DebugList", "finish_non_exhaustive"),
    (83, "DebugMap", "finish_non_exhaustive"),
    (83, "DebugSet", "finish_non_exhaustive"),
    (82, "CharIndices", "offset"),
    (83, "DebugTuple", "finish_non_exhaustive"),
    (84, "Pin", "as_deref_mut"),
    (86, "NonZero", "count_ones"),
    (86, "Once", "wait"),
    (86, "OnceLock", "wait"),
    (87, "OsStr", "display"),
    (87, "String", "extend_from_within"),
    (88, "Cell", "update"),
    (89, "Result", "flatten"),
    (92, "NonZero", "div_ceil"),
    (94, "LazyCell", "get"),
    (94, "LazyLock", "get"),
    (95, "Layout", "repeat"),
];

/// Those of them whose values come from others: nobody has to name the type.
const UNNAMED: [&str; 7] = [
    "CharIndices",
    "DebugList",
    "DebugMap",
    "DebugSet",
    "DebugTuple",
    "Result",
    "String",
];

/// Functions that came to others before, by a part of the path to them.
const LATER: [(u32, &str, &str); 8] = [
    (87, "<impl [", "split_off"),
    (87, "<impl i", "midpoint"),
    (88, "HashMap", "extract_if"),
    (88, "HashSet", "extract_if"),
    (91, "BTreeMap", "extract_if"),
    (91, "BTreeSet", "extract_if"),
    (92, "btree_map", "insert_entry"),
    (95, ATOMIC, "update"),
];

/// What the names of some types begin with.
const ATOMIC: &str = "Atomic";

/// The functions that may be called in constants since a version, by what they are of: others so called could before, or are none of `std`.
const IN_CONSTANTS: [(u32, &str, &[&str]); 9] = [
    (83, "core::f32::<impl f32>", &BITS),
    (83, "core::f64::<impl f64>", &BITS),
    (85, "core::f32::<impl f32>", &["abs", "signum"]),
    (85, "core::f64::<impl f64>", &["abs", "signum"]),
    (
        86,
        "core::str::<impl str>",
        &[
            "split_at",
            "split_at_checked",
            "split_at_mut",
            "split_at_mut_checked",
        ],
    ),
    (87, "String", &["as_bytes", "as_str", "is_empty", "len"]),
    (
        87,
        "Vec",
        &[
            "as_mut_ptr",
            "as_mut_slice",
            "as_ptr",
            "as_slice",
            "is_empty",
            "len",
        ],
    ),
    (88, "Cell", &["from_mut", "get", "get_mut"]),
    (92, SLICE, &["rotate_left", "rotate_right"]),
];

/// What the functions of all slices are of.
const SLICE: &str = "core::slice::<impl [T]>";

/// Conversions that may fail, by what they give and what they take.
const CONVERSIONS: [(u32, &str, &[&str]); 2] = [
    (94, "usize", &["char"]),
    (
        95,
        "bool",
        &[
            "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
        ],
    ),
];

const BITS: [&str; 5] = [
    "to_be_bytes",
    "to_bits",
    "to_le_bytes",
    "to_ne_bytes",
    "total_cmp",
];

/// What the compiler writes before the body of a function that it calculates with.
const CALCULATED: &str = "// MIR FOR CTFE";

/// Traits that a trait object may have besides its own.
const AUTO: [&str; 5] = ["Send", "Sync", "Unpin", "UnwindSafe", "RefUnwindSafe"];

/// Pointers to what is shared.
const SHARED: [&str; 2] = ["Arc", "Rc"];

/// The newest version in which something of that came.
pub const NEWEST: u32 = 95;

/// Whether a file may have some of that. It takes a while to ask.
pub fn may_have(text: &str, file: &syn::File) -> bool {
    let mut named = Named::default();
    named.visit_file(file);
    let words: BTreeSet<&str> = source::words(text).collect();
    let calls = FUNCTIONS.iter().any(|(_, of, name)| {
        named.methods.contains(*name) && (UNNAMED.contains(of) || words.contains(of))
    });
    let has = |name: &str| named.methods.contains(name);
    let is_pointed_to = ["Arc", "Box", "Rc"].iter().any(|name| {
        let mut starts = ["<str>", "<[", "::<str>", "::<["].iter();
        starts.any(|start| text.contains(&format!("{name}{start}")))
    });
    let may_be_empty = words.contains("default") || words.contains("Default");
    let may_be_copied = text.contains("&mut") && (has("into") || words.contains("from"));
    let makes_pointers = is_pointed_to && (may_be_empty || may_be_copied);
    let goes_back = has("take") && (has("rev") || has("len"));
    let converts = has("try_into") || words.contains("try_from");
    calls
        || LATER
            .iter()
            .any(|(_, of, name)| words.contains(name) && (*of != ATOMIC || text.contains(of)))
        || words.contains("LazyCell")
        || !Unordered::of(text, file).is_empty()
        || SHARED.iter().any(|of| words.contains(of)) && words.contains("make_mut")
        || makes_pointers
        || named.may_upcast()
        || !named.boxed.is_disjoint(&named.looped)
        || !named.boxed.is_empty() && text.contains("IntoIterator::into_iter(")
        || text.contains("Box<str>") && words.contains("collect")
        || goes_back && words.contains("repeat")
        || converts && words.contains("bool")
        || converts
            && words.contains("usize")
            && ["char", "chars"].iter().any(|of| words.contains(of))
        || named.has_tuples && (has("collect") || has("extend") || words.contains("from_iter"))
}

/// Whether it is new that what has a name may be called in constants, if it is of certain types.
pub fn may_be_in_constants(name: &str) -> bool {
    IN_CONSTANTS.iter().any(|(.., names)| names.contains(&name))
}

/// What there is in the bodies of a file that defines some names, among them those of newer functions.
pub fn found(
    bodies: &str,
    own: &BTreeSet<String>,
    functions: &BTreeMap<String, u32>,
    unordered: &Unordered,
) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut header = "";
    let mut types: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut before, mut is_constant) = ("", false);
    for line in bodies.lines() {
        if line.starts_with("fn ") {
            header = line;
            types.clear();
            is_constant = before == CALCULATED;
        } else if line.ends_with(" = {") && !line.starts_with(' ') {
            is_constant = true;
        }
        before = line;
        let line = line.trim();
        let declared = line.strip_prefix("let ");
        if let Some(declared) = declared {
            let declared = declared.strip_prefix("mut ").unwrap_or(declared);
            types.extend(declared.trim_end_matches(';').split_once(": "));
        } else if line.starts_with("fn ") {
            types.extend(parameters(line));
        }
        let Some((_, value)) = line.split_once(" = ") else {
            continue;
        };
        if let Some((from, (to, _))) = value
            .strip_prefix("copy ")
            .or_else(|| value.strip_prefix("move "))
            .and_then(|value| value.split_once(" as "))
            .and_then(|(from, to)| Some((from, to.split_once(" (PointerCoercion(Unsize")?)))
        {
            let field = from.trim_start_matches('(').trim_end_matches(')');
            let field = field.split_once(": ").map(|(_, of)| of);
            let from = types.get(from).copied().or(field);
            found.extend(from.and_then(|from| upcast(from, to)));
        } else if let Some(callee) = value.split_once(" -> [").and_then(|(call, _)| callee(call)) {
            found.extend(called(callee, own));
            let is_unordered = unordered.makes(header, callee, own);
            found.extend(is_unordered.then(|| (94, "BinaryHeap<T> without T: Ord".to_owned())));
            found.extend(in_constant(callee, own).filter(|_| is_constant));
            let function = of_std(callee, own).and_then(|name| functions.get_key_value(&name));
            found.extend(function.map(|(name, minor)| (*minor, name.clone())));
        }
    }
    found
}

/// The parameters of a body and their types.
fn parameters(header: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = header.split_once("(_1: ").map(|_| header);
    for at in 1.. {
        let name = format!("_{at}: ");
        let Some(start) = rest.and_then(|rest| rest.find(&name)) else {
            break;
        };
        let here = &rest.unwrap_or_default()[start..];
        let (name, after) = here.split_at(name.len());
        let next = format!(", _{}: ", at + 1);
        let end = after.find(&next).or_else(|| after.find(") -> "));
        let Some(end) = end else {
            break;
        };
        found.push((name.trim_end_matches(": "), &after[..end]));
        rest = Some(&after[end..]);
    }
    found
}

/// What it is when a pointer to one type becomes one to another.
fn upcast(from: &str, to: &str) -> Option<(u32, String)> {
    let (from, to) = (short(from), short(to));
    let start = to.find("dyn ")?;
    let (before, to) = to.split_at(start);
    let from = from.strip_prefix(before)?.strip_prefix("dyn ")?;
    let (from, to) = (principal(from), principal(to.strip_prefix("dyn ")?));
    if from == to || AUTO.contains(&from) {
        return None;
    }
    let minor = if AUTO.contains(&to) { 84 } else { 86 };
    Some((minor, format!("dyn {from} as dyn {to}")))
}

/// The name of the trait that a trait object has.
fn principal(object: &str) -> &str {
    let object = match object.strip_prefix("for<") {
        Some(rest) => rest.split_once("> ").map_or(rest, |(_, object)| object),
        None => object,
    };
    let end = object.find(|c| !source::is_word(c));
    &object[..end.unwrap_or(object.len())]
}

/// What a call calls.
fn callee(call: &str) -> Option<&str> {
    let mut depth = 0;
    let mut open = call.char_indices().rev();
    let start = open.find(|(_, c)| {
        depth += match c {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth == 0
    });
    start.map(|(at, _)| &call[..at])
}

/// What it is that a body calls.
fn called(callee: &str, own: &BTreeSet<String>) -> Option<(u32, String)> {
    let callee = callee.replace("std::boxed::Box", "Box");
    if callee.ends_with(" as IntoIterator>::into_iter") {
        let of = callee.trim_start_matches(['<', '&']);
        let of = of.strip_prefix("mut ").unwrap_or(of);
        return of
            .starts_with("Box<[")
            .then(|| (80, "for … in Box<[T]>".to_owned()));
    }
    if callee.ends_with("::collect::<Box<str>>") {
        return Some((80, "collect::<Box<str>>".to_owned()));
    }
    if let Some(new) = tuple_of_collections(&callee) {
        return Some(new);
    }
    let of_iterators = callee.replace("std::iter::", "");
    if of_iterators.starts_with("<Take<Repeat<") && callee.ends_with(" as Iterator>::rev") {
        return Some((82, "repeat(…).take(…).rev()".to_owned()));
    }
    if of_iterators.starts_with("<Take<Repeat<") && callee.ends_with(" as ExactSizeIterator>::len")
    {
        return Some((82, "repeat(…).take(…).len()".to_owned()));
    }
    let shared = SHARED.iter().find_map(|name| {
        let (_, of) = callee.split_once(&format!("{name}::<"))?;
        let of = of.strip_suffix(">::make_mut")?;
        is_slice(of).then_some(name)
    });
    if let Some(name) = shared {
        return Some((81, format!("{name}::make_mut of a slice")));
    }
    if let Some(new) = pointer_to_slice(&callee, own).or_else(|| converted(&callee)) {
        return Some(new);
    }
    if callee.ends_with(" as DerefMut>::deref_mut") {
        let lazy = ["LazyCell<", "LazyLock<"].iter();
        let mut lazy = lazy.filter(|of| callee.trim_start_matches('<').starts_with(**of));
        let of = lazy.next()?.trim_end_matches('<');
        return (!own.contains(of)).then(|| (89, format!("DerefMut of {of}")));
    }
    let path = without_arguments(&callee);
    let mut names = path.rsplit("::");
    let (last, of) = (names.next()?, names.next()?);
    let mut later = LATER.iter().filter(|(.., name)| *name == last);
    let is_on_path = |part: &str| {
        callee.contains(part)
            && (part.starts_with('<') || path.split("::").any(|name| name.starts_with(part)))
    };
    if let Some((minor, part, _)) = later.find(|(_, part, _)| is_on_path(part)) {
        let number = callee
            .split_once("<impl ")
            .and_then(|(_, of)| of.split_once('>'));
        let named = if of.starts_with(part) { of } else { part };
        let of = number.map_or(named, |(number, _)| number);
        return (!own.contains(of)).then(|| (*minor, format!("{of}::{last}")));
    }
    let mut functions = FUNCTIONS.iter();
    let (minor, ..) = functions.find(|(_, name, method)| [*name, *method] == [of, last])?;
    (!own.contains(of)).then(|| (*minor, format!("{of}::{last}")))
}

/// What fills several collections at a time.
fn tuple_of_collections(callee: &str) -> Option<(u32, String)> {
    let collected = |of: &str| match tuple_size(of)? {
        2 => Some((79, "collect::<(A, B)>".to_owned())),
        _ => Some((85, "collect::<(A, B, C)>".to_owned())),
    };
    let is_call_of = |end: &str| without_arguments(callee).ends_with(end);
    if let Some((_, of)) = callee.rsplit_once(" as Iterator>::collect::<") {
        let of = short(of);
        // These hold what they collect.
        let inner = of.trim_start_matches("Option<");
        return collected(inner.trim_start_matches("Result<"));
    }
    let of = callee.strip_prefix('<')?;
    if callee.contains(" as FromIterator<") && is_call_of("::from_iter") {
        return collected(of);
    }
    let extends = callee.contains(" as Extend<") && is_call_of("::extend");
    let is_new = extends && tuple_size(of)? > 2;
    is_new.then(|| (85, "extend of (A, B, C)".to_owned()))
}

/// How many types a tuple holds that a text begins with, if these are two or more.
fn tuple_size(text: &str) -> Option<usize> {
    let (mut depth, mut size) = (0, 1);
    for c in text.strip_prefix('(')?.replace("->", "").chars() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 0 => size += 1,
            _ => {}
        }
    }
    (size > 1).then_some(size)
}

/// Whether a type is a slice, which no array is, or a text.
fn is_slice(of: &str) -> bool {
    let length = of.strip_suffix(']').and_then(|of| of.rsplit_once("; "));
    let is_array = length.is_some_and(|(_, length)| !length.contains(']'));
    of == "str" || of.starts_with('[') && !is_array
}

/// What makes a pointer to a slice or a text out of nothing, or of what may be changed.
fn pointer_to_slice(callee: &str, own: &BTreeSet<String>) -> Option<(u32, String)> {
    let (types, call) = callee.strip_prefix('<')?.rsplit_once(">::")?;
    // Without its modules, and what it leads to.
    let pointer = |of: &str| {
        let (name, of) = of.strip_suffix('>')?.split_once('<')?;
        let name = name.rsplit("::").next()?.to_owned();
        (is_slice(of) && !own.contains(&name)).then(|| (name, of.to_owned()))
    };
    if let Some(made) = types.strip_suffix(" as Default") {
        let (name, of) = pointer(made).filter(|(name, _)| SHARED.contains(&name.as_str()))?;
        return (call == "default").then(|| (80, format!("{name}::<{of}>::default")));
    }
    let (from, to) = match types.split_once(" as From<") {
        Some((to, from)) => (from.strip_suffix('>')?, to),
        None => {
            let (from, to) = types.split_once(" as Into<")?;
            (from, to.strip_suffix('>')?)
        }
    };
    let (name, of) = pointer(to)?;
    let is_known = name == "Box" || SHARED.contains(&name.as_str());
    let is_new = is_known && from.strip_prefix("&mut ") == Some(&of);
    is_new.then(|| (84, format!("{name}::<{of}>::from(&mut …)")))
}

/// A conversion that types had not.
fn converted(callee: &str) -> Option<(u32, String)> {
    let (types, call) = callee.strip_prefix('<')?.rsplit_once(">::")?;
    let (to, from) = match call {
        "try_from" => types.strip_suffix('>')?.split_once(" as TryFrom<")?,
        "try_into" => {
            let (from, to) = types.strip_suffix('>')?.split_once(" as TryInto<")?;
            (to, from)
        }
        _ => return None,
    };
    let is_it = |(_, of, taken): &&(u32, &str, &[&str])| *of == to && taken.contains(&from);
    let (minor, ..) = CONVERSIONS.iter().find(is_it)?;
    Some((*minor, format!("{to}: TryFrom<{from}>")))
}

/// What it is that is called where the compiler calculates.
fn in_constant(callee: &str, own: &BTreeSet<String>) -> Option<(u32, String)> {
    let of_slice = callee
        .strip_prefix(SLICE.trim_end_matches("T]>"))
        .and_then(|rest| rest.split_once("]>::"));
    let callee = match of_slice {
        Some((_, call)) => &format!("{SLICE}::{call}"),
        None => callee,
    };
    IN_CONSTANTS.iter().find_map(|(minor, of, names)| {
        // What it has in `<…>` stands before the function.
        let call = callee.strip_prefix(of)?.strip_prefix("::")?;
        let name = call.rsplit("::").next()?;
        let is_new = names.contains(&name) && !own.contains(*of);
        let of = of.rsplit(' ').next()?.trim_end_matches('>');
        is_new.then(|| (*minor, format!("{of}::{name}{IN_CONSTANT}")))
    })
}

/// The name of a function of the standard library that is no trait's of the file, nor of a type of the file.
fn of_std(callee: &str, own: &BTreeSet<String>) -> Option<String> {
    let path = without_arguments(callee);
    let mut names = path.rsplit("::");
    let name = names.next()?.to_owned();
    let of = names.next().unwrap_or_default();
    let is_in = |root: &&str| callee.starts_with(root);
    let is_of_trait = |name: &&str| callee.contains(&format!(" as {name}>::"));
    let is_std = ["alloc::", "core::", "std::"].iter().any(is_in)
        || ["BufRead", "Iterator"].iter().any(is_of_trait)
        || of.starts_with(char::is_uppercase) && !own.contains(of);
    is_std.then_some(name)
}

/// A path without what stands in `<…>`.
fn without_arguments(path: &str) -> String {
    let (mut found, mut depth) = (String::new(), 0);
    for c in path.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            c if depth == 0 => found.push(c),
            _ => {}
        }
    }
    found
        .replace("::::", "::")
        .trim_end_matches("::")
        .to_owned()
}

/// A type by its names without the modules that they are in.
fn short(of: &str) -> String {
    let mut found = String::new();
    let mut rest = of;
    while let Some(c) = rest.chars().next() {
        let after = rest.strip_prefix("::");
        if let Some(after) = after.filter(|after| after.starts_with(source::is_word)) {
            found.truncate(found.trim_end_matches(source::is_word).len());
            rest = after;
        } else {
            found.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

/// What a file names.
#[derive(Default)]
struct Named {
    methods: BTreeSet<String>,
    /// The traits that objects are of.
    objects: BTreeSet<String>,
    /// Traits, and those that they ask for.
    traits: BTreeMap<String, Vec<String>>,
    /// What holds a boxed slice, or gives one.
    boxed: BTreeSet<String>,
    /// What is gone through by a loop.
    looped: BTreeSet<String>,
    has_tuples: bool,
}

impl Named {
    /// Whether there are objects of a trait, and such of one that it asks for.
    fn may_upcast(&self) -> bool {
        let mut above: Vec<&String> = self.objects.iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = above.pop() {
            for asked in self.traits.get(name).into_iter().flatten() {
                if self.objects.contains(asked) {
                    return true;
                }
                above.extend(seen.insert(asked).then_some(asked));
            }
        }
        let is_auto = |name: &String| AUTO.contains(&name.as_str());
        self.objects.iter().any(is_auto)
    }
}

/// The last names of the traits among bounds.
pub fn traits<'a>(bounds: impl IntoIterator<Item = &'a syn::TypeParamBound>) -> Vec<String> {
    let bounds = bounds.into_iter().filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    });
    bounds.map(|name| name.ident.to_string()).collect()
}

fn is_boxed_slice(of: &syn::Type) -> bool {
    let of = match of {
        syn::Type::Reference(of) => &of.elem,
        of => of,
    };
    let syn::Type::Path(of) = of else {
        return false;
    };
    let last = of.path.segments.last().filter(|last| last.ident == "Box");
    last.is_some_and(|last| match &last.arguments {
        syn::PathArguments::AngleBracketed(of) => {
            let of = of.args.first();
            matches!(of, Some(syn::GenericArgument::Type(syn::Type::Slice(_))))
        }
        _ => false,
    })
}

/// The last name of what a value is or comes from.
fn last_name(value: &syn::Expr) -> Option<String> {
    match value {
        syn::Expr::Path(of) => Some(of.path.segments.last()?.ident.to_string()),
        syn::Expr::Field(of) => Some(match &of.member {
            syn::Member::Named(name) => name.to_string(),
            syn::Member::Unnamed(_) => "0".to_owned(),
        }),
        syn::Expr::MethodCall(call) => Some(call.method.to_string()),
        syn::Expr::Call(call) => last_name(&call.func),
        syn::Expr::Reference(of) => last_name(&of.expr),
        syn::Expr::Paren(inner) => last_name(&inner.expr),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_type_trait_object(&mut self, object: &'ast syn::TypeTraitObject) {
        // What it has besides one trait is no object of that.
        self.objects
            .extend(traits(&object.bounds).into_iter().next());
        visit::visit_type_trait_object(self, object);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let asked = traits(&item.supertraits);
        let of_name = self.traits.entry(item.ident.to_string()).or_default();
        of_name.extend(asked);
        visit::visit_item_trait(self, item);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.methods.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_tuple(&mut self, tuple: &'ast syn::ExprTuple) {
        self.has_tuples |= tuple.elems.len() > 1;
        visit::visit_expr_tuple(self, tuple);
    }

    fn visit_type_tuple(&mut self, tuple: &'ast syn::TypeTuple) {
        self.has_tuples |= tuple.elems.len() > 1;
        visit::visit_type_tuple(self, tuple);
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.looped.extend(last_name(&each.expr));
        visit::visit_expr_for_loop(self, each);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let (pattern, of) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let value = local.init.as_ref().map(|init| &*init.expr);
        let made = value.and_then(last_name);
        let is_boxed = of.is_some_and(is_boxed_slice)
            || made.is_some_and(|name| name == "into_boxed_slice" || self.boxed.contains(&name));
        if let (syn::Pat::Ident(name), true) = (pattern, is_boxed) {
            self.boxed.insert(name.ident.to_string());
        }
        visit::visit_local(self, local);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if is_boxed_slice(&field.ty) {
            let name = field.ident.as_ref().map(ToString::to_string);
            self.boxed.insert(name.unwrap_or_else(|| "0".to_owned()));
        }
        visit::visit_field(self, field);
    }

    fn visit_pat_type(&mut self, typed: &'ast syn::PatType) {
        if let (syn::Pat::Ident(name), true) = (&*typed.pat, is_boxed_slice(&typed.ty)) {
            self.boxed.insert(name.ident.to_string());
        }
        visit::visit_pat_type(self, typed);
    }

    fn visit_signature(&mut self, function: &'ast syn::Signature) {
        if matches!(&function.output, syn::ReturnType::Type(_, of) if is_boxed_slice(of)) {
            self.boxed.insert(function.ident.to_string());
        }
        visit::visit_signature(self, function);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let words = call.tokens.to_string();
        let pairs = source::words(&words).zip(source::words(&words).skip(1));
        self.objects.extend(
            pairs
                .filter(|(word, _)| *word == "dyn")
                .map(|(_, name)| name.to_owned()),
        );
        self.methods
            .extend(source::words(&words).map(str::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::compiler::Compiler;

    fn told(code: &str) -> Vec<(u32, String)> {
        let (found, may_have) = told_and_may(code);
        assert!(found.is_empty() || may_have, "{code}");
        found
    }

    fn told_and_may(code: &str) -> (Vec<(u32, String)>, bool) {
        let text = format!("#![allow(warnings)] use std::any::Any; fn main() {{}} {code}");
        let file = syn::parse_file(&text).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(folder.path());
        let bodies = compiler.bodies(&text, "2021").unwrap().unwrap();
        let unordered = Unordered::of(&text, &file);
        let own = ["Own", "Heap", "new", "f"].map(str::to_owned).into();
        let found = found(&bodies, &own, &BTreeMap::new(), &unordered);
        (found, may_have(&text, &file))
    }

    #[test]
    fn objects_of_traits_that_become_others_are_told() {
        let traits = "trait A { fn a(&self) {} } trait B: A {} trait C<T>: B + Any {}";
        for (code, minor) in [
            ("fn f(a: &dyn B) -> &dyn A { a }", 86),
            ("fn f(a: u8, b: Box<dyn C<u8> + Send>) -> Box<dyn A> { b }", 86),
            ("fn f(a: std::rc::Rc<dyn C<u8>>) { let b: std::rc::Rc<dyn Any> = a; b.is::<u8>(); }", 86),
            ("struct D(&'static dyn B); fn f(d: D) -> &'static dyn A { d.0 }", 86),
            ("fn f(a: Box<dyn B + Send>) -> Box<dyn Send> { a }", 84),
        ] {
            let found = told(&format!("{traits} {code}"));
            let found: Vec<u32> = found.into_iter().map(|(minor, _)| minor).collect();
            assert_eq!(found, [minor], "{code}");
        }
        for code in [
            "impl A for u8 {} impl B for u8 {} fn f(a: &u8) -> (&dyn B, &dyn A) { (a, a) }",
            "fn f(a: Box<dyn B + Send>) -> Box<dyn B> { a }",
            "fn f(a: &[Box<dyn B>; 2]) -> &[Box<dyn B>] { a }",
            "fn f(a: &dyn B) { a.a() }",
        ] {
            assert_eq!(told(&format!("{traits} {code}")), [], "{code}");
        }
    }

    #[test]
    fn conversions_that_types_had_not_are_told() {
        for (code, told_of) in [
            (
                "fn f(a: char) -> usize { usize::try_from(a).unwrap() }",
                Some((94, "usize: TryFrom<char>")),
            ),
            (
                "fn f(a: char) -> usize { a.try_into().unwrap() }",
                Some((94, "usize: TryFrom<char>")),
            ),
            (
                "fn f(a: u8) -> bool { a.try_into().unwrap() }",
                Some((95, "bool: TryFrom<u8>")),
            ),
            ("fn f(a: char) -> u8 { u8::try_from(a).unwrap() }", None),
            (
                "fn f(a: char, b: u64) -> usize { b.try_into().unwrap() }",
                None,
            ),
            (
                "const A: [[u8; 2]; 2] = { let mut a = [[1; 2]; 2]; a.rotate_left(1); a };",
                Some((92, "[T]::rotate_left in a constant")),
            ),
            ("const A: u8 = 5u8.rotate_left(1);", None),
        ] {
            let told_of = told_of.map(|(minor, what)| (minor, what.to_owned()));
            assert_eq!(told_and_may(code).0, Vec::from_iter(told_of), "{code}");
        }
    }

    #[test]
    fn functions_that_types_have_are_told() {
        for (code, what) in [
            (
                "fn f(a: Result<Result<u8, ()>, ()>) -> Result<u8, ()> { a.flatten() }",
                "Result::flatten",
            ),
            (
                "fn f(a: &std::collections::BinaryHeap<u8>) -> &[u8] { a.as_slice() }",
                "BinaryHeap::as_slice",
            ),
            (
                "fn f(a: &mut String) { a.extend_from_within(1..) }",
                "String::extend_from_within",
            ),
            (
                "fn f() { format!(\"a\").extend_from_within(1..) }",
                "String::extend_from_within",
            ),
            (
                "fn f(a: &mut &[i64]) { a.split_off(..1); vec![1].split_off(1); }",
                "[i64]::split_off",
            ),
            (
                "fn f(a: std::sync::atomic::AtomicI64) { let o = std::sync::atomic::Ordering::Relaxed; a.update(o, o, |a| a + 1); }",
                "AtomicI64::update",
            ),
            (
                "fn f(a: std::num::NonZero<u8>) { a.div_ceil(a); 1_u8.div_ceil(2); }",
                "NonZero::div_ceil",
            ),
            (
                "fn f(a: &std::cell::Cell<u8>) { a.update(|a| a + 1) }",
                "Cell::update",
            ),
            (
                "fn f(a: i64) -> i64 { u8::midpoint(1, 2); a.midpoint(3) }",
                "i64::midpoint",
            ),
            (
                "fn f(a: &mut std::collections::HashMap<u8, u8>) { a.extract_if(|_, _| true); }",
                "HashMap::extract_if",
            ),
            (
                "fn f(a: &mut std::collections::BTreeSet<u8>) { a.extract_if(.., |_| true); }",
                "BTreeSet::extract_if",
            ),
            (
                "fn f(a: std::collections::btree_map::Entry<u8, u8>) { a.insert_entry(1); }",
                "btree_map::insert_entry",
            ),
            (
                "fn f() { let mut a = std::cell::LazyCell::new(|| 1); *a += 1; }",
                "DerefMut of LazyCell",
            ),
            ("fn f(a: Box<[u8]>) { for b in &a {} }", "for … in Box<[T]>"),
            ("fn f(a: Box<[u8]>) { for b in a {} }", "for … in Box<[T]>"),
            (
                "fn f(a: Box<[u8]>) { IntoIterator::into_iter(a); }",
                "for … in Box<[T]>",
            ),
            (
                "fn f() -> Box<str> { \"a\".chars().collect() }",
                "collect::<Box<str>>",
            ),
            (
                "fn f(a: &[u8]) -> (Vec<u8>, String) { a.iter().map(|&b| (b, 'c')).collect() }",
                "collect::<(A, B)>",
            ),
            (
                "fn f() -> Option<(Vec<u8>, Vec<fn(u8, u8) -> u8>, String)> { [Some((1, u8::max as fn(u8, u8) -> u8, 'a'))].into_iter().collect() }",
                "collect::<(A, B, C)>",
            ),
            (
                "fn f(a: (Vec<u8>, Vec<u8>)) -> (Vec<u8>, Vec<u8>) { FromIterator::from_iter(a.0.into_iter().zip(a.1)) }",
                "collect::<(A, B)>",
            ),
            (
                "fn f() { let mut a = (vec![1], vec![2], vec![3]); a.extend([(4, 5, 6)]); }",
                "extend of (A, B, C)",
            ),
            (
                "fn f() { std::iter::repeat(1).take(2).rev(); }",
                "repeat(…).take(…).rev()",
            ),
            (
                "fn f() { std::iter::repeat(1).take(2).len(); }",
                "repeat(…).take(…).len()",
            ),
            (
                "fn f(a: &mut std::rc::Rc<[u8]>) { std::rc::Rc::make_mut(a)[0] = 1; }",
                "Rc::make_mut of a slice",
            ),
            (
                "fn f(a: &mut std::rc::Rc<[[u8; 2]]>) { std::rc::Rc::make_mut(a); }",
                "Rc::make_mut of a slice",
            ),
            (
                "fn f(a: &mut std::sync::Arc<str>) { std::sync::Arc::make_mut(a); }",
                "Arc::make_mut of a slice",
            ),
            (
                "#[derive(Default)] struct A(std::rc::Rc<str>);",
                "Rc::<str>::default",
            ),
            (
                "fn f() -> std::sync::Arc<[[u8; 2]]> { Default::default() }",
                "Arc::<[[u8; 2]]>::default",
            ),
            (
                "fn f(a: &mut [u8]) -> Box<[u8]> { Box::from(a) }",
                "Box::<[u8]>::from(&mut …)",
            ),
            (
                "fn f(a: &mut str) { let b: std::rc::Rc<str> = a.into(); }",
                "Rc::<str>::from(&mut …)",
            ),
        ] {
            // From Rust 1.97 on all atomic numbers are of one type.
            let found = told(code).into_iter();
            let found = found.map(|(_, what)| what.replace("Atomic::", "AtomicI64::"));
            assert_eq!(found.collect::<Vec<_>>(), [what], "{code}");
        }
        for code in [
            "fn f(a: Option<Option<Result<u8, ()>>>) { a.flatten(); }",
            "fn f(a: &mut (Vec<u8>, String)) -> Vec<(u8, char)> { a.extend([(1, 'b')]); [(1, 'b')].into_iter().collect() }",
            "fn f(a: &mut Vec<String>) -> &[String] { a.extend_from_within(1..); a.as_slice() }",
            "fn f(a: Box<[u8]>) { for b in a.iter() {} for c in Vec::from(a) {} }",
            "fn f() { [1].repeat(1).into_iter().take(2).rev(); }",
            "fn f(a: &mut std::rc::Rc<[u8; 2]>) { std::rc::Rc::make_mut(a)[0] = 1; }",
            "fn f(a: &mut u8, b: &[u8]) -> (Box<[u8]>, Box<u8>) { (b.into(), Box::from(*a)) }",
            "fn f() -> (Box<[u8]>, std::rc::Rc<[u8; 2]>, std::rc::Rc<u8>) { Default::default() }",
        ] {
            assert_eq!(told(code), [], "{code}");
        }
    }

    #[test]
    fn heaps_of_what_has_no_order_are_told() {
        let uses = "use std::collections::BinaryHeap; use std::cmp::Reverse; trait Key: Ord {} \
                    struct Own<T>(T); ";
        for code in [
            "struct Heap<T>(BinaryHeap<T>); impl<T> Heap<T> { fn new() -> Self { Self(BinaryHeap::new()) } }",
            "struct Heap<T>(BinaryHeap<Reverse<(u8, T)>>); impl<T> Heap<T> { fn with() -> Self { Self(BinaryHeap::with_capacity(1)) } }",
            "#[derive(Default)] struct Heap<T> { all: BinaryHeap<T> }",
            "fn f<T: Copy>() -> usize { let heap: BinaryHeap<T> = Default::default(); heap.len() }",
            "trait Heap<T> { fn heap(&self) -> BinaryHeap<T> { BinaryHeap::new() } }",
            "fn f<T>() -> fn() -> usize { || BinaryHeap::<T>::new().len() }",
            "mod m { pub fn new<T>() -> usize { fn new<T>() -> usize { super::BinaryHeap::<T>::new().len() } new::<T>() } }",
        ] {
            let found = told(&format!("{uses}{code}"));
            let expected = (94, "BinaryHeap<T> without T: Ord".to_owned());
            assert_eq!(found, [expected], "{code}");
        }
        for code in [
            "struct Heap<T>(BinaryHeap<T>); impl<T: Ord> Heap<T> { fn new() -> Self { Self(BinaryHeap::new()) } } \
             struct List<T>(Vec<T>); impl<T> List<T> { fn new() -> Self { Self(Vec::new()) } }",
            "struct Heap<T>(BinaryHeap<T>); impl<T: Ord> Heap<T> { fn new() -> Self { Self(BinaryHeap::new()) } } fn new<T>(t: T) -> T { t } \
             struct One; trait Make<T> { fn new(t: T) -> T; fn make(t: T) -> T { t } } impl<T> Make<T> for One { fn new(t: T) -> T { t } }",
            "fn f<T: Key>() { BinaryHeap::<T>::new(); }",
            "fn f<T>() where (T, u8): Ord { BinaryHeap::<(T, u8)>::new(); }",
            "fn f<T>(t: T) { let mut heap = BinaryHeap::new(); heap.push(1); }",
            "#[derive(Default)] struct Heap<T: Ord>(BinaryHeap<T>);",
            "struct Free<T>(T); impl<T> Free<T> { fn new(heap: BinaryHeap<T>) -> usize { heap.len() } }",
            // It may have an order of its own.
            "fn f<T>() { BinaryHeap::<Own<T>>::new(); }",
        ] {
            assert_eq!(told(&format!("{uses}{code}")), [], "{code}");
        }
    }
}
