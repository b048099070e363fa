//! JSON as YAML. Every text that could be read as anything else is quoted as JSON quotes it, which YAML reads too.

use serde_json::Value;

use super::escape;

/// A value as a document.
pub(super) fn document(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text.trim_start_matches('\n').to_owned() + "\n"
}

/// Writes what comes after `key:` or `-`.
fn block(value: &Value, depth: usize, to: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                to.push_str(&format!("\n{indent}{}:", text(name)));
                below(value, depth, to);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let mut own = String::new();
                block(item, depth + 1, &mut own);
                // The first field of an item is in the line of its dash.
                to.push_str(&format!("\n{indent}- {}", own.trim_start()));
            }
        }
        Value::String(plain) => to.push_str(&text(plain)),
        other => to.push_str(&other.to_string()),
    }
}

fn below(value: &Value, depth: usize, to: &mut String) {
    let nested = match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if nested {
        block(value, depth + 1, to);
    } else {
        to.push(' ');
        block(value, depth, to);
    }
}

fn text(text: &str) -> String {
    const OTHER: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "nan"];
    let lower = text.to_lowercase();
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        && !OTHER.contains(&lower.as_str())
        && !["y", "n"].contains(&lower.as_str());
    if is_plain {
        text.to_owned()
    } else {
        escape::json(&Value::from(text).to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_blocks_whose_texts_stay_texts() {
        let value = json!({
            "data": [{"key": "a", "tags": []}, {"key": "no", "tags": ["x y", "b"]}, [1, [2]]],
            "empty": {}, "n": 1.5, "none": null, "on": "1e3", "s": "a: b\n\u{9b}",
        });
        assert_eq!(
            document(&value),
            "data:\n  - key: a\n    tags: []\n  - key: \"no\"\n    tags:\n      - \"x y\"\n      - b\n  - - 1\n    - - 2\n\
             empty: {}\n\"n\": 1.5\nnone: null\n\"on\": \"1e3\"\ns: \"a: b\\n\\u009b\"\n"
        );
        assert_eq!(document(&json!("a")), "a\n");
        assert_eq!(document(&json!([])), "[]\n");
    }
}
