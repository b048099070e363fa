//! Entries as CSV (RFC 4180), for spreadsheets and archives.

use serde_json::Value;
use time::format_description::well_known::Rfc3339;

use super::model::AuditEntry;
use base::ids::AuditEntryId;

/// Entries of a part.
pub const MOST: i64 = 1_000;
/// Bytes of a part: it ends with the entry that reaches them.
const MAX_BYTES: usize = 2 * 1024 * 1024;

const HEADER: &str = "id,created_at,actor_type,actor_id,actor_name,actor_email,action,resource_type,resource_id,resource_name,\
                      project_id,env_id,comment,ip_address,before_state,after_state,metadata\r\n";

/// A part of the log, being written.
#[derive(Debug)]
pub struct Part {
    pub text: String,
    /// The entry after which the next part begins.
    pub last: Option<AuditEntryId>,
}

impl Default for Part {
    fn default() -> Self {
        Self {
            text: HEADER.to_owned(),
            last: None,
        }
    }
}

impl Part {
    pub fn is_full(&self) -> bool {
        self.text.len() >= MAX_BYTES
    }

    pub fn push(&mut self, entry: &AuditEntry) {
        let metadata = |name: &str| text_of(entry.metadata.as_ref(), name).unwrap_or_default();
        let id = |id: Option<String>| id.unwrap_or_default();
        let json = |state: &Option<Value>| state.as_ref().map(Value::to_string).unwrap_or_default();
        let own = |text: &Option<String>| text.clone().unwrap_or_default();
        let env_id = match metadata("env_id") {
            none if none.is_empty() => metadata("target_env_id"),
            env_id => env_id,
        };
        let cells = [
            entry.id.to_string(),
            entry.created_at.format(&Rfc3339).unwrap_or_default(),
            entry.actor_type.clone(),
            id(entry.actor_id.map(|id| id.to_string())),
            own(&entry.actor_name),
            own(&entry.actor_email),
            entry.action.clone(),
            entry.resource_type.clone(),
            own(&entry.resource_id),
            own(&entry.resource_name),
            id(entry.project_id.map(|id| id.to_string())),
            env_id,
            metadata("comment"),
            own(&entry.ip_address),
            json(&entry.before_state),
            json(&entry.after_state),
            json(&entry.metadata),
        ];
        for (place, cell) in cells.iter().enumerate() {
            if place > 0 {
                self.text.push(',');
            }
            push_cell(&mut self.text, cell);
        }
        self.text.push_str("\r\n");
        self.last = Some(entry.id);
    }
}

fn text_of(of: Option<&Value>, name: &str) -> Option<String> {
    Some(of?.get(name)?.as_str()?.to_owned())
}

/// Quotes a cell where it must be. A spreadsheet takes one with certain beginnings for a formula: those get an apostrophe before.
fn push_cell(text: &mut String, cell: &str) {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let mark = if is_formula { "'" } else { "" };
    if is_formula || cell.contains([',', '"', '\r', '\n']) {
        text.push('"');
        text.push_str(mark);
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

#[cfg(test)]
mod tests {
    use super::push_cell;

    #[test]
    fn cells_are_quoted_and_hold_no_formulas() {
        for (cell, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=1+2", "\"'=1+2\""),
            ("+49", "\"'+49\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"'\t=1\""),
            ("a=1", "a=1"),
        ] {
            let mut text = String::new();
            push_cell(&mut text, cell);
            assert_eq!(text, expected);
        }
    }
}
