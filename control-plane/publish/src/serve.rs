//! Edges are served over the link with certificates of the authority.

use std::{
    net::{SocketAddr, UdpSocket},
    sync::Arc,
};

use fanout::{ServerIdentity, Serving};
use rustls::RootCertStore;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{Publisher, tls::AuthorityError};
use crate::config::PublishSettings;

/// Why edges cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    #[error(transparent)]
    Link(#[from] fanout::ServeError),
}

impl Publisher {
    /// Serves edges on a bound socket until `shutdown` is cancelled; then edges are asked to reconnect elsewhere. Returns the
    /// socket's address.
    ///
    /// # Errors
    /// When there is no authority, or the socket cannot be used.
    pub async fn serve_edges(
        &self,
        socket: UdpSocket,
        settings: &PublishSettings,
        shutdown: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Result<SocketAddr, ServeError> {
        let authority = self.authority().await?;
        // Before the first edge is greeted.
        self.0
            .signing
            .signer()
            .await
            .map_err(AuthorityError::from)?;
        self.0.signing.certify(&authority)?;
        let reset_secret = *authority.derive("stateless resets");
        let (name, clock) = (settings.quic_name.clone(), self.0.clock.clone());
        let identify = move || -> Result<ServerIdentity, _> {
            let (certificate, key) = authority.issue_server(&name, clock.now())?;
            let mut roots = RootCertStore::empty();
            roots.add(authority.certificate().clone())?;
            Ok(ServerIdentity {
                chain: vec![certificate],
                key,
                roots,
            })
        };
        let serving = Serving {
            socket,
            identify: Box::new(identify),
            // The renewed certificate is requested long before the previous one ends.
            renewed: Arc::default(),
            reset_secret,
        };
        Ok(fanout::serve(self, serving, shutdown, tasks)?)
    }
}
