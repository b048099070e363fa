//! An edge or a relay, as its process runs it, and the clients that ask it.

use std::{collections::BTreeMap, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::Request,
};
use edge_node::{
    Edge, EdgeSettings, Linked, Unlinked,
    config::{LinkSettings, Signatures, UpstreamSettings},
};
use protocol::wire::message::Subscribe;
use serde_json::Value;
use serving::{admin, clock::Clock, settings::Reader};
use tokio::{sync::oneshot, task::spawn_blocking};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::{
    authority::SERVER_NAME,
    database::{FLAGS, Values, api_key, flag_key},
    network::{Machine, Network, Place, SERVER_PORT},
};

/// Where an edge is, and where it connects.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
    pub(crate) is_relay: bool,
    pub(crate) upstreams: Vec<Place>,
}

/// What `/ready` says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Says {
    pub(crate) is_ready: bool,
    pub(crate) is_connected: bool,
    /// How old what it serves may be.
    pub(crate) age: Option<Duration>,
}

/// A process, from its start to its end.
pub(crate) struct Running {
    pub(crate) edge: Edge,
    pub(crate) clock: Clock,
    pub(crate) machine: Machine,
    router: Router,
    linked: Linked,
    stop: CancellationToken,
}

impl Running {
    /// Starts a process that has its identity and its copy in a folder. Time stands still until the copy is loaded, which a thread
    /// of its own does.
    pub(crate) async fn start(
        site: &Site,
        folder: &Path,
        network: &Network,
        boot: u16,
        clock: Clock,
    ) -> Self {
        let (loaded, waiting) = oneshot::channel::<()>();
        let standstill = spawn_blocking(move || waiting.blocking_recv());
        let machine = Machine::new(network, site.place, SERVER_PORT + 1 + boot * 256);
        let none = BTreeMap::<String, String>::new();
        let settings = EdgeSettings::load(&mut Reader::new(&none));
        let unlinked = Unlinked::new(settings, clock.clone());
        let edge = unlinked.edge.clone();
        let router = edge.router().merge(admin::probes(unlinked.check()));
        let upstreams = site.upstreams.iter();
        let from = LinkSettings {
            upstream: UpstreamSettings {
                addresses: upstreams
                    .map(|place| place.address(SERVER_PORT).to_string())
                    .collect(),
                identity: folder.join("identity"),
                server_name: SERVER_NAME.to_owned(),
                region: None,
                subscribe: Subscribe::All,
                memory_limit: None,
                signatures: Signatures::Optional,
            },
            cache: Some(folder.join("cache")),
            relay_addr: None,
        };
        let stop = CancellationToken::new();
        let socket = site.is_relay.then(Machine::server_socket);
        let runtime = Arc::new(machine.clone());
        let linked = unlinked.link(from, socket, runtime, &stop).await;
        loaded.send(()).unwrap();
        standstill.await.unwrap().unwrap();
        Self {
            edge,
            clock,
            machine,
            router,
            linked,
            stop,
        }
    }

    /// Stops as the process does when it is asked to.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.edge.shutdown();
        self.linked.end().await;
    }

    pub(crate) async fn says(&self) -> Says {
        let ready = Request::get("/ready").body(Body::empty()).unwrap();
        let (is_ready, body) = self.answer(ready).await;
        Says {
            is_ready,
            is_connected: body["connected"] == true,
            age: body["snapshot_age_ms"].as_u64().map(Duration::from_millis),
        }
    }

    /// All flags of an environment, as a client asks for them; nothing if there is no answer.
    pub(crate) async fn evaluate(&self, env: u8) -> Option<Values> {
        let keys: Vec<_> = (0..FLAGS).map(flag_key).collect();
        let body = serde_json::json!({"flag_keys": keys, "context": {"key": "user"}});
        let request = Request::post("/v1/evaluate/bulk")
            .header("x-api-key", api_key(env))
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .unwrap();
        let (is_answered, answers) = self.answer(request).await;
        is_answered.then(|| {
            let values = keys.iter().map(|key| answers[key]["value"].as_u64());
            values.map(|value| value.unwrap_or_default()).collect()
        })
    }

    async fn answer(&self, mut request: Request<Body>) -> (bool, Value) {
        let client = SocketAddr::from(([10, 0, 1, 1], 4_711));
        request.extensions_mut().insert(ConnectInfo(client));
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let is_good = answer.status().is_success();
        let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        (is_good, serde_json::from_slice(&body).unwrap_or_default())
    }
}
