//! The relay's end of the link.

use std::{
    net::{SocketAddr, UdpSocket},
    path::PathBuf,
    sync::Arc,
};

use fanout::{ServeError, ServerIdentity, Serving};
use sha2::{Digest as _, Sha256};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::Relay;
use crate::identity::{Credentials, IdentityError, server_identity};

impl Relay {
    /// Serves edges on a bound socket until `stop` is cancelled; then they are asked to go elsewhere.
    ///
    /// # Errors
    /// When the identity is not that of a relay, or the socket cannot be used.
    pub(crate) fn serve(
        &self,
        socket: UdpSocket,
        identity: PathBuf,
        stop: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Result<SocketAddr, ServeError> {
        let serving = Serving {
            socket,
            reset_secret: reset_secret(&identity),
            identify: Box::new(move || Ok(identify(&identity)?)),
            renewed: Arc::clone(&self.0.renewed),
        };
        let watched = self.clone();
        let watching = async move { watched.0.sight.watch(&watched.0.hub).await };
        tasks.spawn(stop.clone().run_until_cancelled_owned(watching));
        fanout::serve(self, serving, stop, tasks)
    }

    /// The identity in the folder is another one: it is shown from now on.
    pub(crate) fn renewed(&self) {
        self.0.renewed.notify_one();
    }
}

fn identify(folder: &std::path::Path) -> Result<ServerIdentity, IdentityError> {
    let Credentials { pair, roots } = server_identity(folder)?;
    Ok(ServerIdentity {
        chain: pair.chain,
        key: pair.key,
        roots,
    })
}

/// The same after a restart, as long as the identity is; nobody else can know it.
fn reset_secret(folder: &std::path::Path) -> [u8; 32] {
    match server_identity(folder) {
        Ok(Credentials { pair, .. }) => Sha256::new()
            .chain_update(b"stateless resets")
            .chain_update(pair.key.secret_der())
            .finalize()
            .into(),
        // It cannot be served then.
        Err(_) => rand::random(),
    }
}
