//! Clauses of rules and segments, each by itself.

use std::fmt;

use protocol::rule::Condition;
use serde_json::Value;

use super::{
    super::wire::{self, Clause},
    notes::Note,
    operands::{self, Members},
    operators::{Comparison, Operator},
    patterns,
};
use crate::plan::rules::condition;

/// What a clause asks, in conditions.
#[derive(Debug, PartialEq)]
pub(super) enum Test {
    /// One of these lists has to hold; a list holds when all of its conditions do.
    Holds(Vec<Vec<Condition>>),
    Always,
    Never,
}

/// Why a clause cannot be expressed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// It asks for a context of a kind that Halyard does not know. A user alone never matches it.
    Kind(String),
    Other(String),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "it asks for contexts of the kind `{kind}`"),
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

/// What a clause looks at.
enum Subject {
    Key,
    Kind,
    Anonymous,
    Attribute(String),
}

/// Translates a clause that is not about segments; `notes` get what differs.
pub(super) fn translate(clause: &Clause, notes: &mut Vec<Note>) -> Result<Test, Obstacle> {
    let operator = Operator::read(&clause.op)
        .ok_or_else(|| Obstacle::Other(format!("the operator `{}` is not known", clause.op)))?;
    let attribute = match Subject::read(clause)? {
        Subject::Kind => return of_kind(clause, operator, notes),
        Subject::Anonymous => return Ok(of_anonymous(clause, operator, notes)),
        Subject::Key => "key".to_owned(),
        Subject::Attribute(name) => name,
    };
    let reading = Reading {
        clause,
        attribute,
        notes,
    };
    match operator {
        Operator::In => Ok(reading.members()),
        Operator::Text(name) => reading.texts(name),
        Operator::Matches => reading.patterns(),
        Operator::Number(comparison) => reading.number(comparison),
        Operator::Date(comparison) => reading.date(comparison),
        Operator::Version(comparison) => reading.version(Some(comparison)),
        Operator::VersionEqual => reading.version(None),
    }
}

impl Subject {
    fn read(clause: &Clause) -> Result<Self, Obstacle> {
        let name = attribute(clause)?;
        if name == "kind" {
            return Ok(Self::Kind);
        }
        if !wire::is_user(&clause.context_kind) {
            return Err(Obstacle::Kind(clause.context_kind.clone()));
        }
        Ok(match name.as_str() {
            "key" => Self::Key,
            "anonymous" => Self::Anonymous,
            _ => Self::Attribute(name),
        })
    }
}

/// The name of the attribute. Where the clause names a kind of context, it is a reference: a path when it begins with a slash.
fn attribute(clause: &Clause) -> Result<String, Obstacle> {
    let written = clause.attribute.as_str();
    let invalid = || Obstacle::Other(format!("`{written}` names no attribute"));
    let path = written
        .strip_prefix('/')
        .filter(|_| !clause.context_kind.is_empty());
    let Some(path) = path else {
        return (!written.is_empty())
            .then(|| written.to_owned())
            .ok_or_else(invalid);
    };
    if path.contains('/') && !path.split('/').any(str::is_empty) {
        return Err(Obstacle::Other(format!(
            "`{written}` is a part of an attribute"
        )));
    }
    let unescaped = path.replace("~1", "/").replace("~0", "~");
    let is_valid = !path.is_empty()
        && !path.contains('/')
        && path
            .split('~')
            .skip(1)
            .all(|after| after.starts_with(['0', '1']));
    is_valid.then_some(unescaped).ok_or_else(invalid)
}

/// Every context of Halyard is a user.
fn of_kind(clause: &Clause, operator: Operator, notes: &mut Vec<Note>) -> Result<Test, Obstacle> {
    let texts = clause.values.iter().filter_map(Value::as_str);
    let holds = match operator {
        Operator::In => texts.into_iter().any(|text| text == "user"),
        Operator::Text("startsWith") => texts.into_iter().any(|text| "user".starts_with(text)),
        Operator::Text("endsWith") => texts.into_iter().any(|text| "user".ends_with(text)),
        Operator::Text(_) => texts.into_iter().any(|text| "user".contains(text)),
        Operator::Matches => {
            return Err(Obstacle::Other(
                "it has a pattern for the kind of the context".to_owned(),
            ));
        }
        Operator::Number(_) | Operator::Date(_) | Operator::Version(_) | Operator::VersionEqual => {
            false
        }
    };
    notes.push(Note::approximate(
        "the kind of the context is not looked at, because here every context is a user",
    ));
    Ok(if holds == clause.negate {
        Test::Never
    } else {
        Test::Always
    })
}

/// Always a boolean there, and `false` when it is missing.
fn of_anonymous(clause: &Clause, operator: Operator, notes: &mut Vec<Note>) -> Test {
    let matches = |value: bool| {
        let is_member =
            matches!(operator, Operator::In) && clause.values.contains(&Value::Bool(value));
        is_member != clause.negate
    };
    let is = |text: &str| vec![condition("anonymous", "in", [text])];
    let missing = || vec![condition("anonymous", "neq", Vec::<String>::new())];
    let test = match (matches(true), matches(false)) {
        (true, true) => return Test::Always,
        (false, false) => return Test::Never,
        (true, false) => Test::Holds(vec![is("true")]),
        (false, true) => Test::Holds(vec![is("false"), missing()]),
    };
    notes.push(Note::approximate(
        "`anonymous` is always a boolean there, and may be anything here",
    ));
    test
}

/// A clause about an attribute, whose operands are being read.
struct Reading<'a> {
    clause: &'a Clause,
    attribute: String,
    notes: &'a mut Vec<Note>,
}

impl Reading<'_> {
    fn is_key(&self) -> bool {
        self.attribute == "key"
    }

    fn differs(&mut self, text: impl fmt::Display) {
        self.notes
            .push(Note::approximate(format!("{text} (`{}`)", self.attribute)));
    }

    fn one(&self, operator: &str, values: Vec<String>) -> Test {
        Test::Holds(vec![vec![condition(
            self.attribute.as_str(),
            operator,
            values,
        )]])
    }

    /// No operand can match. Negated, it asks for the attribute.
    fn unmatchable(&mut self) -> Test {
        self.notes.push(Note::drop(format!(
            "no operand of `{}` can match any value of `{}`",
            self.clause.op, self.attribute
        )));
        match (self.clause.negate, self.is_key()) {
            (false, _) => Test::Never,
            (true, true) => Test::Always,
            (true, false) => self.one("exists", Vec::new()),
        }
    }

    fn left_out(&mut self) {
        self.notes.push(Note::drop(format!(
            "operands of `{}` that can match no value of `{}` are left out",
            self.clause.op, self.attribute
        )));
    }

    fn members(mut self) -> Test {
        let clause = self.clause;
        let of_text: Vec<Value>;
        let values = if self.is_key() {
            of_text = clause
                .values
                .iter()
                .filter(|value| value.is_string())
                .cloned()
                .collect();
            &of_text
        } else {
            &clause.values
        };
        let members = Members::read(values);
        if members.texts.is_empty() {
            return self.unmatchable();
        }
        if members.has_unmatchable || values.len() < clause.values.len() {
            self.left_out();
        }
        if !self.is_key() {
            if members.has_bare_number {
                self.differs("numbers that are given as text equal the numbers of a clause here, and not there");
            }
            if members.has_bare_boolean {
                self.differs(
                    "the texts true and false equal the booleans of a clause here, and not there",
                );
            }
            if members.has_bare_text {
                self.differs("numbers and booleans equal the texts of a clause that read like them here, and not there");
            }
            if clause.negate {
                self.differs("an attribute that is an object is not in the list of a negated clause there, and matches nothing here");
            }
        }
        self.one(if clause.negate { "notIn" } else { "in" }, members.texts)
    }

    fn strings(&mut self) -> Vec<String> {
        let texts: Vec<String> = self
            .clause
            .values
            .iter()
            .filter_map(|value| Some(value.as_str()?.to_owned()))
            .collect();
        if texts.len() < self.clause.values.len() && !texts.is_empty() {
            self.left_out();
        }
        texts
    }

    fn not_negated(&self) -> Result<(), Obstacle> {
        let reason =
            || Obstacle::Other(format!("a negated `{}` has no counterpart", self.clause.op));
        (!self.clause.negate).then_some(()).ok_or_else(reason)
    }

    fn texts(mut self, operator: &str) -> Result<Test, Obstacle> {
        self.not_negated()?;
        let texts = self.strings();
        if texts.is_empty() {
            return Ok(self.unmatchable());
        }
        let of_word = |word: &str| {
            texts.iter().any(|text| match operator {
                "startsWith" => word.starts_with(text),
                "endsWith" => word.ends_with(text),
                _ => word.contains(text),
            })
        };
        let may_match_others = of_word("true")
            || of_word("false")
            || texts.iter().any(|text| patterns::may_be_in_number(text));
        if may_match_others && !self.is_key() {
            self.differs("numbers and booleans are read as text here, and never match there");
        }
        Ok(self.one(operator, texts))
    }

    fn patterns(mut self) -> Result<Test, Obstacle> {
        self.not_negated()?;
        let texts = self.strings();
        if texts.is_empty() {
            return Ok(self.unmatchable());
        }
        let mut read = Vec::with_capacity(texts.len());
        for text in &texts {
            let reason = || {
                Obstacle::Other("it has a regular expression that cannot be read here".to_owned())
            };
            read.push(patterns::read(text).ok_or_else(reason)?);
        }
        if !read.iter().all(|pattern| pattern.is_plain) {
            self.differs("SDKs of the source read such a regular expression in different ways, as to line breaks and to characters beyond ASCII");
        }
        if read.iter().any(|pattern| pattern.may_match_others) && !self.is_key() {
            self.differs("numbers and booleans are read as text here, and never match there");
        }
        Ok(self.one("regex", texts))
    }

    /// The only operand.
    fn operand(&self) -> Result<Option<&Value>, Obstacle> {
        match self.clause.values.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            _ => Err(Obstacle::Other(format!(
                "`{}` has several operands",
                self.clause.op
            ))),
        }
    }

    fn compare(&mut self, comparison: Comparison, value: String) -> Test {
        let comparison = if self.clause.negate {
            self.differs("values that cannot be compared match a negated comparison there, and not here, and of a list one element is enough here");
            comparison.inverse()
        } else {
            comparison
        };
        self.one(comparison.name(), vec![value])
    }

    fn number(mut self, comparison: Comparison) -> Result<Test, Obstacle> {
        match self.operand()? {
            Some(Value::Number(number)) if !self.is_key() => {
                let text = operands::number_text(number);
                self.differs("numbers that are given as text are compared here, and not there");
                Ok(self.compare(comparison, text))
            }
            _ => Ok(self.unmatchable()),
        }
    }

    fn date(mut self, comparison: Comparison) -> Result<Test, Obstacle> {
        let date = match self.operand()? {
            None | Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
                return Ok(self.unmatchable());
            }
            Some(value) => operands::date(value)
                .ok_or_else(|| Obstacle::Other(format!("{value} is no date here")))?,
        };
        self.differs("a number of milliseconds that is given as text is compared here and not there, and a date in another form than that of RFC 3339 there and not here");
        let Test::Holds(mut tests) = self.compare(comparison, date.text) else {
            return Ok(Test::Never);
        };
        // An attribute is a number of milliseconds or a text, whatever the operand is, and each condition knows one of them.
        if !self.is_key() {
            let mut of_numbers = tests.clone();
            for condition in of_numbers.iter_mut().flatten() {
                condition.values = vec![date.milliseconds.clone()];
            }
            tests.extend(of_numbers);
        }
        Ok(Test::Holds(tests))
    }

    /// `None`: equality.
    fn version(mut self, comparison: Option<Comparison>) -> Result<Test, Obstacle> {
        let version = self
            .operand()?
            .and_then(Value::as_str)
            .and_then(operands::version);
        let Some(version) = version else {
            return Ok(self.unmatchable());
        };
        self.differs("versions of fewer than three parts are compared there, and not here");
        if let Some(comparison) = comparison {
            return Ok(self.compare(comparison, version));
        }
        if self.clause.negate {
            self.differs("versions that are equal but not written alike match a negated `semVerEqual` here, and not there");
            return Ok(self.one("neq", vec![version]));
        }
        self.differs("of a list, a lower and a higher version together equal one in between here, and not there");
        let bound = |operator| condition(self.attribute.as_str(), operator, [version.as_str()]);
        Ok(Test::Holds(vec![vec![bound("gte"), bound("lte")]]))
    }
}
