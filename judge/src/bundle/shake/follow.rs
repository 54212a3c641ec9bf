//! What goes with what is gone, as far as it can be told without asking the compiler.
//!
//! Nothing here decides that something is dead. It saves rounds: an import of a function that was removed makes an error, and the import of
//! that import another one, a round later.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::made::{self, Made};
use crate::bundle::text::index::{Index, Kind, Node, Sort};

/// What a text defines, by module and name.
pub struct Names {
    /// What the calls of macros make, as far as that is known.
    pub made: BTreeMap<usize, Made>,
    /// Items, modules and imports.
    defined: BTreeMap<Place, Vec<usize>>,
    /// What each import brings.
    targets: BTreeMap<usize, Target>,
    /// The imports by what they bring.
    importing: BTreeMap<Place, Vec<usize>>,
    /// For a module, those that another one imports under the same name, each for other processors.
    twins: BTreeMap<usize, Vec<usize>>,
    /// Modules that import all names of another.
    globs: BTreeMap<Option<usize>, Vec<usize>>,
    /// Macros by name.
    macros: BTreeMap<String, Vec<usize>>,
    /// What imports and the headers of impls look for.
    sought: Vec<Sought>,
    /// For each import that leads somewhere in the text, which of these it looks for.
    by_imports: Vec<(usize, usize)>,
    /// For some of these imports, the modules so called that are private and that they do not see.
    unseen: BTreeMap<usize, Vec<usize>>,
    /// For each import that is one of a macro by the order of the text, the macros that it may be.
    by_order: Vec<(usize, Vec<usize>)>,
    /// For each impl, which of these its header names.
    by_headers: Vec<(usize, Vec<usize>)>,
    /// The modules that were looked for.
    modules: RefCell<BTreeMap<Place, Option<usize>>>,
    /// The traits of impls that were asked for.
    traits: RefCell<BTreeMap<usize, Option<Rc<[usize]>>>>,
}

/// A name in a module, which is nothing for the file.
type Place = (Option<usize>, String);

/// A name in the text; nothing where it leads out of it.
type Target = Option<Place>;

/// A name that something looks for, and what may be there.
struct Sought {
    place: Place,
    /// What is so called there and a path can lead to; nothing where there is no such name.
    found: Option<Vec<usize>>,
    /// Without it the name means the same.
    is_of_prelude: bool,
    /// A macro may be so called, which hides nothing that globs bring.
    hides_nothing: bool,
}

/// The standard library.
pub const STANDARD: [&str; 3] = ["std", "core", "alloc"];

/// What a path may mean.
pub enum Meaning {
    /// These items of the text, or none of it.
    Items(Vec<usize>),
    Unknown,
}

/// What the prelude has in every edition and since the first release: crates that do without `std`, or with older compilers, import it.
const PRELUDE: &str = "AsMut AsRef Box Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From Into \
                       IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync ToOwned ToString Vec drop";

/// What a name was found to mean, and where it was looked for: whether there can be no others.
#[derive(Default)]
struct Meant {
    items: BTreeSet<usize>,
    places: BTreeMap<(Place, Hidden), bool>,
}

/// Whether aliases and traits of a name are hidden by one that comes before what globs bring.
type Hidden = bool;

impl Names {
    pub fn new(index: &Index) -> Self {
        let mut names = Self {
            defined: BTreeMap::new(),
            targets: BTreeMap::new(),
            importing: BTreeMap::new(),
            twins: BTreeMap::new(),
            globs: BTreeMap::new(),
            macros: BTreeMap::new(),
            sought: Vec::new(),
            by_imports: Vec::new(),
            unseen: BTreeMap::new(),
            by_order: Vec::new(),
            by_headers: Vec::new(),
            modules: RefCell::default(),
            traits: RefCell::default(),
            made: made::by_calls(index),
        };
        for (n, node) in index.nodes.iter().enumerate() {
            match node.kind {
                Kind::Import if node.name == "*" => {
                    names.globs.entry(node.parent).or_default().push(n);
                }
                Kind::Item | Kind::Module | Kind::Import => {
                    let key = (node.parent, node.name.clone());
                    names.defined.entry(key).or_default().push(n);
                }
                // Which names a macro makes here nobody knows.
                Kind::Call if !names.made.get(&n).is_some_and(|made| made.names.is_empty()) => {
                    names.globs.entry(node.parent).or_default().push(n);
                }
                _ => {}
            }
            if node.sort == Sort::Macro {
                let macros = names.macros.entry(node.name.clone());
                macros.or_default().push(n);
            }
        }
        for (n, node) in index.nodes.iter().enumerate() {
            if node.kind == Kind::Import {
                let path = index.import_path(n);
                let target = path.and_then(|path| names.resolve(index, node.parent, &path));
                if let Some(target) = &target {
                    let importing = names.importing.entry(target.clone());
                    importing.or_default().push(n);
                }
                names.targets.insert(n, target);
            }
        }
        names.twins = names.twins(index);
        names.seek(index);
        names
    }

    /// Sets what imports and the headers of impls look for, each name once: it is asked about again and again.
    fn seek(&mut self, index: &Index) {
        let mut known = BTreeMap::new();
        let mut sought = Vec::new();
        let mut at = |names: &Self, place: Place| {
            *known.entry(place).or_insert_with_key(|place| {
                sought.push(names.sought(index, place));
                sought.len() - 1
            })
        };
        let targets = self.targets.iter();
        let by_imports = targets.filter_map(|(&n, target)| Some((n, at(self, target.clone()?))));
        let by_imports = by_imports.collect();
        let impls = index.nodes.iter().enumerate();
        let impls = impls.filter(|(_, node)| matches!(node.kind, Kind::Impl | Kind::InherentImpl));
        let by_headers = impls.map(|(n, node)| {
            let paths = node.header();
            let targets = paths.filter_map(|path| self.resolve(index, node.parent, path));
            (n, targets.map(|target| at(self, target)).collect())
        });
        let by_headers = by_headers.collect();
        let by_order = self
            .targets
            .keys()
            .filter_map(|&n| Some((n, self.by_order(index, n)?)));
        self.by_order = by_order.collect();
        (self.by_imports, self.by_headers, self.sought) = (by_imports, by_headers, sought);
        for &(n, at) in &self.by_imports {
            let found = self.sought[at].found.iter().flatten().copied();
            let is_unseen =
                |&of: &usize| index.nodes[of].kind == Kind::Module && !is_seen(index, of, n);
            let unseen: Vec<usize> = found.filter(is_unseen).collect();
            if !unseen.is_empty() {
                self.unseen.insert(n, unseen);
            }
        }
    }

    fn sought(&self, index: &Index, place: &Place) -> Sought {
        let found = self.defined.get(place);
        let is_of_prelude = |&n: &usize| leads_out(index, n) && is_of_prelude(&index.nodes[n]);
        // No path leads to a macro, but for that of an import of it.
        let is_macro = |n: &usize| index.nodes[*n].sort == Sort::Macro;
        let all_macros = found.is_some_and(|found| found.iter().all(is_macro));
        let meant = |found: &Vec<usize>| {
            let found = found.iter().copied();
            found.filter(|n| all_macros || !is_macro(n)).collect()
        };
        Sought {
            found: found.map(meant),
            is_of_prelude: found.is_some_and(|found| found.iter().any(is_of_prelude)),
            hides_nothing: self.macros.contains_key(&place.1),
            place: place.clone(),
        }
    }

    /// The macros of its crate that an import may be one of by the order of the text.
    fn by_order(&self, index: &Index, import: usize) -> Option<Vec<usize>> {
        let path = index.import_path(import);
        let [name] = path.as_deref()? else {
            return None;
        };
        let macros = self.macros.get(*name)?;
        let own = (index.nodes[import].parent, (*name).to_owned());
        let mut own = self.defined.get(&own).into_iter().flatten();
        let crate_of = index.outermost(import);
        let macros = macros.iter().copied();
        let here = macros.filter(|&n| index.outermost(n) == crate_of);
        let here: Vec<usize> = here.collect();
        let is_other = |&n: &usize| n != import && index.nodes[n].sort != Sort::Macro;
        (!here.is_empty() && !own.any(is_other)).then_some(here)
    }

    /// The modules that one name stands for, each with the others, and those in them.
    fn twins(&self, index: &Index) -> BTreeMap<usize, Vec<usize>> {
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let module = |&n: &usize| match index.nodes[n].kind {
            Kind::Module => Some(n),
            _ => {
                let target = self.targets.get(&n)?.clone()?;
                self.module(index, target, &mut BTreeSet::new())
            }
        };
        let several = self.defined.values().filter(|nodes| nodes.len() > 1);
        let mut groups: Vec<BTreeSet<usize>> = several
            .map(|nodes| nodes.iter().filter_map(module).collect())
            .collect();
        let mut seen = BTreeSet::new();
        while let Some(group) = groups.pop() {
            if group.len() < 2 || !seen.insert(group.clone()) {
                continue;
            }
            for &module in &group {
                let others = group.iter().filter(|other| **other != module);
                found.entry(module).or_default().extend(others);
            }
            let mut inside: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
            for &around in &group {
                let first = (Some(around), String::new());
                let names = self.defined.range(first..);
                for ((_, name), nodes) in names.take_while(|((of, _), _)| *of == Some(around)) {
                    let modules = nodes.iter().filter_map(module);
                    inside.entry(name).or_default().extend(modules);
                }
            }
            groups.extend(inside.into_values());
        }
        found
    }

    /// The module and the name that a path leads to.
    fn resolve(&self, index: &Index, from: Option<usize>, path: &[impl AsRef<str>]) -> Target {
        self.resolve_from(index, from, path, &mut BTreeSet::new())
    }

    /// The same, on the way of something else: `seen` are the places where that looked already.
    fn resolve_from(
        &self,
        index: &Index,
        from: Option<usize>,
        path: &[impl AsRef<str>],
        seen: &mut BTreeSet<Place>,
    ) -> Target {
        let (last, modules) = path.split_last()?;
        let mut last = last.as_ref();
        let mut at = match path[0].as_ref() {
            "crate" => None,
            "self" | "super" => from.and_then(|from| index.module_around(from)),
            name => self.scope(index, from, name),
        };
        for (n, name) in modules.iter().enumerate() {
            at = match name.as_ref() {
                "crate" | "self" if n == 0 => at,
                "super" => index.module(at?),
                name => match self.module(index, (at, name.to_owned()), seen) {
                    // What is in a type goes with it.
                    None if n + 1 == modules.len() => {
                        let of = scopes(index, at).find(|at| self.has(*at, name));
                        return Some((of.unwrap_or(at), name.to_owned()));
                    }
                    module => Some(module?),
                },
            };
        }
        if last == "self" {
            last = &index.nodes[at?].name;
            at = index.nodes[at?].parent;
        }
        Some((at, last.to_owned()))
    }

    /// Where a name is looked for: in the innermost body around that may have it, or in the module.
    fn scope(&self, index: &Index, from: Option<usize>, name: &str) -> Option<usize> {
        let may_have = |at: &Option<usize>| self.globs.contains_key(at) || self.has(*at, name);
        let all = scopes(index, from);
        let found = all.clone().find(may_have);
        found.or_else(|| all.last()).flatten()
    }

    fn has(&self, at: Option<usize>, name: &str) -> bool {
        self.defined.contains_key(&(at, name.to_owned()))
    }

    /// A module by its name, or by the name that it is imported under, alone or with all of another module.
    ///
    /// All names of a module may come on many ways, and in circles: each place is looked at once.
    fn module(&self, index: &Index, place: Place, seen: &mut BTreeSet<Place>) -> Option<usize> {
        if let Some(known) = self.modules.borrow().get(&place) {
            return *known;
        }
        let is_first = seen.is_empty();
        if !seen.insert(place.clone()) {
            return None;
        }
        let found = self.look_for(index, &place, seen);
        // What is not found on the way of something else may be found where that goes on.
        if is_first || found.is_some() {
            self.modules.borrow_mut().insert(place, found);
        }
        if is_first {
            seen.clear();
        }
        found
    }

    fn look_for(&self, index: &Index, place: &Place, seen: &mut BTreeSet<Place>) -> Option<usize> {
        let found = self.defined.get(place).into_iter().flatten().copied();
        let is = |kind: Kind| move |n: &usize| index.nodes[*n].kind == kind;
        if let Some(module) = found.clone().find(is(Kind::Module)) {
            return Some(module);
        }
        let (parent, name) = place;
        let target = |import: usize, seen: &mut BTreeSet<Place>| match self.targets.get(&import) {
            Some(known) => known.clone(),
            None => self.resolve_from(index, *parent, &index.import_path(import)?, seen),
        };
        for import in found.filter(is(Kind::Import)) {
            // Which may be an import too.
            let next = target(import, seen);
            let module = next.and_then(|next| self.module(index, next, seen));
            if module.is_some() {
                return module;
            }
        }
        let globs = self.globs.get(parent).into_iter().flatten().copied();
        for glob in globs.filter(is(Kind::Import)) {
            let next = target(glob, seen).filter(|(at, all)| at != parent && all == "*");
            let module = next.and_then(|(at, _)| self.module(index, (at, name.clone()), seen));
            if module.is_some() {
                return module;
            }
        }
        // What a body has not may be in what is around it.
        let around = scopes(index, *parent).nth(1)?;
        self.module(index, (around, name.clone()), seen)
    }

    /// The module that a path leads to.
    pub fn module_at(&self, index: &Index, from: Option<usize>, path: &[&str]) -> Option<usize> {
        let all: Vec<&str> = path.iter().copied().chain(["*"]).collect();
        let (module, name) = self.resolve(index, from, &all)?;
        module.filter(|_| name == "*")
    }

    /// The item that a path leads to, and the imports on the way.
    pub fn definition(
        &self,
        index: &Index,
        from: Option<usize>,
        path: &[impl AsRef<str>],
    ) -> Vec<usize> {
        let mut way = Vec::new();
        let mut target = self.resolve(index, from, path);
        while let Some(found) = target.and_then(|target| self.defined.get(&target)) {
            let item = found.iter().find(|n| index.nodes[**n].kind == Kind::Item);
            let import = found.iter().find(|n| self.targets.contains_key(n));
            let Some(&next) = item.or(import).filter(|_| way.len() < 8) else {
                break;
            };
            way.push(next);
            target = match item {
                Some(_) => None,
                None => self.targets[&next].clone(),
            };
        }
        way
    }

    /// The items that a path may lead to.
    pub fn meaning(&self, index: &Index, from: Option<usize>, path: &[impl AsRef<str>]) -> Meaning {
        if let Some(target) = self.resolve(index, from, path) {
            let mut meant = Meant::default();
            let known = self.add_meant(index, (target, false), 0, &mut meant);
            return if known {
                Meaning::Items(meant.items.into_iter().collect())
            } else {
                Meaning::Unknown
            };
        }
        let first = path.first().map_or("", AsRef::as_ref);
        let place = (from, first.to_owned());
        let mut imports = self.defined.get(&place).into_iter().flatten();
        if STANDARD.contains(&first) || imports.any(|&n| leads_out(index, n)) {
            Meaning::Items(Vec::new())
        } else {
            Meaning::Unknown
        }
    }

    /// Adds the items that a name may mean, and tells whether there can be no others.
    fn add_meant(
        &self,
        index: &Index,
        place: (Place, Hidden),
        depth: usize,
        meant: &mut Meant,
    ) -> bool {
        if depth >= 8 {
            return false;
        }
        // All names of a module may come on many ways, and in circles.
        if let Some(known) = meant.places.get(&place) {
            return *known;
        }
        meant.places.insert(place.clone(), true);
        let (target, hidden) = &place;
        let (module, name) = target;
        let mut known = true;
        let found = self.defined.get(target).into_iter().flatten();
        // What is nothing but a type: a struct may be a function too.
        let is_type = |n: usize| matches!(index.nodes[n].sort, Sort::Alias | Sort::Trait);
        let is_hidden = |n: usize| *hidden && is_type(n);
        let is_sure = |n: usize| {
            let node = &index.nodes[n];
            !index
                .text_at(&(node.range.start..node.head.start))
                .contains("cfg")
        };
        // One that a cfg may take away leaves the name to what brings all of something, or to what a macro makes.
        let is_defined = found.clone().any(|&n| is_sure(n));
        let hides = *hidden || found.clone().any(|&n| is_type(n) && is_sure(n));
        for &n in found {
            match (index.nodes[n].kind, self.targets.get(&n)) {
                (Kind::Item, _) if is_hidden(n) => {}
                (Kind::Item, _) => _ = meant.items.insert(n),
                // A macro, by the order of the text.
                (_, Some(Some(next))) if next == target => known = false,
                (_, Some(Some(next))) => {
                    known &= self.add_meant(index, (next.clone(), *hidden), depth + 1, meant);
                }
                (_, Some(None)) => known &= leads_out(index, n),
                _ => {}
            }
        }
        let twins = module.and_then(|module| self.twins.get(&module));
        for &twin in twins.into_iter().flatten() {
            let there = (Some(twin), name.clone());
            known &= self.add_meant(index, (there, *hidden), depth + 1, meant);
        }
        // A function of the same name hides no type, and a type no function.
        for &glob in self.globs.get(module).into_iter().flatten() {
            let is_known = match self.targets.get(&glob) {
                Some(Some((module, all))) if all == "*" => {
                    let there = (*module, name.clone());
                    self.add_meant(index, (there, hides), depth + 1, meant)
                }
                // Of a type, the variants.
                Some(Some(of)) => self.defined.contains_key(of),
                Some(None) => leads_out(index, glob),
                // A macro.
                None => false,
            };
            known &= is_known || is_defined;
        }
        meant.places.insert(place, known);
        known
    }

    /// The imports of all names of a module, with the module.
    pub fn globs(&self) -> impl Iterator<Item = (usize, Option<usize>)> + '_ {
        let globs = self.globs.values().flatten();
        globs.filter_map(|&glob| {
            let (module, all) = self.targets.get(&glob)?.as_ref()?;
            (all == "*").then_some((glob, *module))
        })
    }

    /// The imports of a name of a module.
    pub fn importing<'a>(
        &'a self,
        module: Option<usize>,
        name: &'a str,
    ) -> impl Iterator<Item = usize> + 'a {
        let found = self.importing.get(&(module, name.to_owned()));
        found.into_iter().flatten().copied()
    }

    /// Whether an import brings what another one brought where it comes from, or may.
    pub fn is_passed_on(&self, index: &Index, import: usize) -> bool {
        match self.targets.get(&import) {
            Some(Some(target)) => {
                let is_item = |n: &usize| index.nodes[*n].kind == Kind::Item;
                let found = self.defined.get(target);
                !found.is_some_and(|found| found.iter().all(is_item))
            }
            _ => !leads_out(index, import),
        }
    }

    /// The imports of names of a module, one by one.
    pub fn importing_from(&self, module: usize) -> impl Iterator<Item = usize> + '_ {
        let first = (Some(module), String::new());
        let found = self.importing.range(first..);
        let found = found.take_while(move |((of, _), _)| *of == Some(module));
        found
            .filter(|((_, name), _)| name != "*")
            .flat_map(|(_, found)| found)
            .copied()
    }

    /// Whether an import may be one of a module.
    pub fn may_be_module(&self, index: &Index, import: usize) -> bool {
        let is_module = |n: &usize| index.nodes[*n].kind == Kind::Module;
        match self.targets.get(&import).and_then(Option::as_ref) {
            Some(target) => {
                let found = self.defined.get(target);
                let mut modules = found.into_iter().flatten().filter(|n| is_module(n));
                modules.any(|&module| is_seen(index, module, import))
            }
            None => {
                let name = index.nodes[import].original();
                let mut nodes = 0..index.nodes.len();
                nodes.any(|n| is_module(&n) && index.nodes[n].name == name)
            }
        }
    }

    /// Whether all that a name could mean is gone.
    fn is_missing(&self, sought: &Sought, live: &impl Fn(usize) -> bool) -> bool {
        let place = &sought.place;
        if let Some(found) = &sought.found {
            // What all names of a module bring comes after these, but a macro hides nothing else.
            let is_there = sought.is_of_prelude || found.iter().any(|&n| live(n));
            return !(is_there || sought.hides_nothing && self.is_in_globs(place, live));
        }
        let (module, name) = place;
        if !module.map_or(true, live) {
            return true;
        }
        // All names of a module are missed by nobody.
        name != "*" && !self.is_brought(place, live, true) && self.is_brought(place, live, false)
    }

    /// Whether all that a name could mean is gone but for modules that an import does not see.
    fn is_unseen(&self, import: usize, sought: &Sought, live: &impl Fn(usize) -> bool) -> bool {
        let Some(unseen) = self.unseen.get(&import) else {
            return false;
        };
        let mut found = sought.found.iter().flatten();
        !sought.is_of_prelude
            && !sought.hides_nothing
            && found.all(|n| unseen.contains(n) || !live(*n))
    }

    /// Whether an import of all names that is left brings a name into a module that is left, whatever else is so called there.
    fn is_in_globs(&self, (module, name): &Place, live: &impl Fn(usize) -> bool) -> bool {
        let globs = self.globs.get(module).into_iter().flatten();
        let mut left = globs.filter(|&&glob| live(glob) && module.map_or(true, live));
        left.any(
            |glob| match self.targets.get(glob).and_then(Option::as_ref) {
                Some((next, all)) => {
                    all == "*" && self.is_brought(&(*next, name.clone()), live, true)
                }
                None => true,
            },
        )
    }

    /// Whether imports of all names bring a name: those that are left, or those that were there.
    fn is_brought(&self, place: &Place, live: impl Fn(usize) -> bool, now: bool) -> bool {
        let (module, name) = place;
        // What imports it from there brings nothing there.
        let is_from_there = |n: &usize| self.targets.get(n).and_then(Option::as_ref) == Some(place);
        let (mut seen, mut stack) = (BTreeSet::from([*module]), vec![*module]);
        while let Some(module) = stack.pop() {
            if let Some(found) = self.defined.get(&(module, name.clone())) {
                let mut found = found.iter().filter(|n| !is_from_there(n));
                if found.any(|&n| !now || live(n)) {
                    return true;
                }
                continue;
            }
            // Of what is gone each name may be somebody else's.
            if !module.map_or(true, &live) {
                continue;
            }
            let globs = self.globs.get(&module).into_iter().flatten();
            for &glob in globs.filter(|&&glob| !now || live(glob)) {
                match self.targets.get(&glob).and_then(Option::as_ref) {
                    Some((next, all)) if all == "*" => {
                        stack.extend(seen.insert(*next).then_some(*next));
                    }
                    // A macro, or an import of what is not in the text.
                    _ if now => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// Adds to what goes the imports of it, the impls for it, the impls' items for a trait's items that go, and modules and inherent impls
    /// in which nothing is left. What is kept stays.
    pub fn with_followers(
        &self,
        index: &Index,
        mut gone: BTreeSet<usize>,
        kept: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        loop {
            let is_in = index.all_in(&gone);
            let live = |n: usize| !is_in[n];
            let may_go = |n: usize| !gone.contains(&n) && !kept.contains(&n);
            let known = vec![OnceCell::new(); self.sought.len()];
            let missing =
                |at: usize| *known[at].get_or_init(|| self.is_missing(&self.sought[at], &live));
            let imports = self.by_imports.iter();
            let is_unseen = |n: usize, at: usize| self.is_unseen(n, &self.sought[at], &live);
            let imports =
                imports.filter(|&&(n, at)| may_go(n) && (missing(at) || is_unseen(n, at)));
            let mut more: Vec<usize> = imports.map(|&(n, _)| n).collect();
            let by_order = self.by_order.iter();
            let by_order =
                by_order.filter(|(n, macros)| may_go(*n) && !macros.iter().any(|&n| live(n)));
            more.extend(by_order.map(|(n, _)| *n));
            let impls = self.by_headers.iter();
            let impls =
                impls.filter(|(n, names)| may_go(*n) && names.iter().any(|&at| missing(at)));
            more.extend(impls.map(|(n, _)| *n));
            let before = gone.len();
            gone.extend(more);
            gone = with_empty(index, self.with_members(index, gone), kept);
            if gone.len() == before {
                return gone;
            }
        }
    }

    /// Adds the items of impls that implement an item of a trait that goes.
    fn with_members(&self, index: &Index, mut gone: BTreeSet<usize>) -> BTreeSet<usize> {
        let nodes = &index.nodes;
        let items = gone.iter().filter(|&&n| nodes[n].kind == Kind::TraitItem);
        let mut members: BTreeMap<(&str, &str), BTreeSet<usize>> = BTreeMap::new();
        for &n in items {
            if let (Some(item), Some(of_trait)) = (index.trait_item(n), nodes[n].parent) {
                members.entry(item).or_default().insert(of_trait);
            }
        }
        if members.is_empty() {
            return gone;
        }
        let implemented = (0..nodes.len()).filter(|&n| nodes[n].kind == Kind::Implemented);
        gone.extend(implemented.filter(|&n| {
            let item = index.trait_item(n);
            let traits = item.and_then(|item| members.get(&item));
            // Another trait may be called the same.
            traits.is_some_and(|traits| {
                let of = self.traits_of(index, n);
                of.map_or(true, |of| of.iter().any(|of| traits.contains(of)))
            })
        }));
        gone
    }

    /// The trait of the impl that something is an item of, if it is clear which it is.
    pub fn trait_of(&self, index: &Index, item: usize) -> Option<usize> {
        match *self.traits_of(index, item)? {
            [of] => Some(of),
            _ => None,
        }
    }

    /// The traits of the text that it may be; nothing where it may be any.
    fn traits_of(&self, index: &Index, item: usize) -> Option<Rc<[usize]>> {
        let block = index.nodes[item].parent?;
        let known = self.traits.borrow().get(&block).cloned();
        known.unwrap_or_else(|| {
            let found = self.traits_of_impl(index, block);
            self.traits.borrow_mut().insert(block, found.clone());
            found
        })
    }

    fn traits_of_impl(&self, index: &Index, block: usize) -> Option<Rc<[usize]>> {
        let node = &index.nodes[block];
        let path = node.trait_path()?;
        let is_trait = |n: &usize| index.nodes[*n].sort == Sort::Trait;
        let way = self.definition(index, node.parent, path);
        if let Some(&of) = way.last().filter(|n| is_trait(n)) {
            return Some(Rc::new([of]));
        }
        let is_undefined = |place: Place| !self.defined.contains_key(&place);
        let is_made = || {
            let place = self.resolve(index, node.parent, path);
            place.is_some_and(is_undefined)
        };
        match self.meaning(index, node.parent, path) {
            // What nothing is called that is written out a macro may make.
            Meaning::Items(items) if items.is_empty() && is_made() => None,
            Meaning::Items(items) => Some(items.into_iter().filter(is_trait).collect()),
            Meaning::Unknown => None,
        }
    }
}

/// The bodies around a place, from the innermost on, and the module that they are in.
fn scopes<'i>(
    index: &'i Index<'i>,
    from: Option<usize>,
) -> impl Iterator<Item = Option<usize>> + Clone + 'i {
    let is_module = |at: Option<usize>| at.map_or(true, |n| index.nodes[n].kind == Kind::Module);
    std::iter::successors(Some(from), move |&at| {
        let body = at.filter(|_| !is_module(at))?;
        Some(index.nodes[body].parent)
    })
}

/// Whether an import sees a module: a private one is seen from where it is, and from inside of that.
fn is_seen(index: &Index, module: usize, import: usize) -> bool {
    let parent = |n: usize| index.nodes[n].parent;
    let mut around = std::iter::successors(Some(import), |&n| parent(n)).map(parent);
    index.nodes[module].is_public || around.any(|at| at == parent(module))
}

/// Whether an import is one of the standard library, or of a crate that is not in the text.
pub fn leads_out(index: &Index, import: usize) -> bool {
    let path = match index.nodes[import].kind {
        Kind::Import => index.import_path(import),
        _ => return false,
    };
    path.map_or(true, |path| STANDARD.contains(&path[0]))
}

/// Whether an import that leads out of the text brings what the prelude has anyway.
pub fn is_of_prelude(import: &Node) -> bool {
    let mut known = PRELUDE.split_whitespace();
    known.any(|name| name == import.name) && import.original() == import.name
}

/// Adds the modules and the inherent impls in which nothing is left.
fn with_empty(index: &Index, mut gone: BTreeSet<usize>, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
    // What is inside stands behind.
    let mut full = BTreeSet::new();
    for (n, node) in index.nodes.iter().enumerate().rev() {
        let empty = matches!(node.kind, Kind::Module | Kind::InherentImpl)
            && !full.contains(&n)
            && !kept.contains(&n);
        if empty {
            gone.insert(n);
        }
        if !gone.contains(&n) {
            full.extend(node.parent);
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text without the first item so called, and what follows it.
    fn without(text: &str, name: &str, kept: &[&str]) -> String {
        let index = Index::new(text).unwrap();
        let find = |name: &str| index.nodes.iter().position(|node| node.name == name);
        let kept = kept.iter().filter_map(|name| find(name)).collect();
        let gone = BTreeSet::from([find(name).unwrap()]);
        let gone = Names::new(&index).with_followers(&index, gone, &kept);
        let left = index.blanked(&gone);
        left.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn imports_follow_through_modules() {
        let text = "mod a { pub fn f() {} pub fn g() {} } mod b { pub use super::a::{f as h, g}; } mod c { use a as d; } use b::{g, h}; use b::h as _;";
        assert_eq!(
            without(text, "f", &[]),
            "mod a { pub fn g() {} } mod b { pub use super::a::{ g}; } mod c { use a as d; } use b::{g, };"
        );
    }

    #[test]
    fn a_macro_hides_no_function() {
        let text = "mod a { pub mod b { pub fn f() {} } pub use b::*; mod f_macro { macro_rules! f { () => {} } pub(crate) use f; } pub(crate) use f_macro::f; } \
                    use a::f;";
        let left = without(text, "f_macro", &[]);
        assert_eq!(
            left,
            "mod a { pub mod b { pub fn f() {} } pub use b::*; } use a::f;"
        );
        let other = text.replace("fn f()", "fn g()");
        assert!(!without(&other, "f_macro", &[]).contains("use a::f"));
    }

    #[test]
    fn a_module_is_seen_from_around_it() {
        let text = "mod a { mod f { pub fn g() {} } mod b { pub fn h() {} } pub use self::b::h as f; mod c { use super::f; use crate::d::f as i; } } \
                    mod d { pub use crate::a::f; } use a::f;";
        assert_eq!(
            without(text, "h", &[]),
            "mod a { mod f { pub fn g() {} } mod c { use super::f; } }"
        );
        let public = text.replace("mod f", "pub mod f");
        assert!(without(&public, "h", &[]).contains("use a::f;"));
    }

    #[test]
    fn an_alias_hides_types_that_globs_bring() {
        let text = "pub use a::*; type T = u8; fn f(_: T) {} mod a { pub type T = u16; pub fn f() {} pub struct S(T); } \
                    mod b { use super::a::*; type S = u8; #[cfg(x)] type T = u8; }";
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let meant = |path: &[&str]| match names.meaning(&index, None, path) {
            Meaning::Items(items) => {
                let nodes = items.iter().map(|&n| &index.nodes[n]);
                let around = nodes.map(|node| node.parent.map_or("", |n| &index.nodes[n].name));
                around.collect::<Vec<_>>()
            }
            Meaning::Unknown => panic!("{path:?}"),
        };
        assert_eq!(meant(&["T"]), [""]);
        assert_eq!(meant(&["f"]), ["", "a"]);
        assert_eq!(meant(&["b", "S"]), ["a", "b"]);
        assert_eq!(meant(&["b", "T"]), ["a", "b"]);
    }

    #[test]
    fn what_the_prelude_has_is_not_missed() {
        let text = "use std::iter::{IntoIterator, Sum}; mod a { use super::IntoIterator; } struct S; impl IntoIterator for S {} impl Sum for S {}";
        let left = "use std::iter::{ Sum}; mod a { use super::IntoIterator; } struct S; impl IntoIterator for S {} impl Sum for S {}";
        assert_eq!(without(text, "IntoIterator", &[]), left);
        let left = "use std::iter::{IntoIterator, }; mod a { use super::IntoIterator; } struct S; impl IntoIterator for S {}";
        assert_eq!(without(text, "Sum", &[]), left);
    }

    #[test]
    fn paths_in_bodies_start_at_the_module() {
        let text = "fn f() {} mod a { fn f() {} fn g() { use super::f; use self::f as h; } }";
        assert_eq!(
            without(text, "f", &[]),
            "mod a { fn f() {} fn g() { use self::f as h; } }"
        );
    }

    #[test]
    fn one_name_may_mean_another_module_by_the_processor() {
        let text = "mod a { pub struct G; } mod b { pub struct G; pub struct H; } mod c { pub struct G; } \
                    #[cfg(x)] use a as d; #[cfg(not(x))] use b as d; use c as e;";
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let meant = |path: [&str; 2]| match names.meaning(&index, None, &path) {
            Meaning::Items(items) => items.len(),
            Meaning::Unknown => panic!("{path:?}"),
        };
        assert_eq!(meant(["d", "G"]), 2);
        assert_eq!(meant(["d", "H"]), 1);
        assert_eq!(meant(["e", "G"]), 1);
    }

    #[test]
    fn modules_of_one_name_have_twins_in_them() {
        let text = "#[cfg(x)] mod a { pub mod b { pub struct G; } mod d { pub struct G; } pub use self::d as c; } \
                    #[cfg(not(x))] mod a { pub mod b { pub struct G; pub struct H; } pub mod c { pub struct G; } }";
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let meant = |path: &[&str]| match names.meaning(&index, None, path) {
            Meaning::Items(items) => items.len(),
            Meaning::Unknown => panic!("{path:?}"),
        };
        assert_eq!(meant(&["a", "b", "G"]), 2);
        assert_eq!(meant(&["a", "b", "H"]), 1);
        assert_eq!(meant(&["a", "c", "G"]), 2);
    }

    #[test]
    fn a_name_may_be_written_raw() {
        let text = "mod gen { pub fn f() {} pub fn g() {} } use r#gen::{f, g as r#fn}; use self::r#fn as h;";
        assert_eq!(
            without(text, "f", &[]),
            "mod gen { pub fn g() {} } use r#gen::{ g as r#fn}; use self::r#fn as h;"
        );
        assert_eq!(
            without(text, "g", &[]),
            "mod gen { pub fn f() {} } use r#gen::{f, };"
        );
    }

    #[test]
    fn imports_of_macros_follow_them() {
        let text = "mod a { macro_rules! m { () => {} } pub(crate) use m; } use a::m; mod b { macro_rules! m { () => {} } }";
        assert_eq!(
            without(text, "m", &[]),
            "mod b { macro_rules! m { () => {} } }"
        );
        let crates = format!("mod a {{ {text} }} mod b {{ fn f() {{}} use m; }}");
        assert_eq!(without(&crates, "f", &[]), crates.replace("fn f() {} ", ""));
        // There is another one, perhaps.
        let text = "mod a { mod b { macro_rules! m { () => {} } } macro_rules! m { () => {} } pub(crate) use m; }";
        assert!(without(text, "m", &[]).contains("use m;"));
    }

    #[test]
    fn no_path_leads_to_a_macro() {
        let text = "mod a { pub fn f() {} macro_rules! f { () => {} } } use a::f; use a::f as g;";
        assert_eq!(
            without(text, "f", &[]),
            "mod a { macro_rules! f { () => {} } }"
        );
    }

    #[test]
    fn an_item_of_an_impl_follows_that_of_its_own_trait() {
        let text = "mod a { pub trait T { fn f(); } impl T for u8 { fn f() {} } } mod b { pub trait T { fn f(); } impl T for u8 { fn f() {} } } \
                    impl b::T for u16 { fn f() {} } impl a::T for u16 { fn f() {} } impl c::T for u16 { fn f() {} }";
        assert_eq!(
            without(text, "f", &[]),
            "mod a { pub trait T { } impl T for u8 { } } mod b { pub trait T { fn f(); } impl T for u8 { fn f() {} } } \
             impl b::T for u16 { fn f() {} } impl a::T for u16 { } impl c::T for u16 { }"
        );
        let others = "mod b { mod c { pub trait T { fn f(); } } pub use c::*; } mod d { use super::b::T; impl T for u8 { fn f() {} } } \
                      mod e { use std::ops::T; impl T for u8 { fn f() {} } }";
        let text = format!("mod a {{ pub trait T {{ fn f(); }} }} {others}");
        let expected = format!("mod a {{ pub trait T {{ }} }} {others}");
        assert_eq!(without(&text, "f", &[]), expected);
    }

    #[test]
    fn an_extern_block_goes_with_the_last_of_it() {
        let text = "mod a { extern \"C\" { fn f(); } } extern \"C\" { fn g(); static H: u8; }";
        assert_eq!(
            without(text, "f", &[]),
            "extern \"C\" { fn g(); static H: u8; }"
        );
        assert_eq!(
            without(text, "g", &[]),
            "mod a { extern \"C\" { fn f(); } } extern \"C\" { static H: u8; }"
        );
    }

    #[test]
    fn an_import_from_a_type_follows_the_type() {
        let text = "mod a { pub enum E { A } fn f() {} } mod b { use super::a::E; } use a::E::{A}; use b::E::A as B;";
        assert_eq!(without(text, "E", &[]), "mod a { fn f() {} }");
    }

    #[test]
    fn a_name_comes_on_many_ways() {
        // Each module has all names of two others: in each there are twice as many ways to the last as in the next.
        let modules = (0..40).map(|n| {
            let (a, b) = (n + 1, n + 2);
            format!("mod m{n} {{ pub use crate::m{a}::*; pub use crate::m{b}::*; pub use crate::m0::*; }}\n")
        });
        let modules: String = modules.collect();
        let text = format!(
            "{modules} mod m40 {{ pub mod a {{ pub fn f() {{}} }} pub fn g() {{}} fn h() {{}} }} mod m41 {{ fn h() {{}} }} use m0::a::f; use m0::g; fn main() {{}}"
        );
        let left = without(&text, "f", &[]);
        assert!(!left.contains("use m0::a::f;") && left.contains("use m0::g;"));
        assert!(!without(&text, "g", &[]).contains("use m0::g;"));
    }

    #[test]
    fn imports_in_circles_and_out_of_the_text_lead_nowhere() {
        let text = "use b::c as a; use a::d as b; use crate::e::e; fn f() {}";
        assert_eq!(
            without(text, "f", &[]),
            "use b::c as a; use a::d as b; use crate::e::e;"
        );
        let text = "mod m { pub fn f() {} } use ::m::f; fn g() {}";
        assert_eq!(without(text, "f", &[]), "use ::m::f; fn g() {}");
    }

    #[test]
    fn what_a_glob_or_a_macro_may_bring_is_not_missed() {
        let text = "mod a { fn g() {} pub use x::*; } use a::f; fn h() {}";
        assert_eq!(
            without(text, "g", &[]),
            "mod a { pub use x::*; } use a::f; fn h() {}"
        );
        // What a module itself has comes before that.
        let text = "mod a { pub fn f() {} pub use x::*; } use a::f; fn h() {}";
        assert_eq!(without(text, "f", &[]), "mod a { pub use x::*; } fn h() {}");
        let text =
            "mod a { pub fn f() {} pub mod b { pub fn g() {} } pub use b::*; } use a::{f, g};";
        assert_eq!(
            without(text, "f", &[]),
            "mod a { pub mod b { pub fn g() {} } pub use b::*; } use a::{ g};"
        );
        let text = "mod a { mod b { pub fn f() {} } pub use b::*; pub use c::*; fn g() {} } use a::*; fn f() {}";
        assert_eq!(
            without(text, "g", &[]),
            "mod a { mod b { pub fn f() {} } pub use b::*; pub use c::*; } use a::*; fn f() {}"
        );
        let text = "mod a { mod b { pub fn f() {} } pub use b::*; fn g() {} } use a::f; fn h() {}";
        assert_eq!(without(text, "f", &[]), "mod a { fn g() {} } fn h() {}");
        // What the prelude has may be nowhere in the text.
        let text = "mod a { pub fn f() {} } mod b { use super::a::*; impl Iterator for X {} }";
        assert_eq!(without(text, "f", &[]), "mod b { impl Iterator for X {} }");
        let text = "mod a { fn g() {} make!(); } use a::f;";
        assert_eq!(without(text, "g", &[]), "mod a { make!(); } use a::f;");
    }

    #[test]
    fn impls_of_a_type_go_where_its_name_leads_to_it() {
        let text = "mod a { pub struct Vec; impl Drop for Vec {} } mod b { use super::a::Vec; impl T for Vec {} } mod c { impl T for Vec {} }";
        assert_eq!(without(text, "Vec", &[]), "mod c { impl T for Vec {} }");
        let text = "trait T { fn f(); } struct X; impl T for X { fn f() {} } impl U for X {}";
        assert_eq!(without(text, "T", &[]), "struct X; impl U for X {}");
        let text = "struct X; const _: () = { impl T for X {} impl U for Y {} }; fn f() { struct X; impl T for X {} } \
                    fn g() { use a::*; impl T for X {} }";
        assert_eq!(
            without(text, "X", &[]),
            "const _: () = { impl U for Y {} }; fn f() { struct X; impl T for X {} } fn g() { use a::*; impl T for X {} }"
        );
    }

    #[test]
    fn a_member_goes_with_what_it_implements() {
        let text = "trait T { fn f(); fn g(); } impl T for X { fn f() {} fn g() {} } impl U for X { fn f() {} }";
        assert_eq!(
            without(text, "f", &[]),
            "trait T { fn g(); } impl T for X { fn g() {} } impl U for X { fn f() {} }"
        );
    }

    #[test]
    fn what_is_kept_stays_when_it_is_empty() {
        let text = "mod a { fn f() {} } impl X { fn g() {} }";
        assert_eq!(without(text, "f", &[]), "impl X { fn g() {} }");
        assert_eq!(without(text, "f", &["a"]), "mod a { } impl X { fn g() {} }");
        assert_eq!(without(text, "g", &[]), "mod a { fn f() {} }");
    }
}
