pub fn halved(a: u64) -> u64 {
    a / 2
}

pub(crate) fn identity(a: u64) -> u64 {
    a
}
