//! Places for large answers: how many are made at a time, and whose turn is next.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use protocol::ids::OrgId;
use tokio::sync::oneshot;

/// Places are given to organizations in turn, so that one that asks for many large answers at once waits for itself.
#[derive(Clone, Debug)]
pub(crate) struct Places(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    free: usize,
    /// The organizations that wait, the next one first, each with its requests in their order. None has no requests.
    waiting: VecDeque<(OrgId, VecDeque<oneshot::Sender<Place>>)>,
}

/// The right to make one large answer, passed on when dropped.
#[derive(Debug)]
pub(crate) struct Place(Places);

impl Places {
    /// For half the processors: the others are always free for what is quick.
    pub(crate) fn for_half_the_processors() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self::new(processors.div_ceil(2))
    }

    fn new(places: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            free: places,
            waiting: VecDeque::new(),
        })))
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self, org_id: OrgId) -> Place {
        let turn = {
            let mut state = self.lock();
            if let Some(free) = state.free.checked_sub(1) {
                state.free = free;
                return Place(self.clone());
            }
            state.wait(org_id)
        };
        turn.await
            .expect("those who wait are only forgotten when they have gone")
    }

    /// Gives a place that became free to the next who still waits.
    fn pass_on(&self) {
        // Not while locked: a place that nobody receives any more is dropped at once, and passed on again.
        let next = self.lock().next();
        if let Some(next) = next {
            let _gone = next.send(Place(self.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wait(&mut self, org_id: OrgId) -> oneshot::Receiver<Place> {
        let (sender, receiver) = oneshot::channel();
        match self.waiting.iter_mut().find(|(org, _)| *org == org_id) {
            Some((_, requests)) => requests.push_back(sender),
            None => self.waiting.push_back((org_id, VecDeque::from([sender]))),
        }
        receiver
    }

    /// The next who still waits. If there is none, the place is free.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        while let Some((org_id, mut requests)) = self.waiting.pop_front() {
            let next = std::iter::from_fn(|| requests.pop_front()).find(|turn| !turn.is_closed());
            if !requests.is_empty() {
                self.waiting.push_back((org_id, requests));
            }
            if next.is_some() {
                return next;
            }
        }
        self.free += 1;
        None
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.pass_on();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::*;

    fn org(number: u128) -> OrgId {
        Uuid::from_u128(number).into()
    }

    #[tokio::test]
    async fn organizations_take_turns_however_much_one_of_them_asks_for() {
        let places = Places::new(1);
        let first = places.enter(org(1)).await;
        let mut many: Vec<_> = (0..5).map(|_| Box::pin(places.enter(org(1)))).collect();
        for waiting in &mut many {
            assert!(waiting.now_or_never().is_none());
        }
        let mut other = Box::pin(places.enter(org(2)));
        assert!((&mut other).now_or_never().is_none());

        drop(first);
        let second = (&mut many[0])
            .now_or_never()
            .expect("first come, first served");
        assert!((&mut other).now_or_never().is_none());
        drop(second);
        assert!((&mut many[1]).now_or_never().is_none());
        let place = (&mut other).now_or_never().expect("the other one's turn");
        drop(place);
        assert!((&mut many[1]).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_place_outlives_those_who_left_while_they_waited() {
        let places = Places::new(2);
        let held = [places.enter(org(1)).await, places.enter(org(1)).await];
        let mut gone: Vec<_> = (0..3).map(|n| Box::pin(places.enter(org(n)))).collect();
        for waiting in &mut gone {
            assert!(waiting.now_or_never().is_none());
        }
        // One leaves before its turn, another when its turn has come.
        drop(gone.remove(1));
        drop(held);
        drop(gone);
        let again = [
            places.enter(org(7)).now_or_never(),
            places.enter(org(7)).now_or_never(),
        ];
        assert!(again.iter().all(Option::is_some));
        assert!(places.enter(org(7)).now_or_never().is_none());
    }
}
