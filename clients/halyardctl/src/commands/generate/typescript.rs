//! TypeScript, for `@openfeature/server-sdk`, as Prettier leaves it.

use super::{
    model::{Flag, Kind},
    names::{self, Naming},
    text,
};

pub(super) const NAMING: Naming = Naming {
    of: names::camel,
    endings: &["", "Details"],
    // Members that objects have anyway; `then` would make the client a promise.
    reserved: &[
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "then",
        "toJson",
        "toLocaleString",
        "toString",
        "valueOf",
    ],
};

/// The widest line.
const WIDTH: usize = 80;

/// The file for some flags.
pub(super) fn render(header: &str, flags: &[(String, Flag)]) -> String {
    let uses_objects = flags.iter().any(|(_, flag)| flag.kind == Kind::Object);
    let json = if uses_objects { "  JsonValue,\n" } else { "" };
    let mut members = Vec::new();
    let mut bodies = Vec::new();
    for (name, flag) in flags {
        members.push(member(name, flag, Returned::Value));
        members.push(member(name, flag, Returned::Details));
        bodies.push(body(name, flag, Returned::Value));
        bodies.push(body(name, flag, Returned::Details));
    }
    let (members, bodies) = (members.join("\n"), bodies.join("\n"));
    format!(
        "\
// {header}
import {{ OpenFeature }} from \"@openfeature/server-sdk\";
import type {{
  EvaluationContext,
  EvaluationDetails,
  FlagEvaluationOptions,
{json}}} from \"@openfeature/server-sdk\";

/** A function for the value of each flag, and one for the details of its evaluation. */
export interface GeneratedClient {{
{members}}}

/** The flags of the default provider, or of that of a domain, with a context that all evaluations have. */
export function getGeneratedClient(
  domainOrContext?: string | EvaluationContext,
  contextOrUndefined?: EvaluationContext,
): GeneratedClient {{
  const client =
    typeof domainOrContext === \"string\"
      ? OpenFeature.getClient(domainOrContext, contextOrUndefined)
      : OpenFeature.getClient(domainOrContext ?? contextOrUndefined);

  return {{
{bodies}  }};
}}
"
    )
}

/// What a function returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Returned {
    Value,
    Details,
}

impl Returned {
    const fn ending(self) -> &'static str {
        match self {
            Self::Value => "",
            Self::Details => "Details",
        }
    }
}

const fn value_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "boolean",
        Kind::String => "string",
        Kind::Integer | Kind::Float => "number",
        Kind::Object => "JsonValue",
    }
}

fn member(name: &str, flag: &Flag, returned: Returned) -> String {
    let kind = value_type(flag.kind);
    let (what, promised) = match returned {
        Returned::Value => ("The value", kind.to_owned()),
        Returned::Details => ("The details", format!("EvaluationDetails<{kind}>")),
    };
    let mut lines = description(flag);
    if !lines.is_empty() {
        lines.push(String::new());
    }
    let key = text::inline(&flag.key).replace("*/", "*\\/");
    lines.push(format!("{what} of the flag `{key}`."));
    let comment: String = lines
        .iter()
        .map(|line| format!("   * {line}").trim_end().to_owned() + "\n")
        .collect();
    let name = NAMING.full(name, returned.ending());
    format!(
        "  /**\n{comment}   */\n  {name}(\n    context?: EvaluationContext,\n    options?: FlagEvaluationOptions,\n  ): Promise<{promised}>;\n"
    )
}

fn description(flag: &Flag) -> Vec<String> {
    let lines = text::lines(&flag.description).into_iter();
    lines.map(|line| line.replace("*/", "*\\/")).collect()
}

fn body(name: &str, flag: &Flag, returned: Returned) -> String {
    let method = match flag.kind {
        Kind::Boolean => "Boolean",
        Kind::String => "String",
        Kind::Integer | Kind::Float => "Number",
        Kind::Object => "Object",
    };
    let called = match returned {
        Returned::Value => "Value",
        Returned::Details => "Details",
    };
    let key = declared("const key", &text::in_either_quotes(&flag.key));
    let fallback = match flag.kind {
        Kind::Object => format!(
            "      // prettier-ignore\n      const fallback: JsonValue = {};\n",
            literal(&flag.default)
        ),
        Kind::Boolean | Kind::String | Kind::Integer | Kind::Float => {
            declared("const fallback", &literal(&flag.default))
        }
    };
    let name = NAMING.full(name, returned.ending());
    let head = format!("    {name}(context, options) {{\n");
    let head = if head.len() <= WIDTH + 1 {
        head
    } else {
        format!("    {name}(\n      context,\n      options,\n    ) {{\n")
    };
    format!(
        "{head}{key}{fallback}      return client.get{method}{called}(key, fallback, context, options);\n    }},\n"
    )
}

fn declared(what: &str, value: &str) -> String {
    let line = format!("      {what} = {value};");
    if line.chars().count() <= WIDTH || !value.starts_with(['"', '\'']) {
        line + "\n"
    } else {
        format!("      {what} =\n        {value};\n")
    }
}

fn literal(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::String(text) => text::in_either_quotes(text),
        Value::Array(list) => {
            let list: Vec<_> = list.iter().map(literal).collect();
            format!("[{}]", list.join(", "))
        }
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                // `"__proto__": …` would set the prototype.
                let name = text::in_either_quotes(name);
                format!("[{name}]: {}", literal(value))
            });
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        // As JavaScript writes it: without a fraction of zeros.
        Value::Number(number) => {
            let number = number.to_string();
            number.strip_suffix(".0").unwrap_or(&number).to_owned()
        }
        other => other.to_string(),
    }
}
