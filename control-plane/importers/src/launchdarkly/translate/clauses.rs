//! Clauses of rules and segments, each by itself.

use std::{collections::HashSet, fmt};

use serde_json::Value;

use super::{
    super::wire::{Clause, is_user},
    operands,
};
use crate::{
    logic::{Expr, KEY, Pattern, inverse, is_number, pattern},
    plan::Remarks,
};

/// Translates a clause that is not about segments. A clause that no user can match is an expression too.
pub(super) fn translate(clause: &Clause, remarks: &mut Remarks) -> Result<Expr, String> {
    let attribute = attribute(clause)?;
    match attribute.as_str() {
        "kind" => of_kind(clause, remarks),
        _ if !is_user(&clause.context_kind) => {
            let kind = &clause.context_kind;
            remarks.drop(format!("it asks for contexts of the kind `{kind}`"));
            Ok(Expr::never())
        }
        "anonymous" => Ok(of_anonymous(clause, remarks)),
        _ => Reading {
            clause,
            attribute,
            remarks,
        }
        .read(),
    }
}

/// The name of the attribute. Where the clause names a kind of context, it is a reference: a path when it begins with a slash.
fn attribute(clause: &Clause) -> Result<String, String> {
    let written = clause.attribute.as_str();
    let invalid = || format!("`{written}` names no attribute");
    let path = written
        .strip_prefix('/')
        .filter(|_| !clause.context_kind.is_empty());
    let Some(path) = path else {
        return (!written.is_empty())
            .then(|| written.to_owned())
            .ok_or_else(invalid);
    };
    if path.contains('/') && !path.split('/').any(str::is_empty) {
        return Err(format!("`{written}` is a part of an attribute"));
    }
    let unescaped = path.replace("~1", "/").replace("~0", "~");
    let mut escapes = path.split('~').skip(1);
    let is_valid = !path.is_empty()
        && !path.contains('/')
        && escapes.all(|after| after.starts_with(['0', '1']));
    is_valid.then_some(unescaped).ok_or_else(invalid)
}

/// Whether an operator on texts finds an operand in a word.
fn finds(operator: &str, operand: &str, word: &str) -> bool {
    match operator {
        "in" => word == operand,
        "startsWith" => word.starts_with(operand),
        "endsWith" => word.ends_with(operand),
        _ => word.contains(operand),
    }
}

/// Every context of Halyard is a user.
fn of_kind(clause: &Clause, remarks: &mut Remarks) -> Result<Expr, String> {
    let operator = clause.op.as_str();
    if !matches!(operator, "in" | "startsWith" | "endsWith" | "contains") {
        return Err(format!("it tests the kind of the context by `{operator}`"));
    }
    let mut texts = clause.values.iter().filter_map(Value::as_str);
    let holds = texts.any(|text| finds(operator, text, "user"));
    remarks.approximate(
        "the kind of the context is not looked at, because here every context is a user",
    );
    Ok(if holds == clause.negate {
        Expr::never()
    } else {
        Expr::always()
    })
}

/// Always a boolean there, and `false` when it is missing.
fn of_anonymous(clause: &Clause, remarks: &mut Remarks) -> Expr {
    let matches = |value: bool| {
        let is_member = clause.op == "in" && clause.values.contains(&Value::Bool(value));
        is_member != clause.negate
    };
    let is = |text: &str| Expr::is("anonymous", "in", [text]);
    let expr = match (matches(true), matches(false)) {
        (true, true) => return Expr::always(),
        (false, false) => return Expr::never(),
        (true, false) => is("true"),
        (false, true) => Expr::any([is("false"), Expr::missing("anonymous")]),
    };
    remarks.approximate("`anonymous` is always a boolean there, and may be anything here");
    expr
}

/// A clause about an attribute, whose operands are being read.
struct Reading<'a> {
    clause: &'a Clause,
    attribute: String,
    remarks: &'a mut Remarks,
}

impl Reading<'_> {
    fn read(self) -> Result<Expr, String> {
        match self.clause.op.as_str() {
            "in" => Ok(self.members()),
            operator @ ("startsWith" | "endsWith" | "contains" | "matches") => self.texts(operator),
            "greaterThan" => self.number("gt"),
            "greaterThanOrEqual" | "greaterOrEqual" => self.number("gte"),
            "lessThan" => self.number("lt"),
            "lessThanOrEqual" | "lessOrEqual" => self.number("lte"),
            "after" => self.date("gt"),
            "before" => self.date("lt"),
            "semVerGreaterThan" => self.version("gt"),
            "semVerLessThan" => self.version("lt"),
            "semVerEqual" => self.version("eq"),
            unknown => Err(format!("the operator `{unknown}` is not known")),
        }
    }

    fn is_key(&self) -> bool {
        self.attribute == KEY
    }

    fn differs(&mut self, text: impl fmt::Display) {
        self.remarks
            .approximate(format!("{text} (`{}`)", self.attribute));
    }

    fn is<V: Into<String>>(&self, operator: &str, values: impl IntoIterator<Item = V>) -> Expr {
        Expr::is(&self.attribute, operator, values)
    }

    /// No operand can match. Negated, it asks for the attribute.
    fn unmatchable(&mut self) -> Expr {
        let (operator, attribute) = (&self.clause.op, &self.attribute);
        self.remarks.drop(format!(
            "no operand of `{operator}` can match any value of `{attribute}`"
        ));
        if self.clause.negate {
            Expr::present(attribute)
        } else {
            Expr::never()
        }
    }

    /// The operands that can match, as texts. `None`: there are none.
    fn operands(&mut self, can_match: fn(&Value) -> bool) -> Option<Vec<&Value>> {
        let all = &self.clause.values;
        let kept: Vec<_> = all.iter().filter(|value| can_match(value)).collect();
        if kept.len() < all.len() && !kept.is_empty() {
            let (operator, attribute) = (&self.clause.op, &self.attribute);
            self.remarks.drop(format!(
                "operands of `{operator}` that can match no value of `{attribute}` are left out"
            ));
        }
        (!kept.is_empty()).then_some(kept)
    }

    fn members(mut self) -> Expr {
        let is_text = Value::is_string;
        let is_scalar =
            |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
        let can_match = if self.is_key() { is_text } else { is_scalar };
        let Some(values) = self.operands(can_match) else {
            return self.unmatchable();
        };
        let (mut plain, mut typed, mut texts) = (HashSet::new(), HashSet::new(), Vec::new());
        for value in values {
            let text = operands::text(value);
            let (own, other) = if is_text(value) {
                (&mut plain, &typed)
            } else {
                (&mut typed, &plain)
            };
            if own.insert(text.clone()) && !other.contains(&text) {
                texts.push(text);
            }
        }
        let is_of_one_type = |text: &String| {
            let is_typed = is_number(text) || matches!(text.as_str(), "true" | "false");
            is_typed && plain.contains(text) != typed.contains(text)
        };
        if !self.is_key() {
            if texts.iter().any(is_of_one_type) {
                self.differs(
                    "numbers and booleans equal the texts that read like them here, and not there",
                );
            }
            if self.clause.negate {
                self.differs("an attribute that is an object is not in the list of a negated clause there, and matches nothing here");
            }
        }
        self.is(if self.clause.negate { "notIn" } else { "in" }, texts)
    }

    fn texts(mut self, operator: &str) -> Result<Expr, String> {
        if self.clause.negate {
            return Err(format!("a negated `{operator}` has no counterpart"));
        }
        let Some(values) = self.operands(Value::is_string) else {
            return Ok(self.unmatchable());
        };
        let texts: Vec<_> = values.into_iter().map(operands::text).collect();
        if operator == "matches" {
            let read: Option<Vec<_>> = texts.iter().map(|text| pattern(text)).collect();
            let read = read.ok_or("it has a regular expression that cannot be read here")?;
            if read.contains(&Pattern::Dialect) {
                self.differs("SDKs of the source read such a regular expression in different ways, and numbers and booleans are read as text here");
            }
            return Ok(self.is("regex", texts));
        }
        let is_in_others = |text: &String| {
            let in_words = ["true", "false"].map(|word| finds(operator, text, word));
            in_words.contains(&true)
                || text
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
        };
        if !self.is_key() && texts.iter().any(is_in_others) {
            self.differs("numbers and booleans are read as text here, and never match there");
        }
        Ok(self.is(operator, texts))
    }

    fn operand(&self) -> Result<Option<&Value>, String> {
        match self.clause.values.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            _ => Err(format!("`{}` has several operands", self.clause.op)),
        }
    }

    /// One of the values has to compare so.
    fn compare<const N: usize>(&mut self, operator: &str, values: [String; N]) -> Expr {
        let mut operator = operator;
        if let (true, Some(inverse)) = (self.clause.negate, inverse(operator)) {
            self.differs("values that cannot be compared match a negated comparison there, and not here, and of a list one element is enough here");
            operator = inverse;
        }
        Expr::any(values.map(|value| self.is(operator, [value])))
    }

    fn number(mut self, operator: &str) -> Result<Expr, String> {
        let is_key = self.is_key();
        let Some(Value::Number(number)) = self.operand()?.filter(|_| !is_key) else {
            return Ok(self.unmatchable());
        };
        let text = operands::number(number);
        self.differs("numbers that are given as text are compared here, and not there");
        Ok(self.compare(operator, [text]))
    }

    /// An attribute is a number of milliseconds or a text, whatever the operand is, and each condition knows one of them.
    fn date(mut self, operator: &str) -> Result<Expr, String> {
        let Some(value @ (Value::String(_) | Value::Number(_))) = self.operand()? else {
            return Ok(self.unmatchable());
        };
        let (text, milliseconds) =
            operands::date(value).ok_or_else(|| format!("{value} is no date here"))?;
        self.differs("a number of milliseconds that is given as text is compared here and not there, and a date in another form than that of RFC 3339 there and not here");
        Ok(if self.is_key() {
            self.compare(operator, [text])
        } else {
            self.compare(operator, [text, milliseconds])
        })
    }

    fn version(mut self, operator: &str) -> Result<Expr, String> {
        let version = self.operand()?.and_then(Value::as_str);
        let Some(version) = version.and_then(operands::version) else {
            return Ok(self.unmatchable());
        };
        self.differs("versions of fewer than three parts are compared there, and not here");
        if operator != "eq" {
            return Ok(self.compare(operator, [version]));
        }
        if self.clause.negate {
            self.differs("versions that are equal but not written alike match a negated `semVerEqual` here, and not there");
            return Ok(self.is("neq", [version]));
        }
        self.differs("of a list, a lower and a higher version together equal one in between here, and not there");
        let bound = |operator| self.is(operator, [version.as_str()]);
        Ok(Expr::all([bound("gte"), bound("lte")]))
    }
}
