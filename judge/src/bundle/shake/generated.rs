//! What the compiler makes code for, and whether two texts give the same code.
//!
//! The type checker wants an impl wherever a bound asks for it; code is made only for the functions that `main` reaches with its very types.
//! The compiler tells these in LLVM's language, without optimising, each with the line that it comes from. And as long as everything that
//! stays is on its old line, taking away what is not among them must leave this code as it was, word for word: the proof that no
//! call leads elsewhere now.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::objects;
use crate::bundle::text::source;

/// What `main` reads where the lines of functions are told, so that it is there for a debugger.
const FOR_DEBUGGERS: &str = "@__rustc_debug_gdb_scripts_section__";

/// The module of the adaptor that asks whether an iterator is a `FusedIterator`. What it does that depends on that is never a part of another
/// function.
const FUSE: &str = "iter::adapters::fuse::";

/// The code of a program.
pub struct Generated {
    /// The functions of the text, those of others for its types, and the named data, by name, in a form that does not depend on how the
    /// compiler numbers things. Several may share a name.
    code: BTreeMap<String, Vec<String>>,
    /// The lines of the file that functions begin on, from 1, if the compiler was asked for them.
    pub lines: BTreeSet<usize>,
    /// The traits of whose objects there are tables.
    pub of_objects: BTreeSet<String>,
    /// What the compiler tells of all functions, if it was asked (see `calls`).
    pub bodies: String,
}

impl Generated {
    /// Reads LLVM's language, as `rustc` writes it, perhaps with the lines of functions for debuggers. Nothing where it finds no `main`:
    /// then it does not understand what it reads.
    pub fn new(listing: &str, file_name: &str) -> Option<Self> {
        let mut reader = Reader {
            constants: BTreeMap::new(),
            names: BTreeMap::new(),
            locals: BTreeMap::new(),
        };
        let mut functions: Vec<Vec<&str>> = Vec::new();
        let mut statics = Vec::new();
        let mut inside = false;
        for line in listing.lines().filter(|line| !line.contains(FOR_DEBUGGERS)) {
            if line.starts_with("define ") {
                functions.push(Vec::new());
                inside = true;
            }
            if inside {
                functions
                    .last_mut()
                    .expect("pushed where one begins")
                    .push(line);
                inside = line != "}";
            } else if let Some((name, value)) = global(line) {
                if is_numbered(name) {
                    reader.constants.insert(name, value);
                } else {
                    statics.push((name, value));
                }
            }
        }
        let mut code: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for lines in functions {
            let symbol = lines[0].split_once('@').map_or("", |(_, rest)| rest);
            let symbol = &symbol[..symbol.find('(').unwrap_or(symbol.len())];
            let name = reader.name(symbol);
            if is_of_others(symbol, &name) {
                continue;
            }
            let mut text = String::new();
            reader.locals.clear();
            for line in lines {
                // A block begins.
                let line = match line.split_once(':') {
                    Some((block, rest)) if !block.contains(|c| !is_word(c)) => {
                        reader.local(block, &mut text);
                        rest
                    }
                    _ => line,
                };
                reader.canonical(line, 0, &mut text);
                text.push('\n');
            }
            code.entry(name).or_default().push(text);
        }
        for (symbol, value) in statics {
            let mut text = String::new();
            reader.canonical(value, 0, &mut text);
            code.entry(reader.name(symbol)).or_default().push(text);
        }
        for bodies in code.values_mut() {
            bodies.sort_unstable();
        }
        let mut of_objects = BTreeSet::new();
        // That of an object in a static is not called a table.
        let constants: Vec<&str> = reader.constants.values().copied().collect();
        for symbol in constants.iter().flat_map(|value| value.split('@').skip(1)) {
            let end = symbol.find(|c| !is_word(c)).unwrap_or(symbol.len());
            of_objects.extend(objects::of_function(&reader.name(&symbol[..end])));
        }
        let lines = lines_of_functions(listing, file_name);
        code.contains_key("bundle::main").then_some(Self {
            code,
            lines,
            of_objects,
            bodies: String::new(),
        })
    }

    /// The types and the traits of the impls that there are functions of.
    pub fn impls(&self) -> BTreeSet<(String, String)> {
        let found = self.code.keys().filter_map(|path| objects::of_impl(path));
        found
            .map(|(of, of_trait)| (of.to_owned(), of_trait.to_owned()))
            .collect()
    }

    /// Whether there is code of the adaptor that ends for good, for a type so called: that is another one where the type promises to.
    pub fn fuses(&self, name: &str) -> bool {
        let mut fused = self.code.keys().flat_map(|path| fused(path));
        fused.any(|of| source::words(of).any(|word| word == name))
    }

    /// The types and the traits of the functions of impls that the other calls where this code differs from it.
    pub fn called_where_other(&self, other: &Self) -> BTreeSet<(String, String)> {
        let differing = self.code.iter().filter_map(|(name, bodies)| {
            let others = other.code.get(name)?;
            (others != bodies).then_some(others)
        });
        // What a body is of stands before its calls.
        let calls = differing.flatten().flat_map(|body| body.split('@').skip(2));
        calls
            .filter_map(objects::of_impl)
            .map(|(of, of_trait)| (of.to_owned(), of_trait.to_owned()))
            .collect()
    }

    /// Whether all of this code is in the other, so that the two programs do the same. The other may have more, of statics that nothing
    /// reads.
    pub fn is_part_of(&self, other: &Self) -> bool {
        self.code
            .iter()
            .all(|(name, bodies)| other.code.get(name) == Some(bodies))
    }
}

/// Whether a function is one of other crates for types of theirs: then it is the same whatever the text is. And it need not be there, if a
/// compiled crate that the text names has it already (those with little optimisation keep such for who comes after them).
fn is_of_others(symbol: &str, name: &str) -> bool {
    symbol != name && !name.contains("bundle::") && !name.starts_with("__rustc::")
}

/// What the adaptor is for, at each place where a path names it; for a function beside it, the rest of the path.
fn fused(path: &str) -> impl Iterator<Item = &str> {
    let rests = path.match_indices(FUSE).map(|(at, _)| &path[at..]);
    rests.map(|rest| match rest[FUSE.len()..].strip_prefix("Fuse<") {
        None => rest,
        Some(rest) => {
            let mut depth = 1;
            let end = rest.char_indices().find(|&(at, c)| {
                depth += match c {
                    '<' => 1,
                    // An arrow ends nothing.
                    '>' if !rest[..at].ends_with('-') => -1,
                    _ => 0,
                };
                depth == 0
            });
            end.map_or(rest, |(at, _)| &rest[..at])
        }
    })
}

/// `@name = value` of a line.
fn global(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('@')?.split_once(" = ")
}

/// Constants that the compiler names by numbers or by their content.
fn is_numbered(name: &str) -> bool {
    ["alloc_", "vtable.", "anon.", "switch.", "const."]
        .iter()
        .any(|start| name.starts_with(start))
}

struct Reader<'t> {
    constants: BTreeMap<&'t str, &'t str>,
    names: BTreeMap<&'t str, String>,
    /// The numbered values and blocks of a function, in the order in which they come.
    locals: BTreeMap<&'t str, usize>,
}

/// Whether a name of LLVM's goes on.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.$".contains(c)
}

impl<'t> Reader<'t> {
    /// A symbol as a path without the numbers that impls have in their modules.
    fn name(&mut self, symbol: &'t str) -> String {
        self.names
            .entry(symbol)
            .or_insert_with(|| match rustc_demangle::try_demangle(symbol) {
                Ok(path) => format!("{path:#}"),
                Err(_) => symbol.to_owned(),
            })
            .clone()
    }

    /// The name of a value or block. Those that only have a number get another: the type checker numbers what it inserts where it
    /// had to wait for a type, and drops it again where the operation is one of the machine. So do the halves of a pair, `_1.0` and
    /// `_1.1`: they have numbers of their own where such a thing comes between.
    fn local(&mut self, name: &'t str, out: &mut String) {
        let number = name.strip_prefix("bb").or(name.strip_prefix('_'));
        if number
            .unwrap_or(name)
            .starts_with(|c: char| c.is_ascii_digit())
        {
            let next = self.locals.len();
            let number = self.locals.entry(name).or_insert(next);
            let _ = write!(out, "%{number}");
        } else {
            out.push_str(name);
        }
    }

    /// A line without comments, debugger's notes and numbers of attributes; constants by their content.
    fn canonical(&mut self, line: &'t str, depth: usize, out: &mut String) {
        let mut rest = line;
        let mut string = false;
        while let Some(at) = rest.find(['@', '!', '#', ';', '"', '%']) {
            out.push_str(&rest[..at]);
            let mark = &rest[at..=at];
            rest = &rest[at + 1..];
            if mark == "\"" {
                string = !string;
            }
            let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            match mark {
                _ if string || mark == "\"" => out.push_str(mark),
                ";" => rest = "",
                "%" => {
                    self.local(&rest[..word], out);
                    rest = &rest[word..];
                }
                "@" => {
                    let symbol = &rest[..word];
                    rest = &rest[word..];
                    match self.constants.get(symbol).copied() {
                        Some(value) if depth < 20 => {
                            out.push_str("@{");
                            self.canonical(value, depth + 1, out);
                            out.push('}');
                        }
                        _ => {
                            let _ = write!(out, "@{}", self.name(symbol));
                        }
                    }
                }
                _ => {
                    // `, !dbg !12`, ` #3`: the numbers count what is elsewhere in the file.
                    out.truncate(out.trim_end_matches([' ', ',']).len());
                    rest = rest[word..].trim_start_matches(',');
                }
            }
        }
        out.push_str(rest);
        out.truncate(out.trim_end().len());
    }
}

/// The lines on which the functions of a file begin.
fn lines_of_functions(listing: &str, file_name: &str) -> BTreeSet<usize> {
    let field = |line: &str, name: &str| {
        let (_, rest) = line.split_once(name)?;
        let end = rest.find([',', ')']).unwrap_or(rest.len());
        Some(rest[..end].to_owned())
    };
    let entries = || {
        listing
            .lines()
            .filter(|line| line.starts_with('!'))
            .filter_map(|line| line.split_once(" = "))
    };
    let files: BTreeSet<&str> = entries()
        .filter(|(_, what)| what.contains("!DIFile(filename: ") && what.contains(file_name))
        .map(|(number, _)| number)
        .collect();
    entries()
        .filter(|(_, what)| what.contains("!DISubprogram("))
        .filter(|(_, what)| field(what, "file: ").is_some_and(|file| files.contains(file.as_str())))
        .filter_map(|(_, what)| field(what, " line: ")?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `main`, which calls a method of the impl with a number in its module, and reads a constant by the name that the compiler gave it.
    fn listing(number: &str, callee: &str, constant: &str, note: u8) -> String {
        let method = format!("_RNvX{number}_Cs1_6bundleNtB2_1XNtB2_1T{callee}");
        format!(
            "@alloc_{constant} = private constant [2 x i8] c\"a;\", align 1\n\
             define internal void @_RNvCs1_6bundle4main() #{note} !dbg !{note} {{\n\
             start:   ; a comment\n\
             \x20 call void @{method}(ptr @alloc_{constant}), !dbg !{note}\n\
             }}\n\
             define internal void @{method}(ptr %x) {{\n  ret void\n}}\n\
             !1 = !DIFile(filename: \"bundle.rs\", directory: \"/x\")\n\
             !2 = !DIFile(filename: \"core.rs\", directory: \"/x\")\n\
             !3 = distinct !DISubprogram(name: \"main\", scope: !9, file: !1, line: 7, type: !9)\n\
             !4 = distinct !DISubprogram(name: \"other\", scope: !9, file: !2, line: 8, type: !9)\n"
        )
    }

    #[test]
    fn what_is_fused_is_what_the_adaptor_has_inside() {
        let found = |path| Vec::from_iter(fused(path));
        let next = "<core::iter::adapters::fuse::Fuse<b::Odd<fn(u8) -> u8>> as core::iter::adapters::fuse::FuseImpl<b::Odd>>::next";
        assert_eq!(found(next)[0], "b::Odd<fn(u8) -> u8>");
        let fold = "<b::Even<core::iter::adapters::fuse::Fuse<core::ops::Range<u8>>> as b::Fold>::fold::<b::Odd>";
        assert_eq!(found(fold), ["core::ops::Range<u8>"]);
        assert!(found("core::iter::adapters::fuse::f::<b::Odd>")[0].ends_with("::f::<b::Odd>"));
        assert!(found("<b::Odd as b::Next>::next").is_empty());
    }

    /// A function alone.
    fn alone(function: &str) -> String {
        let listing = listing("s1", "1f", "11", 3);
        let notes = listing.find("!1 = ").unwrap();
        format!("{function}{}", &listing[notes..])
    }

    fn read(listing: &str) -> Generated {
        Generated::new(listing, "bundle.rs").unwrap()
    }

    #[test]
    fn the_numbers_of_the_compiler_do_not_count() {
        let one = read(&listing("s1", "1f", "11", 3));
        let two = read(&listing("s7", "1f", "22", 4));
        assert!(one.is_part_of(&two) && two.is_part_of(&one));
        assert_eq!(one.lines, BTreeSet::from([7]));
        assert!(one.called_where_other(&two).is_empty());
        // Nor do those of values and blocks, as long as each stays apart.
        let body = "bb1:  ; preds = %start\n  %_4.0 = add i8 %_3, %x\n  br label %bb2\nbb2:\n  ret i8 %_4.0\n}\n";
        let main = "define void @_RNvCs1_6bundle4main() {\nstart:\n  br label %bb1\n";
        let text = alone(&format!("{main}{body}"));
        let same = |from: &str, to: &str| read(&text.replace(from, to)).is_part_of(&read(&text));
        assert!(same("_4", "_9") && same("bb1", "bb7") && same("%_3", "%_12"));
        assert!(
            !same("i8 %_3", "i8 %_4.0") && !same("label %bb2", "label %bb1") && !same("%x", "%y")
        );
        // Nor whether the halves of a pair have the number of the pair.
        let pair = "%_3 = call { i8, i8 } @f()\n  %_5.0 = extractvalue { i8, i8 } %_3, 0\n  \
                    %_5.1 = extractvalue { i8, i8 } %_3, 1\n  ret i8 %_5.1\n}\n";
        let text = alone(&format!("{main}bb1:\n  {pair}"));
        let with = |pair: &str| read(&alone(&format!("{main}bb1:\n  {pair}")));
        let numbered = pair.replace("_5.0", "0").replace("_5.1", "1");
        assert!(with(&numbered).is_part_of(&read(&text)));
        assert!(!with(&numbered.replace("i8 %1", "i8 %0")).is_part_of(&read(&text)));
    }

    #[test]
    fn tables_of_objects_are_found_by_what_is_in_them() {
        let table = |name: &str| {
            let method = "_RNvXs1_Cs1_6bundleNtB2_1XNtB2_1T1f";
            format!("@{name} = private constant <{{ [24 x i8], ptr }}> <{{ [24 x i8] zeroinitializer, ptr @{method} }}>, align 8\n")
        };
        for name in ["vtable.1", "anon.6f7a.3"] {
            let listing = format!("{}{}", table(name), listing("s1", "1f", "11", 3));
            assert_eq!(read(&listing).of_objects, BTreeSet::from(["T".to_owned()]));
        }
        assert!(read(&listing("s1", "1f", "11", 3)).of_objects.is_empty());
    }

    #[test]
    fn what_is_there_for_debuggers_does_not_count() {
        let with = listing("s1", "1f", "11", 3).replace(
            "start:",
            "start:\n  %7 = load volatile i8, ptr @__rustc_debug_gdb_scripts_section__, align 1\n  %8 = sext i32 %0 to i64\n",
        );
        let without =
            listing("s1", "1f", "11", 3).replace("start:", "start:\n  %7 = sext i32 %0 to i64\n");
        let without = without.replace(", !dbg !3", "");
        let without = without.replace(" !dbg !3", "");
        let without = &without[..without.find("!1 = ").unwrap()];
        let (with, without) = (read(&with), read(without));
        assert!(with.is_part_of(&without) && without.is_part_of(&with));
        assert!(without.lines.is_empty());
    }

    #[test]
    fn another_callee_or_another_constant_is_another_program() {
        let one = listing("s1", "1f", "11", 3);
        let other = read(&listing("s1", "1g", "11", 3));
        assert!(!other.is_part_of(&read(&one)));
        let called = other.called_where_other(&read(&one));
        let is_it = |(of, by): &(String, String)| of.ends_with("::X") && by.ends_with("::T");
        assert!(called.len() == 1 && called.iter().all(is_it), "{called:?}");
        assert!(!read(&one.replace("a;", "b;")).is_part_of(&read(&one)));
    }

    #[test]
    fn more_may_be_in_the_program_that_all_is_compared_with() {
        let one = listing("s1", "1f", "11", 3);
        let more = format!("define internal void @more() {{\n  ret void\n}}\n{one}");
        assert!(read(&one).is_part_of(&read(&more)));
        assert!(!read(&more).is_part_of(&read(&one)));
    }

    #[test]
    fn functions_of_other_crates_for_types_of_theirs_do_not_count() {
        let one = listing("s1", "1f", "11", 3);
        let with = |symbol: &str| {
            read(&format!(
                "define void @{symbol}() {{\n  ret void\n}}\n{one}"
            ))
        };
        // `other::f::<u8>`, which is made in the bundle.
        assert!(with("_RINvCs2_5other1fhECs1_6bundle").is_part_of(&read(&one)));
        // `other::f::<bundle::X>`, the allocator that the text has, and what has the name that it is given.
        let counts = [
            "_RINvCs2_5other1fNtCs1_6bundle1XEB2_",
            "_RNvCs3_7___rustc12___rust_alloc",
            "f",
        ];
        for symbol in counts {
            assert!(!with(symbol).is_part_of(&read(&one)), "{symbol}");
        }
    }

    #[test]
    fn what_is_not_understood_is_not_read() {
        assert!(Generated::new("", "bundle.rs").is_none());
        assert!(Generated::new("define void @main() {\n}\n", "bundle.rs").is_none());
    }
}
