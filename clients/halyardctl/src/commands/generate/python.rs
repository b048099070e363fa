//! Python, for `openfeature-sdk`, as Black and Ruff leave it.

use serde_json::Value;

use super::{
    model::{Flag, Kind},
    names::{self, Naming},
    text,
};

pub(super) const NAMING: Naming = Naming {
    of: names::snake,
    endings: &["", "_details", "_async", "_details_async"],
    // Keywords, the types that the methods name, and what the class has itself.
    reserved: &[
        "and", "as", "assert", "async", "await", "bool", "break", "class", "client", "continue",
        "def", "del", "elif", "else", "except", "finally", "float", "for", "from", "global", "if",
        "import", "in", "int", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return",
        "str", "try", "while", "with", "yield",
    ],
};

/// The file for some flags.
pub(super) fn render(header: &str, flags: &[(String, Flag)]) -> String {
    let uses_objects = flags.iter().any(|(_, flag)| flag.kind == Kind::Object);
    let typing = if uses_objects {
        "from collections.abc import Mapping, Sequence\n\n"
    } else {
        ""
    };
    let typing_of_values = if uses_objects {
        "    FlagValueType,\n"
    } else {
        ""
    };
    let methods: String = flags
        .iter()
        .flat_map(|(name, flag)| {
            let each = [(false, false), (true, false), (false, true), (true, true)];
            each.map(|(details, is_async)| method(name, flag, details, is_async))
        })
        .collect();
    format!(
        "\
# {header}
from __future__ import annotations

{typing}from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.evaluation_context import EvaluationContext
from openfeature.flag_evaluation import (
    FlagEvaluationDetails,
    FlagEvaluationOptions,
{typing_of_values})
from openfeature.hook import Hook


class GeneratedClient:
    \"\"\"Methods for the value of each flag, and for the details of its evaluation.\"\"\"

    def __init__(self, client: OpenFeatureClient) -> None:
        self.client = client
{methods}

def get_generated_client(
    domain: str | None = None,
    evaluation_context: EvaluationContext | None = None,
    hooks: list[Hook] | None = None,
) -> GeneratedClient:
    \"\"\"The flags of the default provider, or of that of a domain.\"\"\"
    client = api.get_client(domain)
    if evaluation_context is not None:
        client.context = evaluation_context
    if hooks is not None:
        client.add_hooks(hooks)
    return GeneratedClient(client)
"
    )
}

const fn value_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "bool",
        Kind::String => "str",
        Kind::Integer => "int",
        Kind::Float => "float",
        Kind::Object => "Sequence[FlagValueType] | Mapping[str, FlagValueType]",
    }
}

fn method(name: &str, flag: &Flag, details: bool, is_async: bool) -> String {
    let kind = value_type(flag.kind);
    let asked = match flag.kind {
        Kind::Boolean => "boolean",
        Kind::String => "string",
        Kind::Integer => "integer",
        Kind::Float => "float",
        Kind::Object => "object",
    };
    let (what, ending, called, returned) = if details {
        let returned = format!("FlagEvaluationDetails[{kind}]");
        ("The details", "_details", "details", returned)
    } else {
        ("The value", "", "value", kind.to_owned())
    };
    let (define, wait, later) = if is_async {
        ("async def", "await ", "_async")
    } else {
        ("def", "", "")
    };
    let name = NAMING.full(name, &format!("{ending}{later}"));
    let document = document(flag, what);
    let key = text::in_either_quotes(&flag.key);
    let default = literal(&flag.default, 12, flag.kind);
    format!(
        "
    {define} {name}(
        self,
        evaluation_context: EvaluationContext | None = None,
        flag_evaluation_options: FlagEvaluationOptions | None = None,
    ) -> {returned}:
{document}        return {wait}self.client.get_{asked}_{called}{later}(
            flag_key={key},
            default_value={default},
            evaluation_context=evaluation_context,
            flag_evaluation_options=flag_evaluation_options,
        )
"
    )
}

/// The docstring of a method.
fn document(flag: &Flag, what: &str) -> String {
    let mut lines = text::lines(&flag.description);
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(format!("{what} of the flag `{}`.", text::inline(&flag.key)));
    let lines: String = lines
        .iter()
        .map(|line| {
            let line = line.replace('\\', "\\\\").replace('"', "\\\"");
            format!("        {line}").trim_end().to_owned() + "\n"
        })
        .collect();
    format!("        \"\"\"\n{lines}        \"\"\"\n")
}

/// A value, with the end of its last line open. What has parts has each on a line of its own, since Black keeps a comma at their end.
fn literal(value: &Value, indent: usize, kind: Kind) -> String {
    let inner = indent + 4;
    let parts = |parts: Vec<String>, open: char, close: char| {
        let lines: String = parts
            .iter()
            .map(|part| format!("{:inner$}{part},\n", ""))
            .collect();
        format!("{open}\n{lines}{:indent$}{close}", "")
    };
    match value {
        // The type of objects has no `None`.
        Value::Null if kind == Kind::Object && indent == 12 => "{}".to_owned(),
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => text::in_either_quotes(text),
        Value::Number(number) if kind == Kind::Float && indent == 12 => float(number),
        Value::Number(number) => number.to_string(),
        Value::Array(list) if list.is_empty() => "[]".to_owned(),
        Value::Array(list) => {
            let list = list.iter().map(|value| literal(value, inner, kind));
            parts(list.collect(), '[', ']')
        }
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                format!(
                    "{}: {}",
                    text::in_either_quotes(name),
                    literal(value, inner, kind)
                )
            });
            parts(fields.collect(), '{', '}')
        }
    }
}

/// A number that is no integer to any language.
pub(super) fn float(number: &serde_json::Number) -> String {
    let text = number.to_string();
    if text.contains(['.', 'e', 'E']) {
        text
    } else {
        format!("{text}.0")
    }
}
