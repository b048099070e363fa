//! `halyard edge history`: enrollments and revocations of edges.

use std::fmt::Write;

use serde_json::Value;

use base::operator::{date, model::OperatorEvent};

/// The events, one a line.
pub(super) fn table(events: &[OperatorEvent]) -> String {
    let mut text = String::new();
    let mut row = |[time, action, edge, user, from, details]: [&str; 6]| {
        let line = format!("{time:<20} {action:<14} {edge:<24} {user:<16} {from:<16} {details}");
        writeln!(text, "{}", line.trim_end()).expect("writing to a string cannot fail");
    };
    row(["TIME", "ACTION", "EDGE", "USER", "FROM", "DETAILS"]);
    for event in events {
        row([
            &date(event.at),
            &event.action,
            &event.subject,
            &event.database_user,
            event.address.as_deref().unwrap_or("-"),
            &details(&event.details),
        ]);
    }
    text
}

fn details(details: &Value) -> String {
    let members = details.as_object().into_iter().flatten();
    let shown = members.map(|(name, value)| match value {
        Value::String(text) => format!("{name}={text}"),
        Value::Null => format!("{name}=-"),
        other => format!("{name}={other}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn the_history_shows_a_row_for_each_event() {
        let enrolled = OperatorEvent {
            at: datetime!(2026-05-04 12:00 UTC),
            action: "edge.enrolled".to_owned(),
            subject: "fra-1".to_owned(),
            details: json!({"region": null, "is_relay": false}),
            database_user: "halyard".to_owned(),
            address: Some("10.0.0.7".to_owned()),
        };
        let revoked = OperatorEvent {
            action: "edge.revoked".to_owned(),
            details: json!({"certificates": 2}),
            address: None,
            ..enrolled.clone()
        };
        let expected = "\
TIME                 ACTION         EDGE                     USER             FROM             DETAILS
2026-05-04T12:00:00Z edge.enrolled  fra-1                    halyard          10.0.0.7         is_relay=false region=-
2026-05-04T12:00:00Z edge.revoked   fra-1                    halyard          -                certificates=2
";
        assert_eq!(table(&[enrolled, revoked]), expected);
    }
}
