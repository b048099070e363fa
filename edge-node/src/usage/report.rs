//! Hands batches to the link, one at a time and oldest first, until each is stored.
//!
//! One at a time, so that the control plane sees the numbers of a boot rise and has to remember only the last one.

use std::time::Duration;

use protocol::wire::usage::{Upload, UsageBatch};
use tokio::time::{Instant, sleep_until};

use super::BatchId;
use crate::{
    Edge,
    upstream::{Notice, Uplink},
};

/// How often it is told which defaults callers have.
const EACH: Duration = Duration::from_secs(1);

/// The batch in flight.
struct Sent {
    id: BatchId,
    at: Instant,
}

/// A flush requested by the control plane, and the batch that must be stored before it is answered.
struct Asked {
    request: u64,
    newest: Option<BatchId>,
}

/// Reports for as long as it is polled.
pub(crate) async fn report(edge: Edge, mut uplink: Uplink) {
    let usage = &edge.parts().usage;
    let mut sent: Option<Sent> = None;
    let mut asked: Option<Asked> = None;
    let mut defaults_at = Instant::now() + EACH;
    loop {
        if let Some(Asked { request, .. }) = asked.take_if(|asked| usage.has_stored(asked.newest)) {
            uplink.flushed(request).await;
        }
        let resend_at = sent
            .as_ref()
            // The control plane could not store a batch that it does not answer.
            .map_or_else(Instant::now, |sent| sent.at + Duration::from_secs(5));
        tokio::select! {
            notice = uplink.notice() => match notice {
                Notice::Connected => {
                    // What was in flight and who asked for it ended with the previous connection.
                    sent = None;
                    asked = None;
                }
                Notice::Stored { boot, sequence } => {
                    usage.stored(BatchId { boot, sequence });
                    sent.take_if(|sent| usage.has_stored(Some(sent.id)));
                }
                Notice::Flush { request } => {
                    edge.collect_usage();
                    asked = Some(Asked { request, newest: usage.newest() });
                }
            },
            // Without a link the newest batch stays open.
            batch = usage.next(), if sent.is_none() && edge.is_connected() => {
                sent = Some(Sent { id: BatchId::of(&batch), at: Instant::now() });
                uplink.uploader.upload(Upload::Served(UsageBatch::clone(&batch))).await;
            }
            () = sleep_until(resend_at), if sent.is_some() => sent = None,
            () = sleep_until(defaults_at) => {
                defaults_at = Instant::now() + EACH;
                // Without a link they wait.
                let defaults = if edge.is_connected() { edge.take_defaults() } else { Vec::new() };
                if !defaults.is_empty() {
                    uplink.uploader.upload(Upload::Defaults(defaults)).await;
                }
            }
        }
    }
}
