//! Rust, for the crate `open-feature`, as `rustfmt` leaves it.

use serde_json::Value;

use super::{
    model::{Flag, Kind},
    names::{self, Naming},
    python::float,
    text,
};

pub(super) const NAMING: Naming = Naming {
    of: names::snake,
    endings: &["", "_details"],
    // Keywords, and what the client has itself.
    reserved: &[
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
        "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
        "in", "let", "loop", "macro", "match", "mod", "move", "mut", "new", "override", "priv",
        "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true", "try",
        "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    ],
};

/// The widest line.
const WIDTH: usize = 100;

/// The widest arguments of a call in one line.
const CALL_WIDTH: usize = 60;

/// Whether the SDK for Rust can hold the default of a flag: an object without `null`.
pub(super) fn holds(flag: &Flag) -> bool {
    fn has_null(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(list) => list.iter().any(has_null),
            Value::Object(fields) => fields.values().any(has_null),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }
    flag.kind != Kind::Object || (flag.default.is_object() && !has_null(&flag.default))
}

/// The file for some flags.
pub(super) fn render(header: &str, flags: &[(String, Flag)]) -> String {
    let uses_objects = flags.iter().any(|(_, flag)| flag.kind == Kind::Object);
    let uses_lists = flags.iter().any(|(_, flag)| has_list(&flag.default));
    let mut used = vec!["Client"];
    if !flags.is_empty() {
        used.extend(["EvaluationContext", "EvaluationDetails", "EvaluationResult"]);
    }
    if uses_objects {
        used.push("StructValue");
    }
    if uses_lists {
        used.push("Value");
    }
    let used = match &used[..] {
        [one] => (*one).to_owned(),
        several => {
            let listed = several.join(", ");
            // `use open_feature::{…};`
            if listed.len() + 21 <= WIDTH {
                format!("{{{listed}}}")
            } else {
                format!("{{\n    {listed},\n}}")
            }
        }
    };
    let methods: String = flags
        .iter()
        .map(|(name, flag)| value(name, flag) + &details(name, flag))
        .collect();
    format!(
        "\
// {header}

use open_feature::{used};

/// A method for the value of each flag, and one for the details of its evaluation.
pub struct GeneratedClient {{
    client: Client,
}}

impl GeneratedClient {{
    /// The flags of the provider of a client.
    pub fn new(client: Client) -> Self {{
        Self {{ client }}
    }}
{methods}}}
"
    )
}

fn has_list(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(fields) => fields.values().any(has_list),
        _ => false,
    }
}

const fn value_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "bool",
        Kind::String => "String",
        Kind::Integer => "i64",
        Kind::Float => "f64",
        Kind::Object => "StructValue",
    }
}

const fn asked(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "bool",
        Kind::String => "string",
        Kind::Integer => "int",
        Kind::Float => "float",
        Kind::Object => "struct",
    }
}

fn value(name: &str, flag: &Flag) -> String {
    let returned = value_type(flag.kind);
    let asked = asked(flag.kind);
    let comment = comment(flag, "The value", "its default if it cannot be evaluated");
    let head = head(&NAMING.full(name, ""), returned);
    let key = declared("let key", &text::rust(&flag.key));
    let (default, chosen) = match flag.kind {
        Kind::String => ("default", "unwrap_or_else(|_| default.to_owned())"),
        Kind::Object => ("mut default", "unwrap_or(default)"),
        Kind::Boolean | Kind::Integer | Kind::Float => ("default", "unwrap_or(default)"),
    };
    let default = match (&flag.default, flag.kind) {
        (Value::Object(fields), _) if fields.is_empty() => {
            "        let default = StructValue::default();\n".to_owned()
        }
        (Value::Object(_), _) => {
            let mut made = Statements::default();
            made.object(default, &flag.default);
            made.text
        }
        (Value::Number(number), Kind::Float) => declared("let default", &float(number)),
        (Value::String(string), _) => declared("let default", &text::rust(string)),
        (other, _) => declared("let default", &other.to_string()),
    };
    let allowed = if has_list(&flag.default) {
        "    #[allow(clippy::vec_init_then_push, reason = \"each part has a line\")]\n"
    } else {
        ""
    };
    format!(
        "\n{comment}{allowed}{head}{key}{default}        let result = self.client.get_{asked}_value(key, context, None).await;\n        result.{chosen}\n    }}\n"
    )
}

fn details(name: &str, flag: &Flag) -> String {
    let kind = value_type(flag.kind);
    let returned = format!("EvaluationResult<EvaluationDetails<{kind}>>");
    let asked = asked(flag.kind);
    let comment = comment(flag, "The details", "or why it cannot be evaluated");
    let head = head(&NAMING.full(name, "_details"), &returned);
    let key = declared("let key", &text::rust(&flag.key));
    let call = format!("        self.client.get_{asked}_details(key, context, None).await\n");
    format!("\n{comment}{head}{key}{call}    }}\n")
}

fn comment(flag: &Flag, what: &str, else_what: &str) -> String {
    let mut lines = text::lines(&flag.description);
    if !lines.is_empty() {
        lines.push(String::new());
    }
    let key = text::inline(&flag.key);
    lines.push(format!("{what} of the flag `{key}`, {else_what}."));
    let lines = lines.iter();
    lines
        .map(|line| format!("    /// {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// The first line of a method, or the first lines if it is too long for one.
fn head(name: &str, returned: &str) -> String {
    let context = "context: Option<&EvaluationContext>";
    let line = format!("    pub async fn {name}(&self, {context}) -> {returned} {{");
    if line.chars().count() <= WIDTH {
        line + "\n"
    } else {
        format!(
            "    pub async fn {name}(\n        &self,\n        {context},\n    ) -> {returned} {{\n"
        )
    }
}

/// `let … = …;`, with a text that is too long for the line on the next one if it fits there.
fn declared(what: &str, value: &str) -> String {
    let line = format!("        {what} = {value};");
    let below = format!("            {value};");
    if line.chars().count() > WIDTH && below.chars().count() <= WIDTH {
        format!("        {what} =\n{below}\n")
    } else {
        line + "\n"
    }
}

/// Statements that make an object. Each part has a name of its own, so that no line depends on how deep it stands.
#[derive(Default)]
struct Statements {
    text: String,
    parts: usize,
}

impl Statements {
    fn object(&mut self, name: &str, value: &Value) {
        let plain = name.trim_start_matches("mut ");
        self.line(&format!("let {name} = StructValue::default();"));
        for (field, value) in value.as_object().into_iter().flatten() {
            let value = self.part(value);
            let mut field = text::rust(field);
            if field.chars().count() + 2 + value.chars().count() > CALL_WIDTH {
                let named = self.name();
                self.text
                    .push_str(&declared(&format!("let {named}"), &field));
                field = named;
            }
            self.line(&format!("{plain}.add_field({field}, {value});"));
        }
    }

    /// The name of a part that was made.
    fn part(&mut self, value: &Value) -> String {
        let name = self.name();
        match value {
            Value::Object(_) => {
                let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
                let mutable = if is_empty { "" } else { "mut " };
                self.object(&format!("{mutable}{name}"), value);
            }
            Value::Array(list) if list.is_empty() => {
                self.line(&format!("let {name} = Vec::<Value>::new();"));
            }
            Value::Array(list) => {
                self.line(&format!("let mut {name} = Vec::<Value>::new();"));
                for value in list {
                    let part = self.part(value);
                    self.line(&format!("{name}.push({part}.into());"));
                }
            }
            Value::String(string) => {
                let made = declared(&format!("let {name}"), &text::rust(string));
                self.text.push_str(&made);
            }
            Value::Number(number) => {
                let typed = match number.as_i64() {
                    Some(number) => format!("{number}_i64"),
                    None => float(number),
                };
                self.line(&format!("let {name} = {typed};"));
            }
            Value::Bool(_) | Value::Null => self.line(&format!("let {name} = {value};")),
        }
        name
    }

    fn name(&mut self) -> String {
        self.parts += 1;
        format!("part_{}", self.parts)
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&format!("        {line}\n"));
    }
}
