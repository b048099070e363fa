//! Who has places, who waits, and whose turn is next.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};

use super::{Key, Place, held::Held};

/// How far those who come new go ahead of those who take turns, in turns that begin and end, and tickets. Without such a bound,
/// new ones that never cease to come would hold up the others for ever.
const AHEAD: u64 = 256;

/// How many who rest are remembered at least, before it is looked who of them can be forgotten.
pub(super) const FORGOTTEN_AT_ONCE: usize = 64;

#[derive(Debug)]
pub(super) struct State<K: Key> {
    pub(super) free: usize,
    /// Those who have places or wait for some, and those who had more than others who do.
    pub(super) shares: HashMap<K, Share<K>>,
    /// How many have places or wait for some.
    active: usize,
    pub(super) waiting: usize,
    begin: Instant,
    /// Counts turns and tickets.
    count: u64,
    /// How many are remembered when it is looked next who of them can be forgotten.
    sweep_at: usize,
}

#[derive(Debug)]
pub(super) struct Share<K: Key> {
    pub(super) taken: usize,
    held: Held,
    /// When its last turn began or ended; for one that comes new, some time before.
    turn: u64,
    pub(super) waiting: VecDeque<Turn<K>>,
}

/// The ticket of somebody who waits, and how it is told.
pub(super) type Turn<K> = (u64, oneshot::Sender<Place<K>>);

impl<K: Key> State<K> {
    pub(super) fn new(places: usize) -> Self {
        Self {
            free: places,
            shares: HashMap::new(),
            active: 0,
            waiting: 0,
            begin: Instant::now(),
            // So that the first who come keep their order.
            count: AHEAD,
            sweep_at: FORGOTTEN_AT_ONCE,
        }
    }

    /// The share of somebody who is, or becomes, active.
    fn share(&mut self, key: K) -> &mut Share<K> {
        let share = self.shares.entry(key).or_insert_with(|| Share {
            taken: 0,
            held: Held::default(),
            turn: 0,
            waiting: VecDeque::new(),
        });
        if share.is_idle() {
            self.active += 1;
        }
        share
    }

    fn count(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    /// Gives a place, and tells since when.
    pub(super) fn give(&mut self, key: K) -> Duration {
        let turn = self.count();
        let now = self.begin.elapsed();
        self.free -= 1;
        let share = self.share(key);
        share.taken += 1;
        share.held.take(now);
        share.turn = turn;
        now
    }

    /// Takes a place back.
    pub(super) fn give_back(&mut self, key: K, since: Duration) {
        let turn = self.count();
        let now = self.begin.elapsed();
        self.free += 1;
        let Some(share) = self.shares.get_mut(&key) else {
            return;
        };
        share.taken -= 1;
        share.turn = turn;
        share.held.give_back(since, now);
    }

    pub(super) fn queue(
        &mut self,
        key: K,
        put: impl FnOnce(&mut VecDeque<Turn<K>>, Turn<K>),
    ) -> (u64, oneshot::Receiver<Place<K>>) {
        let ticket = self.count();
        self.waiting += 1;
        let (sender, receiver) = oneshot::channel();
        let share = self.share(key);
        if share.is_idle() {
            share.turn = ticket - AHEAD;
        }
        put(&mut share.waiting, (ticket, sender));
        (ticket, receiver)
    }

    /// Gives what is free to whoever is next.
    pub(super) fn next(&mut self, each: usize) -> Option<(K, Duration, oneshot::Sender<Place<K>>)> {
        if self.free == 0 || self.waiting == 0 {
            return None;
        }
        let may = |share: &Share<K>| share.taken < each && !share.waiting.is_empty();
        let now = self.begin.elapsed();
        let (&key, _) = self
            .shares
            .iter()
            .filter(|(_, share)| may(share))
            .min_by_key(|(_, share)| {
                (share.held.rank(share.taken, now), share.taken, share.turn)
            })?;
        let since = self.give(key);
        let (_, sender) = self.share(key).waiting.pop_front()?;
        self.waiting -= 1;
        Some((key, since, sender))
    }

    /// To be called when somebody who was active may be no longer. Who had more than others is remembered until they have caught
    /// up, so that nobody begins anew with each request.
    pub(super) fn rest_if_idle(&mut self, key: K) {
        if !self.shares.get(&key).is_some_and(Share::is_idle) {
            return;
        }
        self.active -= 1;
        if self.active == 0 {
            self.shares.clear();
        } else if self.shares.len() >= self.sweep_at {
            let now = self.begin.elapsed();
            self.shares
                .retain(|_, share| !share.is_idle() || !share.held.is_faded(now));
            self.sweep_at = 2 * self.shares.len() + FORGOTTEN_AT_ONCE;
        }
    }
}

impl<K: Key> Share<K> {
    pub(super) fn is_idle(&self) -> bool {
        self.taken == 0 && self.waiting.is_empty()
    }
}
