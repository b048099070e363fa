//! Something that there is a bounded number of, with a share for each of those who use it: nobody waits for others with
//! more than its share, and those who wait take turns.
//!
//! Whose turn is next: of those within their share, whoever has held places for the shortest time (`held`); of several, whoever
//! has the fewest places; of several, the one whose last turn is longest ago. Whoever comes new counts as if its last turn were
//! long ago. So one that asks for much waits for itself, many that do hold up one that comes new, or that needs its places only
//! briefly, for hardly more than the turn that has begun, and the length of somebody's queue holds up nobody else.
//!
//! Those who share may come in groups, as organizations come from client networks: one who has made many of itself waits for itself
//! too. Of a group, what all of it held counts, where it is more; where everybody comes in the same, it makes no difference.

mod held;
mod state;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    fmt::Debug,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::oneshot, time::timeout};

use self::state::{State, Turn};

/// Places that many share, each known by its key, perhaps in groups. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shares<K: Key, G: Key = ()>(Arc<Inner<K, G>>);

/// Who shares, or its group.
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

/// How many places somebody may have.
#[derive(Debug)]
struct Bounds {
    each: usize,
    group: usize,
}

#[derive(Debug)]
struct Inner<K: Key, G: Key> {
    bounds: Bounds,
    queue: Queue,
    state: Mutex<State<K, G>>,
}

/// A place. It is given back when this is dropped.
#[derive(Debug)]
pub struct Place<K: Key, G: Key = ()> {
    shares: Shares<K, G>,
    key: K,
    group: G,
    since: Duration,
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
struct Waiting<'a, K: Key, G: Key> {
    shares: &'a Shares<K, G>,
    key: K,
    ticket: u64,
    granted: oneshot::Receiver<Place<K, G>>,
}

/// A place, or the turn of somebody who waits for one.
type Turned<'a, K, G> = Result<Place<K, G>, Waiting<'a, K, G>>;

impl<K: Key> Shares<K> {
    /// So many places, and so many of them at most for each. Whoever waits does so without a bound.
    pub fn new(places: usize, each: usize) -> Self {
        Self::with_queue(places, each, Queue::UNBOUNDED)
    }

    /// The same, where not more than these [`enter`](Self::enter) the queue.
    pub fn with_queue(places: usize, each: usize, queue: Queue) -> Self {
        Self::in_groups(places, each, usize::MAX, queue)
    }

    /// Waits for a place, within the bounds of the queue.
    ///
    /// # Errors
    /// When the queue is full, or there is no place in time.
    pub async fn enter(&self, key: K) -> Result<Place<K>, Full> {
        self.enter_of(key, ()).await
    }

    /// Waits for a place as long as it takes.
    pub async fn take(&self, key: K) -> Place<K> {
        match self.place_or_turn(key, (), &Queue::UNBOUNDED) {
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
        if !state.may_take(key, (), &self.0.bounds) {
            Err(Taken::Share)
        } else if state.free == 0 {
            Err(Taken::All)
        } else {
            let since = state.give(key, ());
            Ok(self.place(key, (), since))
        }
    }
}

impl<K: Key, G: Key> Shares<K, G> {
    /// So many places, and so many of them at most for each key and for each group.
    pub fn in_groups(places: usize, each: usize, group: usize, queue: Queue) -> Self {
        Self(Arc::new(Inner {
            bounds: Bounds { each, group },
            queue,
            state: Mutex::new(State::new(places)),
        }))
    }

    /// Waits for a place as one of a group, within the bounds of the queue.
    ///
    /// # Errors
    /// When the queue is full, or there is no place in time.
    pub async fn enter_of(&self, key: K, group: G) -> Result<Place<K, G>, Full> {
        let waiting = match self.place_or_turn(key, group, &self.0.queue)? {
            Ok(place) => return Ok(place),
            Err(waiting) => waiting,
        };
        let granted = timeout(self.0.queue.patience, waiting.granted()).await;
        granted.map_err(|_| Full::All)
    }

    /// How many have a share in memory.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.lock().remembered()
    }

    fn place_or_turn(&self, key: K, group: G, queue: &Queue) -> Result<Turned<'_, K, G>, Full> {
        let mut state = self.lock();
        // Whoever is within its share and waits has found nothing free.
        if state.free > 0 && state.may_take(key, group, &self.0.bounds) {
            let since = state.give(key, group);
            return Ok(Ok(self.place(key, group, since)));
        }
        let share = state.shares.get(&key);
        let queued = share.map_or(0, |share| share.waiting.len());
        if queued >= queue.each {
            return Err(Full::Share);
        }
        if state.waiting >= queue.all {
            return Err(Full::All);
        }
        Ok(Err(self.waiting(
            &mut state,
            key,
            group,
            VecDeque::push_back,
        )))
    }

    /// Puts somebody into the queue of its key.
    fn waiting(
        &self,
        state: &mut State<K, G>,
        key: K,
        group: G,
        put: impl FnOnce(&mut VecDeque<Turn<K, G>>, Turn<K, G>),
    ) -> Waiting<'_, K, G> {
        let (ticket, granted) = state.queue(key, group, put);
        Waiting {
            shares: self,
            key,
            ticket,
            granted,
        }
    }

    fn place(&self, key: K, group: G, since: Duration) -> Place<K, G> {
        Place {
            shares: Self(Arc::clone(&self.0)),
            key,
            group,
            since,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<K, G>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Key, G: Key> Place<K, G> {
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
            shares.waiting(&mut state, self.key, self.group, VecDeque::push_front)
        };
        drop(self);
        let granted = timeout(shares.0.queue.patience, waiting.granted()).await;
        granted.map_err(|_| Full::All)
    }
}

impl<K: Key, G: Key> Drop for Place<K, G> {
    fn drop(&mut self) {
        let mut next = {
            let mut state = self.shares.lock();
            state.give_back(self.key, self.group, self.since);
            let next = state.next(&self.shares.0.bounds);
            state.rest_if_idle(self.key);
            next
        };
        // Not while locked: a place that nobody receives any more is dropped at once, and goes to the next.
        while let Some((key, group, since, sender)) = next {
            drop(sender.send(self.shares.place(key, group, since)));
            // It counted for its key and for its group, and somebody may have waited for each.
            next = self.shares.lock().next(&self.shares.0.bounds);
        }
    }
}

impl<K: Key, G: Key> Waiting<'_, K, G> {
    async fn granted(mut self) -> Place<K, G> {
        (&mut self.granted)
            .await
            .expect("those who wait are only forgotten when they have gone")
    }
}

impl<K: Key, G: Key> Drop for Waiting<'_, K, G> {
    fn drop(&mut self) {
        let mut state = self.shares.lock();
        let Some(share) = state.shares.get_mut(&self.key) else {
            return;
        };
        let before = share.waiting.len();
        share.waiting.retain(|turn| turn.ticket != self.ticket);
        let left = before - share.waiting.len();
        state.waiting -= left;
        if left > 0 {
            state.rest_if_idle(self.key);
        }
    }
}
