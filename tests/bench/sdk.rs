//! A change on its way from an edge to who listens in the Rust SDK, over a connection on this machine.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::thread;
use std::time::{Duration, Instant};

use edge_node::{Edge, EdgeSettings, Listing, Outcome};
use halyard::{Client, State};
use protocol::digest;
use protocol::snapshot::Snapshot;
use protocol::wire::message::{Epoch, Push};
use serving::address::TrustedProxies;
use serving::clock::Clock;
use serving::layers;
use serving::leaving::Leaving;
use serving::listener::{self, Limits, Places};
use serving::settings::Reader;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{
    goals::Goal,
    probe::millis,
    report::{Figures, Report, percentile},
    snapshots::{KEY, environment, toggled},
};

pub const NAME: &str = "sdk";

const FLAGS: usize = 10_000;
const CHANGES: usize = 1_000;
/// Not to be counted.
const WARM_UP: usize = 50;
const PAUSE: Duration = Duration::from_millis(2);

/// To be run on all cores: the edge and the application are two threads.
pub fn run(report: &mut Report) {
    let times = thread::scope(|scope| {
        let measuring = scope.spawn(|| {
            let runtime = Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(measure())
        });
        measuring.join().expect("measuring does not panic")
    });
    report.judge(
        NAME,
        "a change at an edge with 10,000 flags to a listener of the Rust SDK, p99",
        "ms",
        Goal::at_most(10.0, 2.0),
        percentile(&times, 99),
        Figures::from([
            ("p50 ms", percentile(&times, 50)),
            ("longest ms", percentile(&times, 100)),
        ]),
    );
}

/// The time that each change takes, ms: from when the edge has it until the application is told, which has the new answers then.
async fn measure() -> Vec<f64> {
    let mut held = environment(FLAGS);
    let stop = CancellationToken::new();
    let (edge, url) = serve(&held, &stop).await;
    let client = Client::builder(KEY, url).start().await.expect("flags");
    let mut status = client.watch_status();
    let ready = status.wait_for(|status| status.state == State::Ready).await;
    drop(ready.expect("the client stays"));
    let mut changes = client.subscribe();
    let mut times = Vec::new();
    for number in 0..WARM_UP + CHANGES {
        let delta = toggled(&held, number % FLAGS);
        held.head = delta.head.clone();
        held.flags[number % FLAGS] = delta.flags[0].clone();
        let key = delta.flags[0].key.clone();
        let push = Push::Delta(delta);
        let began = Instant::now();
        let outcome = edge.apply(&push);
        let changed = changes.next().await.expect("the client stays");
        let time = millis(began.elapsed());
        assert!(matches!(outcome, Outcome::Applied { .. }), "{outcome:?}");
        assert_eq!(
            (changed.version, changed.flags),
            (held.head.version, vec![key])
        );
        if number >= WARM_UP {
            times.push(time);
        }
        sleep(PAUSE).await;
    }
    client.close().await;
    stop.cancel();
    times
}

/// An edge of this process that listens as `halyard-edge` does, and its address.
async fn serve(snapshot: &Snapshot, stop: &CancellationToken) -> (Edge, String) {
    let settings = BTreeMap::from([("RATE_EVALUATION".to_owned(), u32::MAX.to_string())]);
    let mut reader = Reader::new(&settings);
    let limits = Limits::load(&mut reader, Duration::from_secs(1));
    let settings = EdgeSettings::load(&mut reader);
    reader.finish().expect("settings");
    let edge = Edge::new(settings, Clock::system(), None);
    edge.expect(Epoch([1; 16]), &Listing::default());
    let outcome = edge.apply(&Push::Snapshot(snapshot.clone(), digest::of(snapshot)));
    assert!(matches!(outcome, Outcome::Applied { .. }), "{outcome:?}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(listener::serve(
        listener,
        edge.front(layers::common(edge.router())),
        limits,
        Places::of_clients(&limits, TrustedProxies::default()),
        Leaving::before(stop),
        stop.clone(),
    ));
    (edge, format!("http://{address}"))
}
