//! Tables for people.

use comfy_table::{ContentArrangement, Table, presets::NOTHING};
use serde_json::Value;

use super::escape;

/// A column of a list.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its title.
    pub title: &'static str,
    /// Where an item has it, as a JSON pointer.
    at: &'static str,
}

impl Column {
    /// A column of what items have at a JSON pointer.
    #[must_use]
    pub const fn new(title: &'static str, at: &'static str) -> Self {
        Self { title, at }
    }

    /// What an item has there, as text.
    #[must_use]
    pub fn of(&self, item: &Value) -> String {
        item.pointer(self.at).map_or_else(|| "-".to_owned(), cell)
    }
}

/// A value as text in one line.
#[must_use]
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => seconds(text).unwrap_or_else(|| escape(text)),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(items) if items.is_empty() => "-".to_owned(),
        Value::Array(items)
            if items
                .iter()
                .all(|item| item.is_string() || item.is_number()) =>
        {
            items.iter().map(cell).collect::<Vec<_>>().join(", ")
        }
        other => escape(&other.to_string()),
    }
}

/// A time as the API writes it, without the fraction of its seconds.
fn seconds(text: &str) -> Option<String> {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    let (whole, rest) = text.split_at_checked(FORM.len())?;
    let is_like = |(form, byte): (&u8, u8)| match form {
        b'0' => byte.is_ascii_digit(),
        other => *other == byte,
    };
    let fraction = rest.strip_prefix('.')?.strip_suffix('Z')?;
    let is_time = FORM.iter().zip(whole.bytes()).all(is_like)
        && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_time.then(|| format!("{whole}Z"))
}

/// A table that fits `width` columns, if there is a width.
pub(super) fn table<'a>(
    titles: impl Iterator<Item = &'a str>,
    rows: impl Iterator<Item = Vec<String>>,
    width: Option<u16>,
    colours: bool,
) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    if let Some(width) = width {
        table.set_width(width);
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table.set_header(titles.map(escape));
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let text = table.trim_fmt();
    match text.split_once('\n') {
        Some((titles, rest)) if colours => format!("\u{1b}[1m{titles}\u{1b}[0m\n{rest}\n"),
        _ => format!("{text}\n"),
    }
}

/// The fields of one thing, a line each.
pub(super) fn fields(value: &Value) -> String {
    let Some(fields) = value.as_object() else {
        return format!("{}\n", cell(value));
    };
    let longest = fields.keys().map(|name| name.chars().count()).max();
    let longest = longest.unwrap_or_default();
    let lines = fields.iter().map(|(name, value)| {
        let name = escape(name);
        format!("{name:longest$}  {}\n", cell(value))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TITLES: [&str; 2] = ["KEY", "NAME"];

    fn rows() -> impl Iterator<Item = Vec<String>> {
        let rows = [["a", "the first of all flags"], ["long-key", "b"]];
        rows.into_iter().map(|row| row.map(str::to_owned).to_vec())
    }

    #[test]
    fn a_table_has_a_line_for_each_row_and_no_colours_where_nobody_sees_them() {
        let text = table(TITLES.into_iter(), rows(), None, false);
        assert_eq!(
            text,
            "KEY       NAME\na         the first of all flags\nlong-key  b\n"
        );
        let coloured = table(TITLES.into_iter(), rows(), None, true);
        assert!(coloured.starts_with("\u{1b}[1mKEY"), "{coloured}");
    }

    #[test]
    fn a_table_fits_the_terminal() {
        let text = table(TITLES.into_iter(), rows(), Some(24), false);
        assert!(
            text.lines().all(|line| line.chars().count() <= 24),
            "{text}"
        );
        assert!(text.lines().count() > 3, "{text}");
    }

    #[test]
    fn values_are_one_line_without_control_characters() {
        assert_eq!(cell(&json!(null)), "-");
        assert_eq!(cell(&json!(["a", "b"])), "a, b");
        assert_eq!(cell(&json!({"a": 1})), "{\"a\":1}");
        assert_eq!(
            cell(&json!("2026-11-26T22:43:54.4125Z")),
            "2026-11-26T22:43:54Z"
        );
        for other in [
            "2026-11-26T22:43:54Z",
            "2026-11-26T22:43:54.x1Z",
            "aaaa-11-26T22:43:54.1Z",
        ] {
            assert_eq!(cell(&json!(other)), other);
        }
        assert_eq!(cell(&json!("a\n\u{1b}[0m")), "a\\n\\u{1b}[0m");
        assert_eq!(
            fields(&json!({"a": true, "key": "x"})),
            "a    yes\nkey  x\n"
        );
    }
}
