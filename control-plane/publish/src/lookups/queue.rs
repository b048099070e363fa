//! Questions that wait: the edges take turns, and of one edge the newest goes first.

use std::collections::{HashMap, VecDeque};

use protocol::snapshot::KeyHash;
use tokio::sync::oneshot;

use super::Found;

/// Questions of one edge that may wait.
const WAITING: usize = 256;

/// Whose question it is.
pub(super) type AskerId = u64;

/// A question, and where its answer is awaited. Dropped without one, it is not answered now.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) hash: KeyHash,
    pub(super) answer: oneshot::Sender<Option<Found>>,
}

/// Everything that waits.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Edges with questions, the next first.
    turns: VecDeque<AskerId>,
    waiting: HashMap<AskerId, VecDeque<Question>>,
}

impl Queue {
    /// Adds a question. Beyond what may wait, the edge's oldest gives way: it waited in vain for so long that few still
    /// want to know.
    pub(super) fn push(&mut self, asker: AskerId, question: Question) -> Option<Question> {
        let waiting = self.waiting.entry(asker).or_default();
        if waiting.is_empty() {
            self.turns.push_back(asker);
        }
        waiting.push_back(question);
        (waiting.len() > WAITING)
            .then(|| waiting.pop_front())
            .flatten()
    }

    /// The newest question of the edge whose turn it is that somebody waits for. The newest, because edges do not wait
    /// long: under a flood, the oldest would always be answered too late.
    pub(super) fn pop(&mut self) -> Option<Question> {
        loop {
            let asker = self.turns.pop_front()?;
            let waiting = self.waiting.get_mut(&asker)?;
            let wanted = loop {
                match waiting.pop_back() {
                    Some(question) if question.answer.is_closed() => {}
                    question => break question,
                }
            };
            if waiting.is_empty() {
                self.waiting.remove(&asker);
            } else {
                self.turns.push_back(asker);
            }
            if wanted.is_some() {
                return wanted;
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(queue: &mut Queue, asker: AskerId, number: u8) -> oneshot::Receiver<Option<Found>> {
        let (answer, answered) = oneshot::channel();
        let question = Question {
            hash: [number; 32],
            answer,
        };
        assert!(queue.push(asker, question).is_none());
        answered
    }

    fn numbers(queue: &mut Queue) -> Vec<u8> {
        std::iter::from_fn(|| queue.pop().map(|question| question.hash[0])).collect()
    }

    #[test]
    fn edges_take_turns_and_the_newest_of_each_goes_first() {
        let mut queue = Queue::default();
        let _answered: Vec<_> = [(1, 1), (1, 2), (1, 3), (2, 11), (3, 21), (3, 22)]
            .map(|(asker, number)| ask(&mut queue, asker, number))
            .into();
        assert_eq!(numbers(&mut queue), [3, 11, 22, 2, 21, 1]);
        assert!(queue.is_empty() && queue.waiting.is_empty());
    }

    #[test]
    fn questions_that_nobody_waits_for_are_passed_over() {
        let mut queue = Queue::default();
        let first = ask(&mut queue, 1, 1);
        drop(ask(&mut queue, 1, 2));
        drop(ask(&mut queue, 2, 11));
        assert_eq!(numbers(&mut queue), [1]);
        drop(first);
        assert!(queue.is_empty() && queue.waiting.is_empty());
    }

    #[test]
    fn beyond_what_may_wait_the_oldest_gives_way() {
        let mut queue = Queue::default();
        let mut answered: Vec<_> = (0..WAITING).map(|_| ask(&mut queue, 1, 1)).collect();
        let (answer, _waiting) = oneshot::channel();
        let newest = Question {
            hash: [2; 32],
            answer,
        };
        drop(queue.push(1, newest));
        assert!(answered.remove(0).try_recv().is_err());
        assert_eq!(numbers(&mut queue).len(), WAITING);
    }
}
