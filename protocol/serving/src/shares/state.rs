//! Who has places, who waits, and whose turn is next.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};

use super::{Bounds, Key, Place, held::Held};

/// How far those who come new go ahead of those who take turns, in turns that begin and end, and tickets. Without such a bound,
/// new ones that never cease to come would hold up the others for ever.
const AHEAD: u64 = 256;

/// How many who rest are remembered at least, before it is looked who of them can be forgotten.
pub(super) const FORGOTTEN_AT_ONCE: usize = 64;

#[derive(Debug)]
pub(super) struct State<K: Key, G: Key> {
    pub(super) free: usize,
    /// Those who have places or wait for some, and those who had more than others who do.
    pub(super) shares: HashMap<K, Share<K, G>>,
    /// What those of a group hold together, or held lately.
    groups: HashMap<G, Held>,
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
pub(super) struct Share<K: Key, G: Key> {
    held: Held,
    /// When its last turn began or ended; for one that comes new, some time before.
    turn: u64,
    pub(super) waiting: VecDeque<Turn<K, G>>,
}

/// Somebody who waits.
#[derive(Debug)]
pub(super) struct Turn<K: Key, G: Key> {
    pub(super) ticket: u64,
    group: G,
    /// How it is told.
    sender: oneshot::Sender<Place<K, G>>,
}

/// Whose turn it is, as of when it has its place, and how it is told.
pub(super) type Next<K, G> = (K, G, Duration, oneshot::Sender<Place<K, G>>);

impl<K: Key, G: Key> State<K, G> {
    pub(super) fn new(places: usize) -> Self {
        Self {
            free: places,
            shares: HashMap::new(),
            groups: HashMap::new(),
            active: 0,
            waiting: 0,
            begin: Instant::now(),
            // So that the first who come keep their order.
            count: AHEAD,
            sweep_at: FORGOTTEN_AT_ONCE,
        }
    }

    /// The share of somebody who is, or becomes, active.
    fn share(&mut self, key: K) -> &mut Share<K, G> {
        let share = self.shares.entry(key).or_insert_with(|| Share {
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

    /// Whether somebody is within its share, and its group too.
    pub(super) fn may_take(&self, key: K, group: G, bounds: &Bounds) -> bool {
        let taken = |held: Option<&Held>| held.map_or(0, Held::taken);
        taken(self.shares.get(&key).map(|share| &share.held)) < bounds.each
            && taken(self.groups.get(&group)) < bounds.group
    }

    /// Gives a place, and tells since when.
    pub(super) fn give(&mut self, key: K, group: G) -> Duration {
        let turn = self.count();
        let now = self.begin.elapsed();
        self.free -= 1;
        let share = self.share(key);
        share.held.take(now);
        share.turn = turn;
        self.groups.entry(group).or_default().take(now);
        now
    }

    /// Takes a place back.
    pub(super) fn give_back(&mut self, key: K, group: G, since: Duration) {
        let turn = self.count();
        let now = self.begin.elapsed();
        self.free += 1;
        if let Some(share) = self.shares.get_mut(&key) {
            share.turn = turn;
            share.held.give_back(since, now);
        }
        if let Some(held) = self.groups.get_mut(&group) {
            held.give_back(since, now);
        }
    }

    pub(super) fn queue(
        &mut self,
        key: K,
        group: G,
        put: impl FnOnce(&mut VecDeque<Turn<K, G>>, Turn<K, G>),
    ) -> (u64, oneshot::Receiver<Place<K, G>>) {
        let ticket = self.count();
        self.waiting += 1;
        let (sender, receiver) = oneshot::channel();
        let share = self.share(key);
        if share.is_idle() {
            share.turn = ticket - AHEAD;
        }
        let turn = Turn {
            ticket,
            group,
            sender,
        };
        put(&mut share.waiting, turn);
        (ticket, receiver)
    }

    /// Gives what is free to whoever is next.
    pub(super) fn next(&mut self, bounds: &Bounds) -> Option<Next<K, G>> {
        if self.free == 0 || self.waiting == 0 {
            return None;
        }
        let now = self.begin.elapsed();
        let first = |(&key, share): (&K, &Share<K, G>)| {
            let may = |turn: &Turn<K, G>| self.may_take(key, turn.group, bounds);
            let place = share.waiting.iter().position(may)?;
            let group = self.groups.get(&share.waiting[place].group);
            let group = group.map_or(0, |held| held.rank(now));
            let own = share.held.rank(now);
            let rank = (own.max(group), own, share.held.taken(), share.turn);
            Some((rank, key, place))
        };
        let waiting = self.shares.iter().filter_map(first);
        let (_, key, place) = waiting.min_by_key(|(rank, ..)| *rank)?;
        let group = self.share(key).waiting[place].group;
        // First, so that it is active all the time.
        let since = self.give(key, group);
        let turn = self.share(key).waiting.remove(place)?;
        self.waiting -= 1;
        Some((key, group, since, turn.sender))
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
            self.groups.clear();
        } else if self.remembered() >= self.sweep_at {
            let now = self.begin.elapsed();
            self.shares
                .retain(|_, share| !share.is_idle() || !share.held.is_faded(now));
            self.groups.retain(|_, held| !held.is_faded(now));
            self.sweep_at = 2 * self.remembered() + FORGOTTEN_AT_ONCE;
        }
    }

    /// How many are in memory.
    pub(super) fn remembered(&self) -> usize {
        self.shares.len().max(self.groups.len())
    }
}

impl<K: Key, G: Key> Share<K, G> {
    pub(super) fn is_idle(&self) -> bool {
        self.held.taken() == 0 && self.waiting.is_empty()
    }
}
