//! The edges below this one, if it is a relay. Everything else in this crate but the settings does without them.

mod identity;

use std::{convert::Infallible, future::pending, net::UdpSocket, path::PathBuf, sync::Arc};

use bytes::Bytes;
use fanout::{NotNow, Rehearsed, ServerIdentity};
use futures_util::{FutureExt, future::BoxFuture};
use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
    timestamp::Register,
    what_if::{Sampled, SignedQuestion},
    wire::{
        message::{ControlMessage, EdgeMessage, Held, Push, Welcome},
        usage::Upload,
    },
};
use quinn::Runtime;
use relay::{Host, Relay};
use serving::{clock::Clock, error::chain, telemetry::describe};
use tokio::{sync::mpsc, time::Duration};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Edge, Located,
    identity::Credentials,
    lookup::KeyLookup,
    upstream::{LinkLookup, Uploader},
};

pub(crate) use self::identity::{NotServer, server_identity};

/// The edges below; most edges have none. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Downstream(Option<Relay>);

impl Downstream {
    /// Serves other edges until `stop` is cancelled. Without a usable identity or socket, this is an edge like others.
    pub(crate) fn serve(
        socket: UdpSocket,
        folder: PathBuf,
        above: Above,
        clock: Clock,
        runtime: Arc<dyn Runtime>,
        stop: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Self {
        describe(relay::METRICS);
        let relay = Relay::new(Arc::new(above), clock);
        let identify = move || {
            let Credentials { pair, roots } = server_identity(&folder)?;
            Ok(ServerIdentity {
                chain: pair.chain,
                key: pair.key,
                roots,
            })
        };
        match relay.serve(socket, Box::new(identify), runtime, stop, tasks) {
            Ok(()) => Self(Some(relay)),
            Err(error) => {
                tracing::error!(error = chain(&error), "cannot serve other edges");
                Self(None)
            }
        }
    }

    /// The certificate of this edge is not accepted any more.
    pub(crate) fn refused(&self) {
        if let Some(relay) = &self.0 {
            relay.refused();
        }
    }

    /// This edge has another certificate.
    pub(crate) fn renewed(&self) {
        if let Some(relay) = &self.0 {
            relay.renewed();
        }
    }

    /// The certificates of those who sign what is applied from now on.
    pub(crate) fn signers(&self, certificates: Vec<Vec<u8>>) {
        if let Some(relay) = &self.0 {
            relay.signers(certificates);
        }
    }

    /// Which versions were current, as the control plane signed it.
    pub(crate) fn timestamp(&self, register: Arc<Register>) {
        if let Some(relay) = &self.0 {
            relay.timestamp(register);
        }
    }

    /// The rehearsals that go on.
    pub(crate) fn rehearsals(&self, running: Vec<Rehearsed>) {
        if let Some(relay) = &self.0 {
            relay.rehearsals(running);
        }
    }

    /// The environments whose requests are sampled.
    pub(crate) fn sampled(&self, all: Vec<Sampled>) {
        if let Some(relay) = &self.0 {
            relay.sampled(all);
        }
    }

    /// A question that whoever may ask has asked.
    pub(crate) fn asked(&self, signed: Arc<SignedQuestion>) {
        if let Some(relay) = &self.0 {
            relay.asked(signed);
        }
    }

    /// A greeting was applied.
    pub(crate) fn greeted(&self, welcome: &Welcome) {
        if let Some(relay) = &self.0 {
            relay.greeted(welcome.epoch, welcome.stream_secret);
        }
    }

    /// A push was applied, in the environment's turn. A signature may follow its frame.
    pub(crate) fn applied(&self, push: &Push, bytes: &Bytes) {
        if let Some(relay) = &self.0 {
            relay.applied(push, bytes.clone());
        }
    }

    /// Waits until the edges below serve a version too; `None` if there are none.
    pub(crate) fn reached(
        &self,
        env_id: EnvId,
        version: Version,
    ) -> Option<impl Future<Output = ()> + Send + 'static> {
        let relay = self.0.clone()?;
        Some(async move { relay.reached(env_id, version).await })
    }

    /// There is a connection, which sends these messages.
    pub(crate) fn connected(&self, outgoing: &mpsc::Sender<EdgeMessage>) -> Connected {
        let relay = self.0.as_ref();
        Connected(relay.map(|relay| relay.connected(outgoing.clone())))
    }
}

/// The part of the edges below in one connection.
pub(crate) struct Connected(Option<relay::Uplink>);

impl Connected {
    /// Takes a message, and returns it unless it concerns the edges below alone.
    pub(crate) fn take(&self, message: ControlMessage) -> Option<ControlMessage> {
        match (&self.0, message) {
            (Some(uplink), message) => uplink.take(message),
            // For an edge that could be a relay, and is none.
            (None, ControlMessage::Relay(_)) => None,
            (None, message) => Some(message),
        }
    }

    /// Uploads the usage of the edges below, then calls `then`.
    pub(crate) fn flush(&self, then: impl FnOnce() + Send + 'static) {
        match &self.0 {
            Some(uplink) => uplink.flush(then),
            None => then(),
        }
    }

    /// How often heartbeats are sent, every `period` at least.
    pub(crate) fn heartbeat(&self, period: Duration) -> Duration {
        // The edges below know the age of a relay as late as it does.
        self.0
            .as_ref()
            .map_or(period, |_| period.min(Duration::from_secs(1)))
    }

    /// Sends the messages about the edges below, for as long as the connection lasts.
    pub(crate) async fn run(&self) -> Infallible {
        match &self.0 {
            Some(uplink) => uplink.run().await,
            None => pending().await,
        }
    }
}

/// This edge, as its relay uses it.
pub(crate) struct Above {
    pub(crate) edge: Edge,
    pub(crate) lookup: LinkLookup,
    pub(crate) uploader: Uploader,
}

const fn pair(Located { env_id, version }: Located) -> relay::Located {
    (env_id, version)
}

impl Host for Above {
    fn holds(&self) -> Vec<Held> {
        self.edge.holds().1
    }

    fn now_ms(&self) -> i64 {
        self.edge.parts().clock.now_ms()
    }

    fn locate(&self, hash: &KeyHash) -> Option<relay::Located> {
        self.edge.locate(hash).map(pair)
    }

    fn look_up(&self, hash: KeyHash) -> BoxFuture<'static, Result<Option<relay::Located>, NotNow>> {
        let found = self.lookup.look_up(hash);
        async { found.await.map(|found| found.map(pair)).map_err(|_| NotNow) }.boxed()
    }

    fn upload(&self, upload: Upload) -> BoxFuture<'_, ()> {
        self.uploader.upload(upload).boxed()
    }
}
