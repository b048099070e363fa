//! Where something is in a body, such as `rules[0].value`.

use std::fmt;

/// A step from an object or a list to something in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of an object. Of a very long name, the beginning.
    Field(String),
    /// An item of a list.
    Item(usize),
}

/// The steps to something, from the outside in; none to the body itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(Vec<Step>);

impl Place {
    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    fn goes_on(&mut self, name: &str) {
        // Members of a body may have names of any length.
        let name = match name.char_indices().nth(100) {
            Some((end, _)) => format!("{}...", &name[..end]),
            None => name.to_owned(),
        };
        self.0.push(Step::Field(name));
    }

    fn follow(&mut self, path: &serde_ignored::Path<'_>) {
        use serde_ignored::Path;
        match path {
            Path::Root => {}
            Path::Seq { parent, index } => {
                self.follow(parent);
                self.0.push(Step::Item(*index));
            }
            Path::Map { parent, key } => {
                self.follow(parent);
                self.goes_on(key);
            }
            Path::Some { parent }
            | Path::NewtypeStruct { parent }
            | Path::NewtypeVariant { parent } => self.follow(parent),
        }
    }
}

impl From<&serde_ignored::Path<'_>> for Place {
    fn from(path: &serde_ignored::Path<'_>) -> Self {
        let mut place = Self::default();
        place.follow(path);
        place
    }
}

impl From<&serde_path_to_error::Path> for Place {
    fn from(path: &serde_path_to_error::Path) -> Self {
        use serde_path_to_error::Segment;
        let mut place = Self::default();
        for segment in path {
            match segment {
                Segment::Seq { index } => place.0.push(Step::Item(*index)),
                Segment::Map { key } => place.goes_on(key),
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        place
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if number == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Item(item) => write!(f, "[{item}]")?,
            }
        }
        Ok(())
    }
}
