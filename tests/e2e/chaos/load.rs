//! Clients: members who write at both control planes, SDKs that read, follow and report at every edge.

mod readers;
mod writers;

use std::sync::Arc;

use harness::{Caller, Response};
use reqwest::RequestBuilder;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::history::Outcome;
use super::recorder::Recorder;

pub use readers::counter;
pub use writers::{ONE, OTHER, SOLO, Writer};

/// The flag that says who is in the segment.
pub const SEGMENTED: &str = "segmented";
pub const SEGMENT: &str = "members";
/// An edge as its clients know it.
#[derive(Clone)]
pub struct Place {
    pub name: String,
    pub sdk: Caller,
    pub admin: Caller,
}

/// Clients of one world, until they are stopped.
pub struct Load {
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Load {
    pub fn start(recorder: &Arc<Recorder>, writer: &Writer, places: &[Place]) -> Self {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        writer.start(&mut tasks, &stop);
        for place in places {
            readers::start(&mut tasks, &stop, recorder, place, writer);
        }
        Self { stop, tasks }
    }

    /// Stops, once what is being asked is answered.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.expect("no client panics");
        }
    }
}

/// Sends a request; `good` reads an answer of 200 or 204, or of 304.
async fn ask<T>(
    caller: &Caller,
    request: RequestBuilder,
    good: impl FnOnce(&Response) -> T,
) -> Outcome<T> {
    match caller.try_send(request).await {
        Ok(answer) => match answer.status {
            200 | 204 | 304 => Outcome::Done(good(&answer)),
            status => Outcome::Refused(status),
        },
        Err(_) => Outcome::Unanswered,
    }
}

fn version_of(answer: &Response) -> Option<u64> {
    let version = answer.headers.get("x-snapshot-version")?;
    version.to_str().ok()?.parse().ok()
}
