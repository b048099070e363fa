//! Typed reading of variables, with one getter for each kind of value.

use std::{
    fmt::{self, Display},
    fs::File,
    io::{self, Read},
    ops::RangeInclusive,
    str::FromStr,
    time::Duration,
};

use secrecy::SecretString;

use super::{Source, duration::shown_duration, parse_duration};

/// Reads variables from a [`Source`] and collects what is wrong with them.
///
/// Every getter returns something usable, so that reading continues after a problem; what it returned counts only if
/// [`Reader::finish`] succeeds.
pub struct Reader<'a> {
    source: &'a dyn Source,
    problems: Vec<Problem>,
}

#[derive(Debug)]
struct Problem {
    variable: String,
    message: String,
}

/// Everything wrong with the settings, one line per variable.
#[derive(Debug, thiserror::Error)]
#[error("{}", Lines(.0))]
pub struct Problems(Vec<Problem>);

impl<'a> Reader<'a> {
    /// Starts without problems.
    pub fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            problems: Vec::new(),
        }
    }

    /// Text that may be absent.
    pub fn optional(&mut self, name: &str) -> Option<String> {
        let Ok(value) = self.source.get(name)?.into_string() else {
            self.problem(name, "is not valid UTF-8");
            return None;
        };
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// Text with a default.
    pub fn text(&mut self, name: &str, default: &str) -> String {
        self.optional(name).unwrap_or_else(|| default.to_owned())
    }

    /// Text that must be set.
    pub fn required(&mut self, name: &str) -> String {
        self.optional(name).unwrap_or_else(|| {
            self.problem(name, "must be set");
            String::new()
        })
    }

    /// Text that is never printed, not even if something is wrong with it: that of the variable, or of the file that is named by
    /// the variable with `_FILE` after its name.
    pub fn secret(&mut self, name: &str) -> Option<SecretString> {
        let file = format!("{name}_FILE");
        let (text, path) = (self.optional(name), self.optional(&file));
        let read = match (text, path) {
            (text, None) => return text.map(SecretString::from),
            (Some(_), Some(_)) => Err(format!("is set, and {name} too: only one may be")),
            (None, Some(path)) => secret_of(&path).map_err(|error| format!("`{path}`: {error}")),
        };
        read.map_err(|problem| self.problem(&file, problem)).ok()
    }

    /// Any type that parses itself from text: numbers, addresses, networks, enumerations of ours.
    pub fn parse<T>(&mut self, name: &str, default: T) -> T
    where
        T: FromStr<Err: Display>,
    {
        self.parse_optional(name).unwrap_or(default)
    }

    /// Like [`Reader::parse`], without a default.
    pub fn parse_optional<T>(&mut self, name: &str) -> Option<T>
    where
        T: FromStr<Err: Display>,
    {
        let text = self.optional(name)?;
        text.parse()
            .map_err(|error| self.problem(name, format!("`{text}`: {error}")))
            .ok()
    }

    /// `true` or `false`.
    pub fn bool(&mut self, name: &str, default: bool) -> bool {
        match self.optional(name).as_deref() {
            None => default,
            Some("true") => true,
            Some("false") => false,
            Some(text) => {
                self.problem(name, format!("`{text}`: expected true or false"));
                default
            }
        }
    }

    /// A whole number within bounds, both included.
    pub fn number<T>(&mut self, name: &str, default: T, bounds: RangeInclusive<T>) -> T
    where
        T: FromStr + PartialOrd + Display + Copy,
    {
        let Some(text) = self.optional(name) else {
            return default;
        };
        match text.parse() {
            Ok(number) if bounds.contains(&number) => return number,
            _ => {}
        }
        let (least, most) = (bounds.start(), bounds.end());
        self.problem(
            name,
            format!("`{text}`: must be a whole number from {least} to {most}"),
        );
        default
    }

    /// A duration such as `90d`, `15m` or `500ms`, within bounds, both included. Every duration has them: times are computed with
    /// it, and one that leaves the calendar would fail at each use.
    pub fn duration(
        &mut self,
        name: &str,
        default: Duration,
        bounds: RangeInclusive<Duration>,
    ) -> Duration {
        let Some(text) = self.optional(name) else {
            return default;
        };
        let problem = match parse_duration(&text) {
            None => "expected a duration such as 90d, 15m, 30s or 500ms".to_owned(),
            Some(duration) if bounds.contains(&duration) => return duration,
            Some(_) => format!(
                "must be from {} to {}",
                shown_duration(*bounds.start()),
                shown_duration(*bounds.end())
            ),
        };
        self.problem(name, format!("`{text}`: {problem}"));
        default
    }

    /// A comma-separated list; blanks around items and empty items are dropped. `None` if the variable is not set.
    pub fn list<T>(&mut self, name: &str) -> Option<Vec<T>>
    where
        T: FromStr<Err: Display>,
    {
        let text = self.optional(name)?;
        let mut items = Vec::new();
        for item in text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
        {
            match item.parse() {
                Ok(item) => items.push(item),
                Err(error) => self.problem(name, format!("`{item}`: {error}")),
            }
        }
        Some(items)
    }

    /// Records a problem found by a rule about one or several values.
    pub fn problem(&mut self, name: &str, message: impl Into<String>) {
        self.problems.push(Problem {
            variable: name.to_owned(),
            message: message.into(),
        });
    }

    /// Succeeds if there were no problems.
    pub fn finish(self) -> Result<(), Problems> {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(Problems(self.problems))
        }
    }
}

/// The contents of a file without the line's end.
fn secret_of(path: &str) -> io::Result<SecretString> {
    let mut text = String::new();
    // Longer than any secret.
    File::open(path)?.take(65_536).read_to_string(&mut text)?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(io::Error::other("is empty")),
        secret => Ok(SecretString::from(secret)),
    }
}

struct Lines<'a>(&'a [Problem]);

impl Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the settings cannot be used:")?;
        for Problem { variable, message } in self.0 {
            write!(f, "\n  {variable} {message}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, net::SocketAddr, num::NonZeroU32};

    use secrecy::ExposeSecret;

    use super::*;

    const SHORT: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(24 * 60 * 60);

    fn source(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn values_are_typed_and_defaults_fill_gaps() {
        let source = source(&[
            ("ADDR", "127.0.0.1:80"),
            ("ON", "false"),
            ("WAIT", "15m"),
            ("LIST", "a, b,,c "),
            ("EMPTY", "  "),
        ]);
        let mut reader = Reader::new(&source);

        let default = SocketAddr::from(([0, 0, 0, 0], 1));
        assert_eq!(reader.parse("ADDR", default).to_string(), "127.0.0.1:80");
        assert_eq!(reader.parse("OTHER_ADDR", default), default);
        assert!(!reader.bool("ON", true));
        assert_eq!(
            reader.duration("WAIT", Duration::ZERO, SHORT),
            Duration::from_secs(900)
        );
        assert_eq!(
            reader.list::<String>("LIST"),
            Some(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()])
        );
        assert_eq!(reader.list::<String>("EMPTY"), None);
        assert_eq!(reader.text("EMPTY", "default"), "default");
        assert!(reader.finish().is_ok());
    }

    #[test]
    fn every_problem_is_reported_under_its_variable() {
        let source = source(&[
            ("RATE", "many"),
            ("WAIT", "5"),
            ("PAUSE", "0"),
            ("LONG", "25h"),
            ("MANY", "11"),
            ("NONE", "0"),
            ("FEW", "few"),
            ("ON", "yes"),
        ]);
        let mut reader = Reader::new(&source);

        assert_eq!(reader.parse("RATE", 7_u32), 7);
        reader.duration("WAIT", Duration::ZERO, SHORT);
        let second = Duration::from_secs(1);
        assert_eq!(
            reader.duration("PAUSE", second, second..=2 * second),
            second
        );
        reader.duration("LONG", second, SHORT);
        assert_eq!(reader.number("MANY", 5, 1..=10), 5);
        let one = NonZeroU32::MIN;
        assert_eq!(reader.number("NONE", one, one..=one), one);
        assert_eq!(reader.number("FEW", 5, 1..=10), 5);
        reader.bool("ON", true);
        reader.required("DATABASE_URL");

        let problems = reader.finish().unwrap_err().to_string();
        assert_eq!(
            problems,
            "the settings cannot be used:\n  \
             RATE `many`: invalid digit found in string\n  \
             WAIT `5`: expected a duration such as 90d, 15m, 30s or 500ms\n  \
             PAUSE `0`: must be from 1s to 2s\n  \
             LONG `25h`: must be from 0 to 1d\n  \
             MANY `11`: must be a whole number from 1 to 10\n  \
             NONE `0`: must be a whole number from 1 to 1\n  \
             FEW `few`: must be a whole number from 1 to 10\n  \
             ON `yes`: expected true or false\n  \
             DATABASE_URL must be set"
        );
    }

    #[test]
    fn a_secret_is_read_from_a_file_without_the_end_of_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let read = |pairs: &[(&str, &str)]| {
            let source: BTreeMap<String, String> = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            let mut reader = Reader::new(&source);
            let secret = reader.secret("A_SECRET");
            let secret = secret.map(|secret| secret.expose_secret().to_owned());
            reader
                .finish()
                .map(|()| secret)
                .map_err(|problems| problems.to_string())
        };
        for text in [&b" s3cret"[..], b" s3cret\n", b" s3cret\r\n"] {
            let path = write("secret", text);
            let secret = read(&[("A_SECRET_FILE", &path)]).unwrap();
            assert_eq!(secret.as_deref(), Some(" s3cret"));
            let both = read(&[("A_SECRET_FILE", &path), ("A_SECRET", "other")]).unwrap_err();
            let expected = "\n  A_SECRET_FILE is set, and A_SECRET too: only one may be";
            assert!(both.ends_with(expected), "{both}");
        }
        assert_eq!(read(&[]), Ok(None));
        let (empty, binary) = (write("empty", b"\n"), write("binary", b"s3cret\xff"));
        let missing = format!("{empty}-missing");
        for (path, problem) in [
            (&empty, "is empty"),
            (&binary, "stream did not contain valid UTF-8"),
            (&missing, "No such file or directory"),
        ] {
            let problems = read(&[("A_SECRET_FILE", path)]).unwrap_err();
            assert!(
                problems.contains(&format!("A_SECRET_FILE `{path}`: {problem}")),
                "{problems}"
            );
            assert!(!problems.contains("s3cret"), "{problems}");
        }
    }
}
