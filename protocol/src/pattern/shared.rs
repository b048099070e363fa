//! The patterns that this process uses: each is compiled and kept once, however many environments have it.
//!
//! Environments of one project have the same segments, and consecutive versions of an environment nearly all patterns.
//! One pattern is compiled at a time, in the order of those who ask. So compiling never takes more than one processor,
//! who needs one pattern waits for one of each of the others, and who needs what is compiled already waits for nobody.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Weak},
};

use parking_lot::{FairMutex, Mutex};

use super::Pattern;

/// So many are kept before those that nobody uses any more are looked for.
const SWEEP: usize = 1_024;

static PATTERNS: LazyLock<Shared> = LazyLock::new(Shared::default);

#[derive(Default)]
struct Shared {
    known: Mutex<Known>,
    /// Held while one is compiled, and handed on in turn.
    compiling: FairMutex<()>,
}

#[derive(Default)]
struct Known {
    patterns: HashMap<Box<str>, Weak<Pattern>>,
    /// How many there were after the last sweep.
    swept: usize,
}

/// The pattern, compiled unless somebody uses it already. `None` as in [`Pattern::compile`].
pub(crate) fn shared(text: &str) -> Option<Arc<Pattern>> {
    PATTERNS.find(text, Pattern::compile)
}

impl Shared {
    fn find(
        &self,
        text: &str,
        compile: impl FnOnce(&str) -> Option<Pattern>,
    ) -> Option<Arc<Pattern>> {
        if let Some(used) = self.known.lock().find(text) {
            return Some(used);
        }
        let _turn = self.compiling.lock();
        // Somebody else may have needed it too.
        if let Some(used) = self.known.lock().find(text) {
            return Some(used);
        }
        let pattern = Arc::new(compile(text)?);
        self.known.lock().insert(text, &pattern);
        Some(pattern)
    }
}

impl Known {
    fn find(&self, text: &str) -> Option<Arc<Pattern>> {
        self.patterns.get(text).and_then(Weak::upgrade)
    }

    fn insert(&mut self, text: &str, pattern: &Arc<Pattern>) {
        if self.patterns.len() >= SWEEP + 2 * self.swept {
            self.patterns
                .retain(|_, pattern| pattern.strong_count() > 0);
            self.swept = self.patterns.len();
        }
        self.patterns.insert(text.into(), Arc::downgrade(pattern));
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use super::*;

    #[test]
    fn a_pattern_in_use_is_not_compiled_again() {
        let shared = Shared::default();
        let first = shared.find("a+", Pattern::compile).unwrap();
        let again = shared.find("a+", |_| panic!("it is known"));
        assert!(Arc::ptr_eq(&first, &again.unwrap()));
        assert!(shared.find("(", Pattern::compile).is_none());
    }

    #[test]
    fn what_is_known_is_found_while_another_is_compiled() {
        let shared = Shared::default();
        let known = shared.find("a+", Pattern::compile).unwrap();
        let (begin, begun) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let shared = &shared;
        thread::scope(|threads| {
            let slow = threads.spawn(move || {
                shared.find("b+", |text| {
                    begin.send(()).unwrap();
                    ended.recv().unwrap();
                    Pattern::compile(text)
                })
            });
            begun.recv().unwrap();
            assert!(Arc::ptr_eq(&known, &shared.find("a+", |_| None).unwrap()));
            end.send(()).unwrap();
            assert!(slow.join().unwrap().is_some());
        });
    }

    #[test]
    fn two_who_need_the_same_pattern_compile_it_once() {
        let shared = Shared::default();
        let (begin, begun) = mpsc::channel();
        thread::scope(|threads| {
            let turn = shared.compiling.lock();
            let find = |begin: mpsc::Sender<()>| {
                let shared = &shared;
                move || {
                    begin.send(()).unwrap();
                    shared.find("a+", Pattern::compile)
                }
            };
            let (one, other) = (
                threads.spawn(find(begin.clone())),
                threads.spawn(find(begin.clone())),
            );
            begun.recv().unwrap();
            begun.recv().unwrap();
            drop(turn);
            let (one, other) = (one.join().unwrap().unwrap(), other.join().unwrap().unwrap());
            assert!(Arc::ptr_eq(&one, &other));
        });
    }

    #[test]
    fn patterns_that_nobody_uses_are_forgotten() {
        let shared = Shared::default();
        let kept = shared.find("kept", Pattern::compile).unwrap();
        for number in 0..2 * SWEEP {
            shared.find(&number.to_string(), Pattern::compile).unwrap();
        }
        assert!(shared.known.lock().patterns.len() <= SWEEP + 2);
        assert!(Arc::ptr_eq(&kept, &shared.find("kept", |_| None).unwrap()));
    }
}
