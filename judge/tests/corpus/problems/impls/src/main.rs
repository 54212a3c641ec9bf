//! Impls that only look as if nobody needed them: without one of these the program compiles as well and prints something else.

use std::fmt::{self, Display};
use std::ops::Deref;

/// The call below takes `&str`'s impl without the one for `String`, by dereferencing.
trait Name {
    fn name(&self) -> &'static str;
}

impl Name for String {
    fn name(&self) -> &'static str {
        "String"
    }
}

impl Name for str {
    fn name(&self) -> &'static str {
        "str"
    }
}

/// The classic way to prefer one impl to another: by a reference more or less.
struct Shown<T>(T);

trait Plain {
    fn shown(&self) -> String {
        "something".to_owned()
    }
}

impl<T> Plain for &Shown<T> {}

trait Printed {
    fn shown(&self) -> String;
}

impl<T: Display> Printed for Shown<T> {
    fn shown(&self) -> String {
        format!("<{}>", self.0)
    }
}

/// With one impl alone the number would be of that type.
trait Width {
    const BYTES: usize;
}

impl Width for f32 {
    const BYTES: usize = 4;
}

impl Width for f64 {
    const BYTES: usize = 8;
}

fn width<T: Width>(_: T) -> usize {
    T::BYTES
}

/// Its copy tells who made it: the impl, or that of the reference.
struct Counted(u8);

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self(self.0 + 1)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        print!("drop {} ", self.0);
    }
}

/// `Deref` is used by the dot alone.
struct Wrapper(Counted);

impl Deref for Wrapper {
    type Target = Counted;

    fn deref(&self) -> &Counted {
        &self.0
    }
}

/// It is a pointer to nobody but to those who ask whether it is one.
struct Pointer;

impl Deref for Pointer {
    type Target = u8;

    fn deref(&self) -> &u8 {
        &0
    }
}

struct Asked<T>(T);

trait Leads {
    fn leads(&self) -> &'static str {
        "nowhere"
    }
}

impl<T> Leads for &Asked<T> {}

trait LeadsOn {
    fn leads(&self) -> &'static str;
}

impl<T: Deref> LeadsOn for Asked<T> {
    fn leads(&self) -> &'static str {
        let _ = &self.0;
        "somewhere"
    }
}

/// Nothing ever looks what is behind this one.
struct Closed(u8);

impl Deref for Closed {
    type Target = u8;

    fn deref(&self) -> &u8 {
        println!("nobody follows");
        &self.0
    }
}

/// The standard library asks for this impl behind everybody's back, where it fuses an iterator.
struct Blinking(u8);

impl Iterator for Blinking {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.0 += 1;
        (self.0 % 3 != 0).then_some(self.0)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, None)
    }

    fn nth(&mut self, n: usize) -> Option<u8> {
        println!("nobody skips");
        self.0 += n as u8;
        self.next()
    }
}

impl std::iter::FusedIterator for Blinking {}

/// Nothing ever prints one.
impl fmt::Debug for Blinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("never shown")
    }
}

/// A table has a place for each function, and where the second is depends on whether there is a first.
trait Shape {
    fn name(&self) -> String {
        "nobody names it".to_owned()
    }

    fn area(&self) -> u32;
}

impl Shape for u32 {
    fn area(&self) -> u32 {
        self * self
    }
}

fn areas(shapes: &[Box<dyn Shape>]) -> Vec<u32> {
    shapes.iter().map(|shape| shape.area()).collect()
}

fn main() {
    println!("{}", String::new().name());
    println!(
        "{} {}",
        (&Shown(1)).shown(),
        (&&Shown(main as fn())).shown()
    );
    println!("{}", width(1.0));
    let wrapper = Wrapper(Counted(1));
    let copy = wrapper.clone();
    println!("{}", copy.0);
    println!("{} {}", (&Asked(Pointer)).leads(), (&&Asked(2u8)).leads());
    println!("{}", Closed(5).0);
    let mut fused = Blinking(0).fuse();
    let round: Vec<Option<u8>> = (0..5).map(|_| fused.next()).collect();
    println!("{round:?}");
    println!("{:?}", areas(&[Box::new(3), Box::new(4)]));
}
