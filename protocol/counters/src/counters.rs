//! Counts the answers for the flags of one prepared environment: a number for each answer that a flag can give.
//!
//! A thread that counts often has a table of its own, so that processors do not write to the same memory, and counting takes an
//! ordinary addition. What threads count now and then, and whatever there is no room for, goes to a table that all of them write to.
//! Whoever takes the counts writes to no table: it remembers how far it has taken each. So every answer is taken exactly
//! once, however many collections run concurrently and however long a request holds on to the environment. An environment
//! that nobody queries costs nothing, and a table without new counts is not scanned.

use std::{
    cell::Cell,
    marker::PhantomData,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use protocol::eval::{Environment, FlagIndex};

use super::seats;

/// Of so many answers that a thread counts in shared tables, the last one gets it a table of its own: most likely in the environment that
/// is asked most.
const OFTEN: u32 = 1_024;
/// The most bytes of all tables of their own: a process may have many threads, and many environments.
const ROOM: usize = 64 << 20;

/// Those that are taken.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// How many answers this thread counted in shared tables, the last ones.
    static SHARED: Cell<u32> = const { Cell::new(0) };
}

/// Counters of one environment.
#[derive(Debug, Default)]
pub struct Counters {
    /// Allocated for the first answer.
    tables: OnceLock<Tables>,
}

#[derive(Debug)]
struct Tables {
    /// For each flag, the first of its counters; and the end of the last.
    starts: Box<[u32]>,
    shared: Table,
    /// By the number of the thread.
    own: OnceLock<Box<[OnceLock<Box<Own>>]>>,
}

#[derive(Debug)]
struct Table {
    /// These go round.
    counts: Box<[AtomicU32]>,
    /// Whether anything was counted since the counts were last taken.
    has_news: AtomicBool,
    taken: Mutex<Taken>,
}

/// A table and the room that it takes.
#[derive(Debug)]
struct Own(Table);

#[derive(Debug, Default)]
struct Taken {
    /// What the counts were when they were last taken; empty before the first time.
    counts: Box<[u32]>,
    /// Whether there was news the last time. A count that was made just then, and not yet seen, is seen now.
    had_news: bool,
}

impl Counters {
    /// Counts one answer for an existing flag of this environment.
    #[inline]
    pub fn add(&self, environment: &Environment, flag: FlagIndex, answer: u32) {
        self.begin(environment).add(flag, answer);
    }

    /// Begins to count several answers.
    #[inline]
    pub fn begin(&self, environment: &Environment) -> Counting<'_> {
        let tables = self.tables.get_or_init(|| Tables::of(environment));
        Counting {
            tables,
            own: seats::mine().and_then(|seat| tables.own(seat)),
            _of_this_thread: PhantomData,
        }
    }

    /// Takes what was counted since the last time: flags, the numbers of their answers, and how often each was given. An answer may
    /// come several times, once from each table.
    pub fn take(&self, environment: &Environment, mut each: impl FnMut(FlagIndex, u32, u64)) {
        let Some(tables) = self.tables.get() else {
            return;
        };
        for table in tables.all() {
            table.take(|counts| {
                for flag in environment.positions() {
                    let places = tables.places(flag);
                    for (answer, place) in (0..).zip(places) {
                        if let Some(count @ 1..) = counts(place) {
                            each(flag, answer, count.into());
                        }
                    }
                }
            });
        }
    }
}

/// Counts answers on one thread, which it cannot leave. They can be taken once this is dropped.
pub struct Counting<'c> {
    tables: &'c Tables,
    own: Option<&'c Table>,
    _of_this_thread: PhantomData<*const ()>,
}

impl Counting<'_> {
    /// Counts one answer for an existing flag of the environment.
    #[inline]
    pub fn add(&self, flag: FlagIndex, answer: u32) {
        let Some(place) = self.tables.place(flag, answer) else {
            return;
        };
        match self.own {
            Some(own) => {
                // No other thread writes to it.
                let next = own.counts[place].load(Ordering::Relaxed).wrapping_add(1);
                own.counts[place].store(next, Ordering::Relaxed);
            }
            None => self.tables.add_shared(place),
        }
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        if let Some(own) = self.own {
            own.mark();
        }
    }
}

impl Tables {
    fn of(environment: &Environment) -> Self {
        let mut end = 0;
        let mut starts = vec![0];
        for flag in environment.positions() {
            end += environment.answers(flag);
            starts.push(end);
        }
        Self {
            starts: starts.into(),
            shared: Table::new(end as usize),
            own: OnceLock::new(),
        }
    }

    #[inline]
    fn own(&self, seat: usize) -> Option<&Table> {
        let own = self.own.get()?.get(seat)?.get()?;
        Some(&own.0)
    }

    fn add_shared(&self, place: usize) {
        self.shared.counts[place].fetch_add(1, Ordering::Relaxed);
        self.shared.mark();
        let shared = SHARED.get() + 1;
        SHARED.set(shared % OFTEN);
        if shared == OFTEN
            && let Some(seat) = seats::mine()
            && let Some(own) = Own::new(self.shared.counts.len())
        {
            let seats = (0..seats::count()).map(|_| OnceLock::new());
            let all = self.own.get_or_init(|| seats.collect());
            drop(all[seat].set(Box::new(own)));
        }
    }

    fn all(&self) -> impl Iterator<Item = &Table> {
        let own = self.own.get().into_iter().flatten();
        let own = own.filter_map(|own| own.get().map(|own| &own.0));
        own.chain([&self.shared])
    }

    #[inline]
    fn place(&self, flag: FlagIndex, answer: u32) -> Option<usize> {
        let flag = flag.position();
        let place = self.starts.get(flag)? + answer;
        (place < *self.starts.get(flag + 1)?).then_some(place as usize)
    }

    fn places(&self, flag: FlagIndex) -> std::ops::Range<usize> {
        let place = |flag: usize| self.starts.get(flag).map_or(0, |place| *place as usize);
        place(flag.position())..place(flag.position() + 1)
    }
}

impl Own {
    /// A table for so many counts, if there is room.
    fn new(counts: usize) -> Option<Self> {
        let bytes = Self::bytes(counts);
        if TAKEN.fetch_add(bytes, Ordering::Relaxed) + bytes > ROOM {
            TAKEN.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        Some(Self(Table::new(counts)))
    }

    /// Each count is there twice: as it is, and as it was taken.
    const fn bytes(counts: usize) -> usize {
        2 * counts * size_of::<u32>()
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        TAKEN.fetch_sub(Self::bytes(self.0.counts.len()), Ordering::Relaxed);
    }
}

impl Table {
    fn new(counts: usize) -> Self {
        Self {
            counts: (0..counts).map(|_| AtomicU32::new(0)).collect(),
            has_news: AtomicBool::new(false),
            taken: Mutex::default(),
        }
    }

    /// There is something to be taken.
    #[inline]
    fn mark(&self) {
        if !self.has_news.load(Ordering::Relaxed) {
            self.has_news.store(true, Ordering::Release);
        }
    }

    /// Hands over the way to take a count: how much was added to it since the last time.
    fn take(&self, take_each: impl FnOnce(&mut dyn FnMut(usize) -> Option<u32>)) {
        let mut taken = self.taken.lock();
        let has_news = self.has_news.swap(false, Ordering::Acquire);
        let had_news = std::mem::replace(&mut taken.had_news, has_news);
        if !has_news && !had_news {
            return;
        }
        if taken.counts.is_empty() {
            taken.counts = vec![0; self.counts.len()].into();
        }
        take_each(&mut |place| {
            let count = self.counts.get(place)?.load(Ordering::Relaxed);
            let before = std::mem::replace(taken.counts.get_mut(place)?, count);
            Some(count.wrapping_sub(before))
        });
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, AtomicU64},
        thread,
    };

    use protocol::snapshot::{Flag, Snapshot};

    use super::*;

    const EACH: u64 = 20_000;

    fn environment() -> Environment {
        let flag = |number| Flag {
            key: format!("flag-{number}"),
            default_value: "false".to_owned(),
            ..Flag::default()
        };
        Environment::prepare(&Snapshot {
            flags: (0..3).map(flag).collect(),
            ..Snapshot::default()
        })
        .unwrap()
    }

    fn total(counters: &Counters, environment: &Environment) -> u64 {
        let mut total = 0;
        counters.take(environment, |flag, answer, count| {
            assert_eq!((flag.position(), answer), (1, 2));
            total += count;
        });
        total
    }

    #[test]
    fn every_answer_is_taken_once_while_many_threads_count_and_others_take() {
        let (environment, counters) = (environment(), Counters::default());
        let (flag, _) = environment.flags().nth(1).unwrap();
        // More than have a number, so that some share to the end.
        let threads = 3 * seats::count();
        let (taken, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Acquire) {
                        let more = total(&counters, &environment);
                        taken.fetch_add(more, Ordering::Relaxed);
                    }
                });
            }
            // Twice, since numbers go from one thread to another.
            for _ in 0..2 {
                thread::scope(|scope| {
                    for _ in 0..threads {
                        scope.spawn(|| {
                            for _ in 0..EACH {
                                counters.add(&environment, flag, 2);
                            }
                        });
                    }
                });
            }
            is_over.store(true, Ordering::Release);
        });
        let rest = total(&counters, &environment);
        let expected = 2 * EACH * u64::try_from(threads).unwrap();
        assert_eq!(taken.into_inner() + rest, expected);
        assert_eq!(total(&counters, &environment), 0);
    }

    #[test]
    fn counts_go_round() {
        let (environment, counters) = (environment(), Counters::default());
        let (flag, _) = environment.flags().nth(1).unwrap();
        counters.add(&environment, flag, 2);
        assert_eq!(total(&counters, &environment), 1);
        let tables = counters.tables.get().unwrap();
        let place = tables.place(flag, 2).unwrap();
        let table = &tables.shared;
        table.counts[place].store(u32::MAX, Ordering::Relaxed);
        table.taken.lock().counts[place] = u32::MAX;
        counters.add(&environment, flag, 2);
        counters.add(&environment, flag, 2);
        assert_eq!(total(&counters, &environment), 2);
    }

    #[test]
    fn what_the_environment_has_not_is_not_counted() {
        let (environment, counters) = (environment(), Counters::default());
        let (flag, _) = environment.flags().nth(1).unwrap();
        counters.add(&environment, flag, environment.answers(flag));
        assert_eq!(total(&counters, &environment), 0);
    }

    #[test]
    fn who_counts_often_has_a_table_of_its_own_while_there_is_room() {
        let (environment, counters) = (environment(), Counters::default());
        let (flag, _) = environment.flags().nth(1).unwrap();
        let own = || {
            let tables = counters.tables.get().unwrap();
            tables.all().count() - 1
        };
        thread::scope(|scope| {
            let counting = scope.spawn(|| {
                for _ in 1..OFTEN {
                    counters.add(&environment, flag, 2);
                }
                assert_eq!(own(), 0);
                counters.add(&environment, flag, 2);
                // Unless the other tests here have all numbers just now.
                assert_eq!(own(), usize::from(seats::mine().is_some()));
                counters.add(&environment, flag, 2);
            });
            counting.join().unwrap();
        });
        assert_eq!(total(&counters, &environment), u64::from(OFTEN) + 1);
        assert!(Own::new(ROOM / size_of::<u32>()).is_none());
    }
}
