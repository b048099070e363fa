//! Server-sent events: one response body for as long as the client stays connected.
//!
//! A stream keeps a position in its environment's changes and wakes when there is something new, when a heartbeat is
//! due, or when it may have to end. Events are rendered once for all streams; an idle stream costs its position and a
//! timer.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, header},
    response::Response,
};
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use protocol::{snapshot::KeyHash, timestamp::Proof};
use serving::{address::ClientAddress, error::ApiError, listener::LongLived};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::{
    Caller,
    caller::unauthorized,
    document::KeyInQuery,
    named::{EnvKey, Named},
};
use crate::{
    Edge,
    current::{Changes, SdkStream, Served, Slot, greeting, refetch},
    streams::OpenStream,
};

const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");

/// How a stream reports changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form<'a> {
    /// One event for every flag that changed.
    Native,
    /// One event for all: evaluations have to be fetched again. A client that has seen the configuration with the tag
    /// `last_seen` need not do so at once.
    Ofrep { last_seen: Option<&'a str> },
    /// The changes themselves.
    Sdk,
}

/// The same for as long as a stream is open.
enum Kind {
    Native,
    Ofrep,
    Sdk { _watching: SdkStream },
}

/// Tells which flags of the environment change, for as long as the client stays.
#[utoipa::path(
    get,
    path = "/v1/stream/{envKey}",
    operation_id = "streamFlags",
    tag = "evaluation",
    security(("api_key" = [])),
    params(("envKey" = String, Path), KeyInQuery),
    responses((
        status = 200,
        description = "events: `connected` at first, then one for each flag that changed, and comments as heartbeats",
        body = String,
        content_type = "text/event-stream",
    ))
)]
pub(super) async fn native(
    caller: Caller,
    Named(env_key): EnvKey,
    address: ClientAddress,
) -> Response {
    caller.answer(
        caller
            .check_environment(env_key.as_deref())
            .and_then(|()| open(&caller, address, Form::Native)),
    )
}

/// Opens a stream for a caller.
pub(super) fn open(
    caller: &Caller,
    address: ClientAddress,
    form: Form<'_>,
) -> Result<Response, ApiError> {
    let edge = Edge::clone(&caller.edge);
    let permit = edge.parts().streams.open(caller.hash, address.network())?;
    let Some(Ok(grant)) = edge.known(&caller.hash) else {
        return Err(unauthorized());
    };
    let slot = Arc::clone(&grant.slot);
    let kind = match form {
        Form::Native => Kind::Native,
        Form::Ofrep { .. } => Kind::Ofrep,
        Form::Sdk => Kind::Sdk {
            _watching: slot.watch_deltas(),
        },
    };
    let changes = slot.subscribe();
    let position = match form {
        Form::Sdk => changes.borrow().deltas.newest(),
        Form::Native | Form::Ofrep { .. } => changes.borrow().newest(),
    };
    // After the position: what changes in between is reported twice rather than never.
    let served = slot.load();
    let served = served.as_deref().unwrap_or(&caller.environment);
    let proof = || edge.parts().current.proof(served);
    let greeting = form.greeting(edge.parts().settings.sse_retry, served, proof);
    let stream = Stream {
        position,
        changes,
        greeting: Some(greeting),
        heartbeat_at: Instant::now() + edge.parts().settings.sse_heartbeat,
        hash: caller.hash,
        slot,
        edge,
        kind,
        is_over: false,
        _permit: permit,
    };
    Ok(events(Body::from_stream(stream::unfold(
        stream,
        Stream::next,
    ))))
}

impl Form<'_> {
    /// The first bytes of a stream.
    fn greeting(
        self,
        retry: Duration,
        served: &Served,
        proof: impl FnOnce() -> Option<Proof>,
    ) -> Bytes {
        let head = served.head();
        let retry = retry.as_millis();
        match self {
            Self::Native => format!(
                "retry: {retry}\n\nid: {}\nevent: connected\ndata: {{\"env_id\":\"{}\"}}\n\n",
                head.version, head.env_id
            )
            .into(),
            Self::Ofrep { last_seen } => {
                let tag = &*served.tag;
                if last_seen == Some(tag) {
                    format!("retry: {retry}\nid: {tag}\n\n").into()
                } else {
                    [format!("retry: {retry}\n\n").as_bytes(), &refetch(served)]
                        .concat()
                        .into()
                }
            }
            Self::Sdk => {
                let events = greeting(served, proof().as_ref());
                let events = [format!("retry: {retry}\n\n").into_bytes(), events];
                events.concat().into()
            }
        }
    }
}

fn events(body: Body) -> Response {
    let mut response = Response::new(body);
    response.extensions_mut().insert(LongLived);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    response
}

struct Stream {
    edge: Edge,
    slot: Arc<Slot>,
    hash: KeyHash,
    changes: watch::Receiver<Changes>,
    /// The newest change that was sent.
    position: u64,
    greeting: Option<Bytes>,
    heartbeat_at: Instant,
    kind: Kind,
    /// The farewell was sent.
    is_over: bool,
    _permit: OpenStream,
}

impl Stream {
    /// The next bytes and the stream after them; `None` when it ends.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if let Some(greeting) = self.greeting.take() {
            return Some((Ok(greeting), self));
        }
        while !self.is_over {
            let expires = self.expiry_check()?;
            if let Some(events) = self.events()? {
                self.beat();
                return Some((Ok(events), self));
            }
            if Instant::now() >= self.heartbeat_at {
                self.beat();
                return Some((Ok(HEARTBEAT), self));
            }
            let wake_at = expires.map_or(self.heartbeat_at, |check| check.min(self.heartbeat_at));
            tokio::select! {
                changed = self.changes.changed() => changed.ok()?,
                () = sleep_until(wake_at) => {}
                () = self.edge.parts().stop.cancelled() => {
                    self.is_over = true;
                    return Some((Ok(self.farewell()), self));
                }
            }
        }
        None
    }

    /// When to reconnect to an edge that is stopping: at a different time for each client, so that they do not all
    /// return at once.
    fn farewell(&self) -> Bytes {
        let retry = self.edge.parts().settings.sse_retry;
        let retry = retry.mul_f64(1.0 + rand::random::<f64>());
        format!("retry: {}\n\n", retry.as_millis()).into()
    }

    /// What was not sent yet, in one piece; the outer `None` when the environment is gone.
    fn events(&mut self) -> Option<Option<Bytes>> {
        let changes = self.changes.borrow_and_update();
        if changes.is_closed() {
            return None;
        }
        let (events, newest) = match self.kind {
            Kind::Native => {
                changes.sent_after(self.position);
                (join(changes.after(self.position)), changes.newest())
            }
            Kind::Ofrep => {
                changes.sent_after(self.position);
                let is_behind = changes.is_behind(self.position);
                (is_behind.then(|| changes.refetch()), changes.newest())
            }
            Kind::Sdk { .. } => {
                let deltas = &changes.deltas;
                (join(deltas.after(self.position)), deltas.newest())
            }
        };
        self.position = newest;
        Some(events)
    }

    /// When to check the key again, if it can expire; the outer `None` when it is no longer valid.
    fn expiry_check(&self) -> Option<Option<Instant>> {
        let grant = self.edge.known(&self.hash)?.ok()?;
        if self.edge.parts().rehearsals.has(&self.hash) {
            return None;
        }
        // The key belongs to another environment by now, or to this one's successor.
        if !Arc::ptr_eq(&grant.slot, &self.slot) {
            return None;
        }
        // Clocks can be adjusted. Streams of expired keys end within five seconds.
        Some(
            grant
                .expires_at_ms()
                .map(|_| Instant::now() + Duration::from_secs(3)),
        )
    }

    fn beat(&mut self) {
        self.heartbeat_at = Instant::now() + self.edge.parts().settings.sse_heartbeat;
    }
}

/// Joins the pieces; nearly always there is only one.
fn join(mut pieces: impl Iterator<Item = Bytes>) -> Option<Bytes> {
    let first = pieces.next()?;
    let Some(second) = pieces.next() else {
        return Some(first);
    };
    let mut joined = BytesMut::from(first);
    joined.extend_from_slice(&second);
    pieces.for_each(|piece| joined.extend_from_slice(&piece));
    Some(joined.freeze())
}
