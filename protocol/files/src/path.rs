//! Paths to the nodes of a document.

use std::{fmt, str::FromStr};

/// A step from a node to one in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// To the value of a key.
    Key(String),
    /// To an element of a list, which count from 0.
    Index(usize),
}

/// The way from the root of a document to a node, such as `environments.production.rules[0].conditions[1].attribute`.
///
/// As text, keys stand behind dots and indexes in brackets; a key that holds one of `.[]"`, a blank or a control character, or
/// nothing, is a JSON string in brackets: `variants["v1.2"]`. The empty text is the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<Step>);

impl Path {
    /// The path to the root.
    pub fn root() -> Self {
        Self::default()
    }

    /// This path and a step to a key, whatever the key holds.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.0.push(Step::Key(key.into()));
        self
    }

    /// This path and a step to an element of a list.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push(Step::Index(index));
        self
    }

    /// The steps, from the root on.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The path without its last step; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, steps) = self.0.split_last()?;
        Some(Self(steps.to_vec()))
    }

    pub(crate) fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }
}

impl FromIterator<Step> for Path {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

fn is_plain(letter: char) -> bool {
    !matches!(letter, '.' | '[' | ']' | '"') && !letter.is_whitespace() && !letter.is_control()
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if !key.is_empty() && key.chars().all(is_plain) => {
                    let dot = if place == 0 { "" } else { "." };
                    write!(f, "{dot}{key}")?;
                }
                Step::Key(key) => write!(f, "[{}]", serde_json::Value::from(key.as_str()))?,
            }
        }
        Ok(())
    }
}

/// A text that is no [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a path: {0:?}")]
pub struct NotAPath(String);

impl FromStr for Path {
    type Err = NotAPath;

    fn from_str(text: &str) -> Result<Self, NotAPath> {
        steps(text)
            .map(Self)
            .ok_or_else(|| NotAPath(text.to_owned()))
    }
}

fn steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (step, after) = bracketed(inner)?;
            steps.push(step);
            rest = after;
            continue;
        }
        let key = match rest.strip_prefix('.') {
            Some(key) if !steps.is_empty() => key,
            None if steps.is_empty() => rest,
            _ => return None,
        };
        let end = key.find(|letter| !is_plain(letter)).unwrap_or(key.len());
        if end == 0 {
            return None;
        }
        steps.push(Step::Key(key[..end].to_owned()));
        rest = &key[end..];
    }
    Some(steps)
}

/// Reads what follows an opening bracket: the step, and what follows the closing one.
fn bracketed(inner: &str) -> Option<(Step, &str)> {
    if !inner.starts_with('"') {
        let (digits, rest) = inner.split_once(']')?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let index = is_number.then(|| digits.parse().ok()).flatten()?;
        return Some((Step::Index(index), rest));
    }
    let mut keys = serde_json::Deserializer::from_str(inner).into_iter::<String>();
    let key = keys.next()?.ok()?;
    let rest = inner.get(keys.byte_offset()..)?.strip_prefix(']')?;
    Some((Step::Key(key), rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_is_read_and_written_as_people_write_it() {
        let text = "environments.production.rules[0].conditions[1].attribute";
        let path: Path = text.parse().unwrap();
        let built = Path::root()
            .key("environments")
            .key("production")
            .key("rules")
            .index(0)
            .key("conditions")
            .index(1)
            .key("attribute");
        assert_eq!(path, built);
        assert_eq!(path.to_string(), text);
        assert_eq!("".parse(), Ok(Path::root()));
        assert_eq!(Path::root().parent(), None);
        assert_eq!(Path::root().index(3).parent(), Some(Path::root()));
    }

    #[test]
    fn keys_with_dots_are_quoted_and_keys_with_slashes_are_not() {
        let path = Path::root().key("a.b").key("c/d").key("").index(2);
        assert_eq!(path.to_string(), r#"["a.b"].c/d[""][2]"#);
        assert_eq!(path.to_string().parse(), Ok(path));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in [
            ".a", "a.", "a..b", "a[", "a[x]", "a[-1]", "a[+1]", "a[]", "a]", "a b", r#"a["b]"#,
            "a[0]b",
        ] {
            assert_eq!(text.parse::<Path>(), Err(NotAPath(text.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn every_path_is_read_back_from_its_text(
            steps in prop::collection::vec(
                prop_oneof![any::<String>().prop_map(Step::Key), any::<usize>().prop_map(Step::Index)],
                0..6,
            ),
        ) {
            let path = Path(steps);
            prop_assert_eq!(path.to_string().parse(), Ok(path));
        }
    }
}
