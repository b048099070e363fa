//! Something that there is a bounded number of, with a share for each of those who use it: nobody waits for others with
//! more than its share, and those who wait take turns.
//!
//! Whose turn is next: of those within their share, whoever has the fewest places; of several, the one whose last turn is longest
//! ago. Whoever comes new counts as if its last turn were long ago. So one that asks for much waits for itself, many that do hold
//! up one that comes new for hardly more than the turn that has begun, and the length of somebody's queue holds up nobody
//! else.

#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, VecDeque},
    fmt::Debug,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::oneshot, time::timeout};

/// How far those who come new go ahead of those who take turns, in turns that begin and end, and tickets. Without such a bound,
/// new ones that never cease to come would hold up the others for ever.
const AHEAD: u64 = 256;

/// Places that many share, each known by its key. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shares<K: Key>(Arc<Inner<K>>);

/// Who shares.
pub trait Key: Copy + Debug + Eq + Hash + Send + 'static {}

impl<K: Copy + Debug + Eq + Hash + Send + 'static> Key for K {}

/// How many may wait for a place, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// With the same key.
    pub each: usize,
    /// Of all.
    pub all: usize,
    /// How long.
    pub patience: Duration,
}

impl Queue {
    const UNBOUNDED: Self = Self {
        each: usize::MAX,
        all: usize::MAX,
        patience: Duration::MAX,
    };
}

#[derive(Debug)]
struct Inner<K: Key> {
    each: usize,
    queue: Queue,
    state: Mutex<State<K>>,
}

#[derive(Debug)]
struct State<K: Key> {
    free: usize,
    /// Those who have places or wait for some.
    shares: HashMap<K, Share<K>>,
    waiting: usize,
    /// Counts turns and tickets.
    count: u64,
}

#[derive(Debug)]
struct Share<K: Key> {
    taken: usize,
    /// When its last turn began or ended; for one that comes new, some time before.
    turn: u64,
    waiting: VecDeque<Turn<K>>,
}

/// The ticket of somebody who waits, and how it is told.
type Turn<K> = (u64, oneshot::Sender<Place<K>>);

/// A place. It is given back when this is dropped.
#[derive(Debug)]
pub struct Place<K: Key> {
    shares: Shares<K>,
    key: K,
}

/// Why there is no place right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// This key has its share.
    Share,
    /// All are taken.
    All,
}

/// Why somebody who would have waited got no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Full {
    /// Its own queue is full.
    #[error("too many of the same wait")]
    Share,
    /// The queue of all is full, or nothing became free in time.
    #[error("no place became free in time")]
    All,
}

/// Somebody who waits; who gives up leaves the queue.
struct Waiting<'a, K: Key> {
    shares: &'a Shares<K>,
    key: K,
    ticket: u64,
    granted: oneshot::Receiver<Place<K>>,
}

impl<K: Key> Shares<K> {
    /// So many places, and so many of them at most for each. Whoever waits does so without a bound.
    pub fn new(places: usize, each: usize) -> Self {
        Self::with_queue(places, each, Queue::UNBOUNDED)
    }

    /// The same, where not more than these [`enter`](Self::enter) the queue.
    pub fn with_queue(places: usize, each: usize, queue: Queue) -> Self {
        let state = State {
            free: places,
            shares: HashMap::new(),
            waiting: 0,
            // So that the first who come keep their order.
            count: AHEAD,
        };
        Self(Arc::new(Inner {
            each,
            queue,
            state: Mutex::new(state),
        }))
    }

    /// Waits for a place, within the bounds of the queue.
    ///
    /// # Errors
    /// When the queue is full, or there is no place in time.
    pub async fn enter(&self, key: K) -> Result<Place<K>, Full> {
        let waiting = match self.place_or_turn(key, &self.0.queue)? {
            Ok(place) => return Ok(place),
            Err(waiting) => waiting,
        };
        let granted = timeout(self.0.queue.patience, waiting.granted()).await;
        granted.map_err(|_| Full::All)
    }

    /// Waits for a place as long as it takes.
    pub async fn take(&self, key: K) -> Place<K> {
        match self.place_or_turn(key, &Queue::UNBOUNDED) {
            Ok(Ok(place)) => place,
            Ok(Err(waiting)) => waiting.granted().await,
            Err(_) => unreachable!("a queue without a bound is not full"),
        }
    }

    /// Takes a place that is free now.
    ///
    /// # Errors
    /// When none is.
    pub fn try_take(&self, key: K) -> Result<Place<K>, Taken> {
        let mut state = self.lock();
        let own = state.shares.get(&key).map_or(0, |share| share.taken);
        if own >= self.0.each {
            Err(Taken::Share)
        } else if state.free == 0 {
            Err(Taken::All)
        } else {
            state.give(key);
            Ok(self.place(key))
        }
    }

    /// How many have a share in memory.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.lock().shares.len()
    }

    fn place_or_turn(
        &self,
        key: K,
        queue: &Queue,
    ) -> Result<Result<Place<K>, Waiting<'_, K>>, Full> {
        let mut state = self.lock();
        let (own, queued) = match state.shares.get(&key) {
            Some(share) => (share.taken, share.waiting.len()),
            None => (0, 0),
        };
        // Whoever is within its share and waits has found nothing free.
        if state.free > 0 && own < self.0.each {
            state.give(key);
            return Ok(Ok(self.place(key)));
        }
        if queued >= queue.each {
            return Err(Full::Share);
        }
        if state.waiting >= queue.all {
            return Err(Full::All);
        }
        Ok(Err(self.waiting(&mut state, key, VecDeque::push_back)))
    }

    /// Puts somebody into the queue of its key.
    fn waiting(
        &self,
        state: &mut State<K>,
        key: K,
        put: impl FnOnce(&mut VecDeque<Turn<K>>, Turn<K>),
    ) -> Waiting<'_, K> {
        let (ticket, granted) = state.queue(key, put);
        Waiting {
            shares: self,
            key,
            ticket,
            granted,
        }
    }

    fn place(&self, key: K) -> Place<K> {
        Place {
            shares: self.clone(),
            key,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Key> State<K> {
    fn share(&mut self, key: K) -> &mut Share<K> {
        self.shares.entry(key).or_insert_with(|| Share {
            taken: 0,
            turn: 0,
            waiting: VecDeque::new(),
        })
    }

    fn count(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn give(&mut self, key: K) {
        let turn = self.count();
        self.free -= 1;
        let share = self.share(key);
        share.taken += 1;
        share.turn = turn;
    }

    fn queue(
        &mut self,
        key: K,
        put: impl FnOnce(&mut VecDeque<Turn<K>>, Turn<K>),
    ) -> (u64, oneshot::Receiver<Place<K>>) {
        let ticket = self.count();
        self.waiting += 1;
        let (sender, receiver) = oneshot::channel();
        let share = self.share(key);
        if share.waiting.is_empty() && share.taken == 0 {
            share.turn = ticket - AHEAD;
        }
        put(&mut share.waiting, (ticket, sender));
        (ticket, receiver)
    }

    /// Gives what is free to whoever is next.
    fn next(&mut self, each: usize) -> Option<(K, oneshot::Sender<Place<K>>)> {
        if self.free == 0 || self.waiting == 0 {
            return None;
        }
        let may = |share: &Share<K>| share.taken < each && !share.waiting.is_empty();
        let (&key, _) = self
            .shares
            .iter()
            .filter(|(_, share)| may(share))
            .min_by_key(|(_, share)| (share.taken, share.turn))?;
        let (_, sender) = self.share(key).waiting.pop_front()?;
        self.waiting -= 1;
        self.give(key);
        Some((key, sender))
    }

    fn forget_if_idle(&mut self, key: K) {
        let idle = |share: &Share<K>| share.taken == 0 && share.waiting.is_empty();
        if self.shares.get(&key).is_some_and(idle) {
            self.shares.remove(&key);
        }
    }
}

impl<K: Key> Place<K> {
    /// Lets the others who wait have their turn, and waits for the next one. It comes before all of the same key that wait,
    /// because their turn comes with its own; and there is always room for it.
    ///
    /// # Errors
    /// When it does not come in time.
    pub async fn pass(self) -> Result<Self, Full> {
        let shares = self.shares.clone();
        let waiting = {
            let mut state = shares.lock();
            if state.waiting == 0 {
                return Ok(self);
            }
            shares.waiting(&mut state, self.key, VecDeque::push_front)
        };
        drop(self);
        let granted = timeout(shares.0.queue.patience, waiting.granted()).await;
        granted.map_err(|_| Full::All)
    }
}

impl<K: Key> Drop for Place<K> {
    fn drop(&mut self) {
        let next = {
            let mut state = self.shares.lock();
            state.free += 1;
            let turn = state.count();
            let share = state.share(self.key);
            share.taken -= 1;
            share.turn = turn;
            let next = state.next(self.shares.0.each);
            state.forget_if_idle(self.key);
            next
        };
        // Not while locked: a place that nobody receives any more is dropped at once, and goes to the next.
        if let Some((key, sender)) = next {
            drop(sender.send(self.shares.place(key)));
        }
    }
}

impl<K: Key> Waiting<'_, K> {
    async fn granted(mut self) -> Place<K> {
        (&mut self.granted)
            .await
            .expect("those who wait are only forgotten when they have gone")
    }
}

impl<K: Key> Drop for Waiting<'_, K> {
    fn drop(&mut self) {
        let mut state = self.shares.lock();
        let Some(share) = state.shares.get_mut(&self.key) else {
            return;
        };
        let before = share.waiting.len();
        share.waiting.retain(|(ticket, _)| *ticket != self.ticket);
        let left = before - share.waiting.len();
        state.waiting -= left;
        state.forget_if_idle(self.key);
    }
}
