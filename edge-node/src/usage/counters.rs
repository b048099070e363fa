//! Counts the answers for the flags of one prepared environment: a number for each answer that a flag can give.
//!
//! Each thread counts in a table of its own, so that processors do not write to the same memory, and counting takes an ordinary
//! addition. Whoever takes the counts writes to none of them: it remembers how far it has taken each. So every answer is
//! taken exactly once, however many collections run concurrently and however long a request holds on to the environment. An
//! environment that nobody queries costs nothing, and a table without new counts is not scanned.

use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use protocol::eval::{Environment, FlagIndex};

use super::seats;

/// Counters of one environment.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Allocated for the first answer.
    tables: OnceLock<Tables>,
}

#[derive(Debug)]
struct Tables {
    /// For each flag, the first of its counters; and the end of the last.
    starts: Box<[u32]>,
    /// By the number of the thread. The last one is of all threads without a number.
    of_threads: Box<[OnceLock<Table>]>,
}

#[derive(Debug)]
struct Table {
    /// These go round.
    counts: Box<[AtomicU32]>,
    /// Whether anything was counted since the counts were last taken.
    has_news: AtomicBool,
    taken: Mutex<Taken>,
}

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
    pub(crate) fn add(&self, environment: &Environment, flag: FlagIndex, answer: u32) {
        let tables = self.tables.get_or_init(|| Tables::of(environment));
        let Some(place) = tables.place(flag, answer) else {
            return;
        };
        let (mine, shared) = (seats::mine(), tables.of_threads.len() - 1);
        let table = tables.of_threads[mine.unwrap_or(shared)].get_or_init(|| tables.table());
        let count = &table.counts[place];
        match mine {
            // No other thread writes to it.
            Some(_) => {
                let next = count.load(Ordering::Relaxed).wrapping_add(1);
                count.store(next, Ordering::Relaxed);
            }
            None => {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        if !table.has_news.load(Ordering::Relaxed) {
            table.has_news.store(true, Ordering::Release);
        }
    }

    /// Takes what was counted since the last time: flags, the numbers of their answers, and how often each was given. An answer may
    /// come several times, once from each thread.
    pub(crate) fn take(
        &self,
        environment: &Environment,
        mut each: impl FnMut(FlagIndex, u32, u64),
    ) {
        let Some(tables) = self.tables.get() else {
            return;
        };
        for table in tables.of_threads.iter().filter_map(OnceLock::get) {
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
            of_threads: (0..=seats::count()).map(|_| OnceLock::new()).collect(),
        }
    }

    fn table(&self) -> Table {
        let length = self.starts.last().map_or(0, |end| *end as usize);
        Table {
            counts: (0..length).map(|_| AtomicU32::new(0)).collect(),
            has_news: AtomicBool::new(false),
            taken: Mutex::default(),
        }
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

impl Table {
    /// Hands over the way to take a count: how much was added to it since the last time.
    fn take(&self, take_each: impl FnOnce(&mut dyn FnMut(usize) -> Option<u32>)) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
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

    use protocol::snapshot::{Flag, FlagType, Head, Snapshot};
    use uuid::Uuid;

    use super::*;

    const EACH: u64 = 20_000;

    fn environment() -> Environment {
        let flag = |number| Flag {
            id: Uuid::from_u128(number).into(),
            key: format!("flag-{number}"),
            flag_type: FlagType::Boolean,
            default_value: "false".to_owned(),
            mutual_exclusion_group: String::new(),
            prerequisites: Vec::new(),
            state: None,
        };
        Environment::prepare(&Snapshot {
            head: Head {
                org_id: Uuid::nil().into(),
                project_id: Uuid::nil().into(),
                env_id: Uuid::nil().into(),
                slug: "dev".to_owned(),
                version: 1,
            },
            flags: (0..3).map(flag).collect(),
            segments: Vec::new(),
            keys: Vec::new(),
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
        // More than have a number, so that some share.
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
        let table = tables.of_threads.iter().find_map(OnceLock::get).unwrap();
        table.counts[place].store(u32::MAX, Ordering::Relaxed);
        table.taken.lock().unwrap().counts[place] = u32::MAX;
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
}
