//! A number for each thread, so that threads can have what only they write to.
//!
//! Threads come and go: a number belongs to one thread at a time, and to another one when that has ended. There are a few more than a
//! server has threads that answer; whoever finds none left shares.

use std::{sync::LazyLock, thread};

use parking_lot::Mutex;

/// The numbers that no thread has.
static FREE: LazyLock<Mutex<Vec<usize>>> = LazyLock::new(|| Mutex::new((0..count()).collect()));

thread_local! {
    static MINE: Seat = Seat::take();
}

/// How many numbers there are: two for each processor, since a thread that blocks is replaced by another one.
pub(crate) fn count() -> usize {
    static COUNT: LazyLock<usize> =
        LazyLock::new(|| 2 * thread::available_parallelism().map_or(1, usize::from));
    *COUNT
}

/// The number of this thread.
#[inline]
pub(crate) fn mine() -> Option<usize> {
    MINE.try_with(|seat| seat.0).ok().flatten()
}

struct Seat(Option<usize>);

impl Seat {
    fn take() -> Self {
        Self(FREE.lock().pop())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut free = FREE.lock();
        free.extend(self.0);
    }
}
