//! The relay's end of the link.

use std::{net::UdpSocket, sync::Arc};

use fanout::{Identify, ServeError, Serving};
use quinn::Runtime;
use sha2::{Digest as _, Sha256};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::Relay;

impl Relay {
    /// Serves edges on a bound socket until `stop` is cancelled; then they are asked to go elsewhere.
    ///
    /// # Errors
    /// When the identity is not that of a relay, or the socket cannot be used.
    pub fn serve(
        &self,
        socket: UdpSocket,
        identify: Identify,
        runtime: Arc<dyn Runtime>,
        stop: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Result<(), ServeError> {
        let serving = Serving {
            socket,
            reset_secret: reset_secret(&identify),
            identify,
            renewed: Arc::clone(&self.0.renewed),
        };
        let watched = self.clone();
        let watching = async move { watched.0.sight.watch(&watched.0.hub).await };
        tasks.spawn(stop.clone().run_until_cancelled_owned(watching));
        fanout::serve_on(self, serving, runtime, stop, tasks).map(drop)
    }

    /// There is another identity: it is shown from now on.
    pub fn renewed(&self) {
        self.0.renewed.notify_one();
    }
}

/// The same after a restart with the same key, and known to no other process.
fn reset_secret(identify: &Identify) -> [u8; 32] {
    match identify() {
        Ok(identity) => Sha256::new()
            .chain_update(b"stateless resets")
            .chain_update(identity.key.secret_der())
            .finalize()
            .into(),
        // It cannot be served then.
        Err(_) => rand::random(),
    }
}
