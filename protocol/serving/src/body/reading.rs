//! Reads the bytes of bodies: how many, how slow.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    body::HttpBody,
    http::{HeaderMap, header, request::Parts},
};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, future::poll_immediate};
use tokio::{task::yield_now, time::timeout};

use super::MAX_BODY;
use crate::error::ApiError;

/// How many bytes of bodies were read for a request: for whoever puts one into its extensions.
#[derive(Clone, Debug, Default)]
pub struct BytesRead(Arc<AtomicUsize>);

impl BytesRead {
    /// The bytes so far.
    #[must_use]
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The bytes of a body of at most `limit`; 413 for more, 408 for those that do not arrive in time.
pub(super) async fn read_in_time(
    head: &Parts,
    body: axum::body::Body,
    limit: usize,
) -> Result<Bytes, ApiError> {
    let mut reading = pin!(read(&head.headers, body, limit));
    // Most bodies come with their heads, and need no timer.
    let bytes = match poll_immediate(reading.as_mut()).await {
        Some(read) => read?,
        // A client that takes longer to send a body ties up the connection.
        None => timeout(Duration::from_secs(30), reading)
            .await
            .map_err(|_| ApiError::timeout("request body took too long"))??,
    };
    if let Some(BytesRead(read)) = head.extensions.get() {
        read.fetch_add(bytes.len(), Ordering::Relaxed);
    }
    Ok(bytes)
}

async fn read(
    headers: &HeaderMap,
    body: axum::body::Body,
    limit: usize,
) -> Result<Bytes, ApiError> {
    let too_large = || ApiError::too_large("request body is too large");
    // This client waits for permission to send, so there is nothing to discard.
    if headers.contains_key(header::EXPECT) && declared_length(headers) > Some(limit) {
        return Err(too_large());
    }

    let mut stream = body.into_data_stream();
    let mut read = Pieces::default();
    let (mut arrived, mut discarded) = (0, 0);
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| ApiError::bad_request("request body could not be read"))?;
        arrived += chunk.len();
        // After so many bytes of a body others have their turn: sixty bodies of a megabyte that arrive together would have them
        // wait for a third of a second.
        if arrived >= 64 * 1024 {
            arrived = 0;
            yield_now().await;
        }
        if discarded == 0 && read.len() + chunk.len() <= limit {
            read.push(chunk);
            if stream.is_end_stream() {
                break;
            }
        } else {
            discarded += chunk.len();
            // How much of an oversized body is read and discarded, so that a client that writes first and reads later still sees
            // the answer instead of a connection reset.
            if discarded > 16 * MAX_BODY {
                break;
            }
        }
    }
    if discarded > 0 {
        return Err(too_large());
    }
    Ok(read.join())
}

/// What was read so far. Most bodies arrive in one piece, which is not copied.
#[derive(Default)]
struct Pieces {
    first: Bytes,
    /// All of them, if there are several.
    all: BytesMut,
}

impl Pieces {
    fn len(&self) -> usize {
        self.first.len().max(self.all.len())
    }

    fn push(&mut self, piece: Bytes) {
        if self.first.is_empty() {
            self.first = piece;
            return;
        }
        if self.all.is_empty() {
            self.all.extend_from_slice(&self.first);
        }
        self.all.extend_from_slice(&piece);
    }

    fn join(self) -> Bytes {
        if self.all.is_empty() {
            self.first
        } else {
            self.all.freeze()
        }
    }
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}
