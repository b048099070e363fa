//! The name of an edge, as part of what events are about.

use std::fmt;

const LONGEST: usize = 63;

/// The name of an enrolled edge: ASCII, at most 63 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EdgeName {
    bytes: [u8; LONGEST],
    length: usize,
}

impl EdgeName {
    /// Takes the name of an edge that was enrolled; a longer one is cut.
    pub fn new(name: &str) -> Self {
        let length = name.floor_char_boundary(LONGEST);
        let mut bytes = [0; LONGEST];
        for (byte, of_name) in bytes.iter_mut().zip(&name.as_bytes()[..length]) {
            *byte = *of_name;
        }
        Self { bytes, length }
    }
}

impl fmt::Display for EdgeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.bytes[..self.length]))
    }
}

impl fmt::Debug for EdgeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_as_it_is() {
        assert_eq!(EdgeName::new("fra-1").to_string(), "fra-1");
        assert_eq!(EdgeName::new(&"a".repeat(70)).to_string(), "a".repeat(63));
    }
}
