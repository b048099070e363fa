//! Follows what happens, and connects again when the connection breaks.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::session::Session;
use crate::{
    api::{Error, Event, Request, operations},
    arguments::Stream,
    output::{self, Format, cell, escape},
};

/// The first pause before another attempt; each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(super) async fn follow(session: &Session, wanted: &Stream) -> Result<(), Error> {
    let request = Request::new(&operations::STREAM_EVENTS, &[]);
    let mut events = session.client.stream(&request, None).await?;
    let mut position: Option<String> = None;
    let mut told = 0;
    let mut pause = FIRST_PAUSE;
    loop {
        match events.next().await {
            Ok(Some(event)) => {
                pause = FIRST_PAUSE;
                write(session, &event)?;
                position = event.id.or(position);
                told += 1;
                if wanted.count.is_some_and(|count| told >= count) {
                    return Ok(());
                }
                continue;
            }
            Ok(None) => output::message("the stream ended; connecting again"),
            Err(why) => output::message(&escape(&format!("{why}; connecting again"))),
        }
        events = loop {
            sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            match session.client.stream(&request, position.as_deref()).await {
                Ok(events) => break events,
                Err(why) if is_final(&why) => return Err(why),
                Err(why) => output::message(&escape(&why.to_string())),
            }
        };
    }
}

/// Whether another attempt would end the same.
fn is_final(error: &Error) -> bool {
    match error {
        Error::Refused(refusal) => refusal.status.as_u16() != 429,
        Error::Broken(_) | Error::Unreachable { .. } | Error::Failed(_) => false,
        Error::Usage(_) => true,
    }
}

fn write(session: &Session, event: &Event) -> Result<(), Error> {
    let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
    match session.printer.format() {
        Format::Table => output::write(&format!("{}\n", in_words(&event.name, &data))),
        Format::Json => {
            let line = json!({"event": event.name, "id": event.id, "data": data});
            output::write(&format!("{line}\n"))
        }
        Format::Yaml => {
            output::write("---\n")?;
            session
                .printer
                .value(&json!({"event": event.name, "id": event.id, "data": data}))
        }
    }
}

fn in_words(name: &str, data: &Value) -> String {
    let field = |name: &str| cell(&data[name]);
    match name {
        "connected" => "connected".to_owned(),
        "change" => {
            let about = format!(
                "{}  {}  {}",
                field("at"),
                field("action"),
                field("resource_id")
            );
            match data["version"].as_i64() {
                Some(version) => format!("{about}  version {version}"),
                None => about,
            }
        }
        "wave" => {
            let edges = data["acknowledged"].as_array().into_iter().flatten();
            let edges: Vec<_> = edges
                .map(|edge| format!("{} {} ms", cell(&edge["edge"]), cell(&edge["after_ms"])))
                .collect();
            let (at, version) = (field("committed_at"), field("version"));
            let lagging = field("lagging");
            format!(
                "{at}  wave of version {version}  at {}  lagging {lagging}",
                edges.join(", ")
            )
        }
        name => format!("{}  {}", escape(name), escape(&data.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_in_a_line() {
        let change = json!({"at": "T", "action": "flag.killed", "resource_id": "f", "version": 3});
        assert_eq!(in_words("change", &change), "T  flag.killed  f  version 3");
        let wave = json!({
            "committed_at": "T", "version": 3, "lagging": [],
            "acknowledged": [{"edge": "fra-1", "after_ms": 4}, {"edge": "b\u{1b}", "after_ms": 6}],
        });
        assert_eq!(
            in_words("wave", &wave),
            "T  wave of version 3  at fra-1 4 ms, b\\u{1b} 6 ms  lagging -"
        );
        assert_eq!(
            in_words("connected", &json!({"position": "p"})),
            "connected"
        );
        assert_eq!(in_words("reset", &json!({})), "reset  {}");
    }
}
