//! How long to wait for what comes over a line: a slow one has as long as it takes, and a dead one does not.

use std::{pin::pin, time::Duration};

use quinn::Connection;
use tokio::time::{Instant, error::Elapsed, timeout};

/// A line on which hardly anything was sent and received in this time is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for as long as something moves on the line, in either direction.
///
/// # Errors
/// When nothing does.
pub async fn while_moving<T>(
    connection: &Connection,
    work: impl Future<Output = T>,
) -> Result<T, Elapsed> {
    let moved = || {
        let stats = connection.stats();
        stats.udp_tx.bytes + stats.udp_rx.bytes
    };
    let mut work = pin!(work);
    loop {
        let before = moved();
        match timeout(PATIENCE, &mut work).await {
            Ok(done) => return Ok(done),
            // Keeping the connection alive takes less.
            Err(late) if moved() - before < 4 << 10 => return Err(late),
            Err(_) => {}
        }
    }
}

/// Waits for what the peer says: ten seconds, and as long as the slowest line takes for what has come. One that is only
/// kept moving is given up.
pub(crate) async fn while_heard<T>(
    connection: &Connection,
    work: impl Future<Output = T>,
) -> Result<T, Elapsed> {
    let received = || connection.stats().udp_rx.bytes;
    let (start, before) = (Instant::now(), received());
    let mut work = pin!(work);
    let mut allowed = PATIENCE;
    loop {
        match timeout(allowed.saturating_sub(start.elapsed()), &mut work).await {
            Ok(done) => return Ok(done),
            Err(late) => {
                // The slowest line brings 64 kbit/s.
                let more = Duration::from_millis((received() - before) * 1_000 / (8 << 10));
                if start.elapsed() >= PATIENCE + more {
                    return Err(late);
                }
                allowed = PATIENCE + more;
            }
        }
    }
}
