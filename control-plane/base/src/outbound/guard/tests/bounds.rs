//! Slow look-ups, and how many run.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use time::OffsetDateTime;
use tokio::time::{sleep, timeout};

use super::{super::resolver::LookupError, ACME, GLOBEX, PATIENCE, get, guard_of_loopback, parsed};
use crate::{
    ids::OrgId,
    limits::HOST_LOOK_UPS,
    outbound::guard::{Guard, Resolver, SendError},
};

const MAX_RUNNING: usize = HOST_LOOK_UPS.total;
const SHARE: usize = HOST_LOOK_UPS.per_key;
const SOON: Duration = Duration::from_millis(200);
const PRIVATE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

/// Look-ups of names that begin with `slow` block until released. All resolve to a private address.
#[derive(Clone, Default)]
struct Slow(Arc<Gate>);

#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Slow {
    fn resolver(&self) -> Resolver {
        let gate = Arc::clone(&self.0);
        Resolver::new(move |name| {
            let running = gate.running.fetch_add(1, Ordering::SeqCst) + 1;
            gate.most.fetch_max(running, Ordering::SeqCst);
            if name.starts_with("slow") {
                let closed = gate.is_open.lock().unwrap();
                drop(gate.opened.wait_while(closed, |is_open| !*is_open).unwrap());
            }
            gate.running.fetch_sub(1, Ordering::SeqCst);
            Ok(vec![PRIVATE])
        })
    }

    fn running(&self) -> usize {
        self.0.running.load(Ordering::SeqCst)
    }

    async fn until_running(&self, expected: usize) {
        let reached = async {
            while self.running() != expected {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, reached).await.expect("look-ups that run");
    }

    fn let_go(&self) {
        *self.0.is_open.lock().unwrap() = true;
        self.0.opened.notify_all();
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        assert_eq!(self.running.load(Ordering::SeqCst), 0, "all look-ups ended");
    }
}

fn organizations(count: usize) -> Vec<OrgId> {
    (0..count)
        .map(|_| OrgId::new(OffsetDateTime::UNIX_EPOCH))
        .collect()
}

async fn look_up(
    resolver: &Resolver,
    name: &str,
    org_id: OrgId,
    patience: Duration,
) -> Result<Vec<IpAddr>, LookupError> {
    let deadline = tokio::time::Instant::now() + patience;
    resolver.look_up(name, org_id, deadline).await
}

async fn is_admitted(guard: &Guard, name: &str, org_id: OrgId) -> bool {
    let url = parsed(guard, &format!("https://{name}/"));
    guard.admit("url", &url, org_id).await.is_ok()
}

#[tokio::test]
async fn slow_look_ups_of_an_organization_keep_no_other_from_its_own() {
    let slow = Slow::default();
    let resolver = slow.resolver();
    let hasty = Guard::new(Vec::new(), resolver.clone(), SOON);
    let patient = Guard::new(Vec::new(), resolver, PATIENCE);
    let admissions = (0..2 * SHARE).map(|_| is_admitted(&hasty, "slow.example.com", ACME));
    // Without an answer in time, all pass. Their look-ups continue.
    let admitted = join_all(admissions).await;
    assert_eq!(admitted, [true; 2 * SHARE]);
    slow.until_running(SHARE).await;

    assert!(!is_admitted(&patient, "quick.example.com", GLOBEX).await);
    assert!(is_admitted(&hasty, "quick.example.com", ACME).await);
    slow.let_go();
    slow.until_running(0).await;
    assert!(!is_admitted(&patient, "quick.example.com", ACME).await);
}

#[tokio::test]
async fn a_call_whose_name_is_slow_ends_with_the_time_out() {
    let slow = Slow::default();
    let guard = guard_of_loopback(slow.resolver(), SOON);
    let url = parsed(&guard, "https://slow.example.com/");
    let began = Instant::now();
    let calls = join_all((0..=SHARE).map(|_| guard.send(&url, ACME, get()))).await;
    assert!(began.elapsed() >= SOON && began.elapsed() < PATIENCE / 2);
    let is_timed_out = |sent: &&Result<_, _>| matches!(sent, Err(SendError::TimedOut));
    let is_busy = |sent: &&Result<_, _>| matches!(sent, Err(SendError::Busy));
    assert_eq!(calls.iter().filter(is_timed_out).count(), SHARE);
    assert_eq!(calls.iter().filter(is_busy).count(), 1);
    slow.let_go();
    slow.until_running(0).await;
}

#[tokio::test]
async fn look_ups_that_nobody_waits_for_any_more_count_until_they_end() {
    let slow = Slow::default();
    let resolver = slow.resolver();
    for before in 0..SHARE {
        let waiting = tokio::spawn({
            let resolver = resolver.clone();
            async move { look_up(&resolver, "slow.example.com", ACME, PATIENCE).await }
        });
        slow.until_running(before + 1).await;
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
    }
    let another = look_up(&resolver, "quick.example.com", ACME, SOON).await;
    assert!(matches!(another, Err(LookupError::Busy)), "{another:?}");
    slow.let_go();
    let another = look_up(&resolver, "quick.example.com", ACME, PATIENCE).await;
    assert_eq!(another.unwrap(), [PRIVATE]);
    slow.until_running(0).await;
}

#[tokio::test]
async fn all_organizations_together_have_a_bound_too() {
    let slow = Slow::default();
    let resolver = slow.resolver();
    let others = organizations(MAX_RUNNING / SHARE + 2);
    let look_ups = others
        .iter()
        .flat_map(|org_id| [*org_id; SHARE])
        .map(|org_id| look_up(&resolver, "slow.example.com", org_id, SOON));
    let answers = join_all(look_ups).await;
    let is_busy = |answer: &&Result<_, _>| matches!(answer, Err(LookupError::Busy));
    assert_eq!(answers.iter().filter(is_busy).count(), 2 * SHARE);
    slow.until_running(MAX_RUNNING).await;
    slow.let_go();
    let another = look_up(&resolver, "quick.example.com", ACME, PATIENCE).await;
    assert_eq!(another.unwrap(), [PRIVATE]);
    slow.until_running(0).await;
    assert_eq!(slow.0.most.load(Ordering::SeqCst), MAX_RUNNING);
}

#[tokio::test]
async fn a_look_up_that_panics_gives_its_permits_back() {
    let resolver = Resolver::new(|_| panic!("a fault of the system's library"));
    for _ in 0..=SHARE {
        let answer = look_up(&resolver, "hooks.example.com", ACME, PATIENCE).await;
        assert!(
            matches!(answer, Err(LookupError::NotFound(_))),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn organizations_without_look_ups_are_forgotten() {
    let resolver = Slow::default().resolver();
    for org_id in organizations(2000) {
        let answer = look_up(&resolver, "quick.example.com", org_id, PATIENCE).await;
        assert_eq!(answer.unwrap(), [PRIVATE]);
    }
    assert_eq!(resolver.remembered(), 0);
}
