//! Go, for `github.com/open-feature/go-sdk/openfeature`, as `gofmt` leaves it.

use serde_json::Value;

use super::{
    model::{Flag, Kind},
    names::{self, Naming},
    text,
};

pub(super) const NAMING: Naming = Naming {
    of: names::pascal,
    endings: &[""],
    reserved: &[
        "BooleanFlag",
        "FloatFlag",
        "IntFlag",
        "ObjectFlag",
        "StringFlag",
    ],
};

/// Each kind: what its flags are called here, their type, and the methods of the SDK.
const KINDS: [(Kind, &str, &str, &str, &str); 5] = [
    (Kind::Boolean, "BooleanFlag", "bool", "Boolean", "Boolean"),
    (Kind::Float, "FloatFlag", "float64", "Float", "Float"),
    (Kind::Integer, "IntFlag", "int64", "Int", "Int"),
    (Kind::Object, "ObjectFlag", "any", "Object", "Interface"),
    (Kind::String, "StringFlag", "string", "String", "String"),
];

/// The file for some flags.
pub(super) fn render(header: &str, package: &str, flags: &[(String, Flag)]) -> String {
    let mut made = format!(
        "\
// {header}

// Package {package} has a variable for each flag.
package {package}
"
    );
    if flags.is_empty() {
        return made;
    }
    made.push_str(
        "
import (
\t\"context\"

\t\"github.com/open-feature/go-sdk/openfeature\"
)

var client openfeature.IClient = openfeature.GetApiInstance().GetClient()
",
    );
    for (kind, name, value, method, details) in KINDS {
        if flags.iter().any(|(_, flag)| flag.kind == kind) {
            made.push_str(&of_kind(name, value, method, details));
        }
    }
    for (name, flag) in flags {
        made.push_str(&variable(name, flag));
    }
    made
}

/// The type of the flags of a kind.
fn of_kind(name: &str, value: &str, method: &str, details: &str) -> String {
    // A map could be changed by whoever gets it, so each gets its own.
    let (field, fallback) = if value == "any" {
        ("func() any", "f.fallback()")
    } else {
        (value, "f.fallback")
    };
    format!(
        "
// {name} is a flag whose values are of the type {value}.
type {name} struct {{
\tkey string

\tfallback {field}
}}

// Value returns the value of the flag, and why it could not be evaluated, if so.
func (f {name}) Value(ctx context.Context, evalCtx openfeature.EvaluationContext, options ...openfeature.Option) ({value}, error) {{
\treturn client.{method}Value(ctx, f.key, {fallback}, evalCtx, options...)
}}

// ValueWithDetails returns the details of the evaluation, and why it failed, if so.
func (f {name}) ValueWithDetails(ctx context.Context, evalCtx openfeature.EvaluationContext, options ...openfeature.Option) (openfeature.{details}EvaluationDetails, error) {{
\treturn client.{method}ValueDetails(ctx, f.key, {fallback}, evalCtx, options...)
}}
"
    )
}

fn variable(name: &str, flag: &Flag) -> String {
    let kind = KINDS.iter().find(|(kind, ..)| *kind == flag.kind);
    let of = kind.map_or("", |(_, of, ..)| of);
    let key = text::go(&flag.key);
    let fallback = match flag.kind {
        Kind::Object => format!("func() any {{\n\treturn {}\n}}", literal(&flag.default)),
        Kind::Boolean | Kind::String | Kind::Integer | Kind::Float => scalar(&flag.default),
    };
    let name = NAMING.full(name, "");
    let comment = comment(&name, flag);
    format!("\n{comment}var {name} = {of}{{key: {key}, fallback: {fallback}}}\n")
}

/// One paragraph, since `gofmt` would set lists and code in a comment in its own way, and take two quotes for one of typesetters.
fn comment(name: &str, flag: &Flag) -> String {
    let mut text = format!("// {name} is the flag `{}`", text::inline(&flag.key));
    let description = text::lines(&flag.description).join(" ");
    if description.is_empty() {
        text.push('.');
    } else {
        text.push_str(": ");
        text.push_str(&description);
    }
    for quote in ["``", "''"] {
        while text.contains(quote) {
            text = text.replace(quote, &quote[1..]);
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ") + "\n"
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text::go(text),
        other => other.to_string(),
    }
}

/// A value as what JSON is read as.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Number(number) => format!("float64({number})"),
        Value::Bool(_) | Value::String(_) => scalar(value),
        Value::Array(list) => {
            let list: Vec<_> = list.iter().map(literal).collect();
            format!("[]any{{{}}}", list.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{}: {}", text::go(name), literal(value)));
            format!(
                "map[string]any{{{}}}",
                fields.collect::<Vec<_>>().join(", ")
            )
        }
    }
}
