//! A stream as bytes: server-sent events, and heartbeats in between.

use std::{convert::Infallible, fmt::Write, time::Duration};

use bytes::Bytes;
use futures_util::{Stream, stream::unfold};
use serde_json::json;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    Live, Opened,
    audience::Audience,
    listeners::Listening,
    position::Snapshot,
    queue::{Batch, Item, Taken},
};
use crate::config::LiveSettings;

const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");
const RESET: &str = "event: reset\ndata: {}\n\n";

struct Sending {
    listening: Listening,
    settings: LiveSettings,
    /// The snapshot whose changes were sent at opening.
    sees: Snapshot,
    greeting: Option<Bytes>,
    heartbeat_at: Instant,
    stop: CancellationToken,
    is_over: bool,
}

impl Live {
    /// The body of a stream, until its session ends.
    pub fn events(
        &self,
        opened: Opened,
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + use<> {
        let sending = Sending {
            greeting: Some(greeting(&opened, self.settings.retry)),
            heartbeat_at: Instant::now() + self.settings.heartbeat,
            settings: self.settings,
            sees: opened.sees,
            listening: opened.listening,
            stop: self.stop.clone(),
            is_over: false,
        };
        unfold(sending, Sending::next)
    }
}

/// `connected`, and missed changes.
fn greeting(opened: &Opened, retry: Duration) -> Bytes {
    let listener = opened.listening.listener();
    let data = json!({"org_id": listener.org_id, "position": &*opened.position});
    let mut text = format!("retry: {}\n\n", retry.as_millis());
    let missed = match &opened.missed {
        Some(batch) => {
            let mut missed = String::new();
            write_changes(&mut missed, batch, None, &listener.audience());
            missed
        }
        None => format!("id: {}\n{RESET}", opened.position),
    };
    // The position is valid once everything before it was sent.
    let id = if missed.is_empty() {
        format!("id: {}\n", opened.position)
    } else {
        String::new()
    };
    write(
        &mut text,
        format_args!("{id}event: connected\ndata: {data}\n\n{missed}"),
    );
    text.into()
}

/// Writes the new changes of a batch that the member may receive. The last one carries the position.
fn write_changes(text: &mut String, batch: &Batch, sees: Option<&Snapshot>, audience: &Audience) {
    let is_new = |transaction| sees.is_none_or(|sees| !sees.sees(transaction));
    let mut new = batch
        .changes
        .iter()
        .filter(|change| {
            is_new(change.transaction) && audience.may_receive_changes_of(&change.resource_type)
        })
        .peekable();
    while let Some(change) = new.next() {
        if new.peek().is_none() {
            write(text, format_args!("id: {}\n", batch.position));
        }
        write(
            text,
            format_args!("event: change\ndata: {}\n\n", change.json),
        );
    }
}

fn write(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what)
        .expect("writing to a string cannot fail");
}

impl Sending {
    /// The next bytes and the stream after them; `None` when it ends.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if let Some(greeting) = self.greeting.take() {
            return Some((Ok(greeting), self));
        }
        while !self.is_over {
            let taken = tokio::select! {
                taken = self.listening.listener().queue.take() => taken,
                () = sleep_until(self.heartbeat_at) => {
                    self.beat();
                    return Some((Ok(HEARTBEAT), self));
                }
                () = self.stop.cancelled() => {
                    self.is_over = true;
                    return Some((Ok(self.farewell()), self));
                }
            };
            self.is_over = taken.is_over;
            let text = self.render(&taken);
            if !text.is_empty() {
                self.beat();
                return Some((Ok(text.into()), self));
            }
        }
        None
    }

    fn render(&self, taken: &Taken) -> String {
        let mut text = String::new();
        if taken.is_reset {
            text.push_str(RESET);
        }
        let audience = self.listening.listener().audience();
        for item in &taken.items {
            match item {
                Item::Changes(batch) => {
                    write_changes(&mut text, batch, Some(&self.sees), &audience);
                }
                // Without an id: after reconnecting, it is sent again if still current.
                Item::News(news) => write(
                    &mut text,
                    format_args!("event: {}\ndata: {}\n\n", news.name(), news.json),
                ),
            }
        }
        text
    }

    /// The delay for reconnecting to a service that is stopping: random, to spread clients.
    fn farewell(&self) -> Bytes {
        let retry = self.settings.retry.mul_f64(1.0 + rand::random::<f64>());
        format!("retry: {}\n\n", retry.as_millis()).into()
    }

    fn beat(&mut self) {
        self.heartbeat_at = Instant::now() + self.settings.heartbeat;
    }
}
