//! What is wrong with a file, and where.

use std::fmt;

/// The place of something in a text. Both numbers count from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// Something wrong with a file, for whoever wrote it. Sorted by file and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The name of the file, relative to the folder that was read, with `/` between folders. Empty for a text without a name.
    pub file: String,
    /// Counts from 1; 0 for a problem of the whole file.
    pub line: u32,
    /// In characters, counts from 1; 0 for a problem of the whole file.
    pub column: u32,
    pub message: String,
}

impl Problem {
    /// A problem at a place.
    pub fn at(file: impl Into<String>, place: Place, message: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: place.line,
            column: place.column,
            message: message.into(),
        }
    }

    /// A problem of a file as a whole.
    pub fn of_file(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self::at(file, Place::default(), message)
    }
}

/// `flags/checkout.yaml:12:5: message`, which editors and terminals make a link of.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
        }
        if self.line != 0 {
            write!(f, "{}:{}:", self.line, self.column)?;
        }
        if !self.file.is_empty() || self.line != 0 {
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_written_as_compilers_write_theirs() {
        let place = Place {
            line: 12,
            column: 5,
        };
        let at = |file: &str, place| Problem::at(file, place, "no such flag").to_string();
        assert_eq!(at("flags/a.yaml", place), "flags/a.yaml:12:5: no such flag");
        assert_eq!(at("", place), "12:5: no such flag");
        let whole = Problem::of_file("flags/a.yaml", "too large");
        assert_eq!(whole.to_string(), "flags/a.yaml: too large");
        assert_eq!(Problem::of_file("", "too large").to_string(), "too large");
    }

    #[test]
    fn problems_are_sorted_by_file_and_place() {
        let problem = |file: &str, line, column| Problem::at(file, Place { line, column }, "m");
        let mut problems = [
            problem("b", 1, 1),
            problem("a", 10, 2),
            problem("a", 9, 3),
            problem("a", 10, 1),
        ];
        problems.sort();
        let order = problems.map(|problem| (problem.file, problem.line, problem.column));
        let want = [("a", 9, 3), ("a", 10, 1), ("a", 10, 2), ("b", 1, 1)];
        assert_eq!(
            order,
            want.map(|(file, line, column)| (file.to_owned(), line, column))
        );
    }
}
