//! Reports to systemd (`Type=notify`) when the process is ready, and when it stops. Without systemd this does nothing.
//!
//! On a socket that systemd has bound, clients wait until the process is ready, as they waited while none ran.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use crate::{
    admin::{Readiness, ReadyCheck},
    leaving::Leaving,
};

/// How often a process that is not ready yet is checked.
const PERIOD: Duration = Duration::from_millis(50);

/// How long clients wait at most; then the process says itself what it lacks.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reports readiness once, with the reason until then (`systemctl status`), and the signal to stop.
pub async fn report(check: ReadyCheck, leaving: Leaving) {
    let ready = until_ready(&check, |reason| notify(&[NotifyState::Status(reason)]));
    let begun = leaving.begun();
    if begun.run_until_cancelled(ready).await.is_some() {
        notify(&[NotifyState::Ready, NotifyState::Status("ready")]);
        begun.cancelled().await;
    }
    notify(&[NotifyState::Stopping, NotifyState::Status("stopping")]);
}

/// Serves clients, on a socket that was passed not before the process is ready.
pub async fn serve(is_passed: bool, check: ReadyCheck, clients: impl Future<Output = ()>) {
    if is_passed {
        let ready = timeout(PATIENCE, until_ready(&check, |_| {}));
        if ready.await.is_err() {
            debug!("serving clients though not ready");
        }
    }
    clients.await;
}

async fn until_ready(check: &ReadyCheck, told: impl Fn(&str)) {
    while let Readiness::NotReady(reason) = check.run().await {
        told(&reason);
        sleep(PERIOD).await;
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "cannot report to systemd");
    }
}
