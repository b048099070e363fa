//! How many connections a listener has: of each client network, and in all. Each is an open file, of which a process may
//! have so many. Without a bound one client has them all, and links, disk and probes get none.
//!
//! Where there is no place for a new connection, the oldest one goes that has not sent a request head yet: of the same
//! network if that has all of its places, or else of all. If there is none, the new one is refused.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::Limits;
use crate::{
    address::{ClientAddress, TrustedProxies},
    open_files,
    telemetry::Metric,
};

/// What there was no place for.
pub(crate) const REFUSED: Metric = Metric::counter(
    "halyard_connections_refused_total",
    "Connections that there was no place for: new ones, or older ones without a request head.",
)
.by("bound", &["network", "all"]);

/// The places of one listener.
#[derive(Clone, Debug)]
pub struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// In all.
    most: usize,
    /// For each network; 0 for no bound.
    each: usize,
    proxies: TrustedProxies,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    networks: HashMap<IpAddr, Network>,
    /// Connections without a request head, by their numbers, which rise.
    headless: BTreeMap<u64, IpAddr>,
    next: u64,
}

#[derive(Debug, Default)]
struct Network {
    open: usize,
    headless: BTreeMap<u64, Arc<Notify>>,
}

/// The place of one connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Places,
    network: IpAddr,
    number: u64,
    is_wanted: Arc<Notify>,
}

impl Places {
    /// For clients: as many as the process may have open files, but for a reserve. Proxies that are trusted have no
    /// bound of their own, since they connect for many.
    #[must_use]
    pub fn of_clients(limits: &Limits, proxies: TrustedProxies) -> Self {
        let most = open_files::limit().map_or(usize::MAX, |limit| {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            // Files for everything else: links, the disk, the database, other services, probes. Half of all if these are few.
            limit - (limit / 2).min(1_000)
        });
        Self::new(most, limits.connections_per_network, proxies)
    }

    /// For operators.
    #[must_use]
    pub fn of_operators() -> Self {
        // These are of the reserve.
        Self::new(128, 0, TrustedProxies::default())
    }

    pub(super) fn new(most: usize, each: usize, proxies: TrustedProxies) -> Self {
        Self(Arc::new(Shared {
            most,
            each,
            proxies,
            open: Mutex::default(),
        }))
    }

    /// How full it is, from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn taken(&self) -> f64 {
        self.0.open.lock().all as f64 / self.0.most as f64
    }

    /// A place for a new connection, perhaps that of another one; `None` if all are taken for good.
    pub(super) fn take(&self, peer: IpAddr) -> Option<Place> {
        let Shared { most, each, .. } = *self.0;
        let peer = peer.to_canonical();
        let network = ClientAddress(peer).site();
        let is_bounded = each > 0 && !self.0.proxies.trusts(peer);
        let mut open = self.0.open.lock();
        let theirs = open.networks.get(&network).filter(|_| is_bounded);
        if let Some(theirs) = theirs.filter(|theirs| theirs.open >= each) {
            count("network");
            let oldest = *theirs.headless.keys().next()?;
            open.oust(oldest);
        } else if open.all >= most {
            count("all");
            let oldest = *open.headless.keys().next()?;
            open.oust(oldest);
        }
        let (number, is_wanted) = (open.next, Arc::new(Notify::new()));
        open.next += 1;
        open.all += 1;
        open.headless.insert(number, network);
        let theirs = open.networks.entry(network).or_default();
        theirs.open += 1;
        theirs.headless.insert(number, Arc::clone(&is_wanted));
        Some(Place {
            places: self.clone(),
            network,
            number,
            is_wanted,
        })
    }

    #[cfg(test)]
    pub(super) fn is_unused(&self) -> bool {
        let open = self.0.open.lock();
        open.all == 0 && open.networks.is_empty() && open.headless.is_empty()
    }
}

fn count(bound: &'static str) {
    metrics::counter!("halyard_connections_refused_total", "bound" => bound).increment(1);
}

impl Open {
    /// Has a connection without a head end. Its place counts until it has.
    fn oust(&mut self, number: u64) {
        if let Some(is_wanted) = self.has_head(number) {
            is_wanted.notify_one();
        }
    }

    /// A connection is not among those without a head any more.
    fn has_head(&mut self, number: u64) -> Option<Arc<Notify>> {
        let network = self.headless.remove(&number)?;
        self.networks.get_mut(&network)?.headless.remove(&number)
    }
}

impl Place {
    /// The connection has sent a request head: it keeps its place.
    pub(super) fn keep(&self) {
        self.places.0.open.lock().has_head(self.number);
    }

    /// Waits until a newer connection gets the place.
    pub(super) async fn is_wanted(&self) {
        self.is_wanted.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.places.0.open.lock();
        open.has_head(self.number);
        open.all -= 1;
        if let Some(theirs) = open.networks.get_mut(&self.network) {
            theirs.open -= 1;
            if theirs.open == 0 {
                open.networks.remove(&self.network);
            }
        }
    }
}
