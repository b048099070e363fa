//! Events that a stream has yet to send. Bounded: a slow client loses the oldest and receives `reset`.

use std::{collections::VecDeque, mem, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::events::{ChangeEvent, News};

/// Events queued for a slow client.
const CAPACITY: usize = 256;

/// Changes of one organization found by one poll.
#[derive(Debug)]
pub(super) struct Batch {
    /// The position after all of them.
    pub(super) position: Arc<str>,
    pub(super) changes: Vec<ChangeEvent>,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Changes(Arc<Batch>),
    News(Arc<News>),
}

impl Item {
    /// Whether it supersedes the other.
    fn replaces(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::News(this), Self::News(other)) => this.replaces(other),
            _ => false,
        }
    }
}

/// Events queued since the last take.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Whether events were lost before `items`.
    pub(super) is_reset: bool,
    pub(super) items: VecDeque<Item>,
    /// Whether the stream ends after them.
    pub(super) is_over: bool,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<Taken>,
    added: Notify,
}

impl Queue {
    pub(super) fn push(&self, item: Item) {
        let mut waiting = self.waiting.lock();
        if let Some(older) = waiting.items.iter_mut().find(|older| item.replaces(older)) {
            *older = item;
            return;
        }
        if waiting.items.len() == CAPACITY {
            waiting.items.clear();
            waiting.is_reset = true;
        }
        waiting.items.push_back(item);
        self.added.notify_one();
    }

    /// Drops queued events: the client has to read everything again.
    pub(super) fn reset(&self) {
        let mut waiting = self.waiting.lock();
        waiting.items.clear();
        waiting.is_reset = true;
        self.added.notify_one();
    }

    pub(super) fn end(&self) {
        self.waiting.lock().is_over = true;
        self.added.notify_one();
    }

    /// Takes everything queued. Cancellation safe.
    pub(super) async fn take(&self) -> Taken {
        loop {
            {
                let mut waiting = self.waiting.lock();
                if waiting.is_reset || waiting.is_over || !waiting.items.is_empty() {
                    let is_over = waiting.is_over;
                    let taken = mem::take(&mut *waiting);
                    waiting.is_over = is_over;
                    return taken;
                }
            }
            self.added.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::live::audience::Topic;
    use base::ids::EnvId;

    fn event(number: usize) -> Item {
        Item::Changes(Arc::new(Batch {
            position: number.to_string().into(),
            changes: Vec::new(),
        }))
    }

    fn wave(version: u64, says: &str) -> Item {
        let wave = Some((EnvId(Uuid::nil()), version));
        Item::News(Arc::new(News::new(Topic::Waves, wave, &says)))
    }

    fn numbers(taken: Taken) -> Vec<String> {
        let texts = taken.items.into_iter().map(|item| match item {
            Item::Changes(batch) => batch.position.to_string(),
            Item::News(news) => news.json.to_string(),
        });
        texts.collect()
    }

    #[tokio::test]
    async fn the_newest_is_kept_for_who_reads_slowly_with_a_word_of_what_was_lost() {
        let queue = Queue::default();
        for number in 0..CAPACITY {
            queue.push(event(number));
        }
        let full = queue.take().await;
        assert!(!full.is_reset);
        assert_eq!(numbers(full).len(), CAPACITY);
        for number in 0..=CAPACITY {
            queue.push(event(number));
        }
        let overrun = queue.take().await;
        assert!(overrun.is_reset);
        assert_eq!(numbers(overrun), [CAPACITY.to_string()]);
    }

    #[tokio::test]
    async fn of_a_wave_only_the_newest_waits() {
        let queue = Queue::default();
        for number in 0..2 * CAPACITY {
            queue.push(wave(7, &number.to_string()));
        }
        queue.push(wave(8, "other"));
        queue.push(event(3));
        queue.push(wave(7, "last"));
        let taken = queue.take().await;
        assert!(!taken.is_reset);
        assert_eq!(numbers(taken), ["\"last\"", "\"other\"", "3"]);
    }

    #[tokio::test]
    async fn what_came_before_the_end_is_sent() {
        let queue = Queue::default();
        queue.push(event(1));
        queue.end();
        let last = queue.take().await;
        assert!(last.is_over);
        assert_eq!(numbers(last), ["1"]);
        assert!(queue.take().await.is_over);
    }
}
