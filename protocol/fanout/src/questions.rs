//! Questions about other contents, each for an edge once.

use std::sync::Arc;

use protocol::what_if::SignedQuestion;
use tokio::{sync::watch, time::Instant};

use crate::source::{AllAsked, Asked};

/// The open questions that an edge was not told of.
#[derive(Debug)]
pub struct Untold {
    open: watch::Receiver<AllAsked>,
    told: Vec<[u8; 16]>,
}

impl Untold {
    /// All that are open, and those to come.
    #[must_use]
    pub const fn new(open: watch::Receiver<AllAsked>) -> Self {
        Self {
            open,
            told: Vec::new(),
        }
    }

    /// The next one that concerns the edge. Cancellation safe.
    pub async fn next(&mut self, concerns: impl Fn(&Asked) -> bool) -> Arc<SignedQuestion> {
        loop {
            let all = Arc::clone(&self.open.borrow_and_update());
            let now = Instant::now();
            let id = |asked: &Asked| asked.signed.question.id;
            self.told
                .retain(|told| all.iter().any(|asked| id(asked) == *told));
            let mut open = all.iter().filter(|asked| asked.until > now);
            let next = open.find(|asked| !self.told.contains(&id(asked)) && concerns(asked));
            if let Some(asked) = next {
                self.told.push(id(asked));
                return Arc::clone(&asked.signed);
            }
            if self.open.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;
    use protocol::what_if::{Draft, Keys, Question, Sampled};
    use uuid::Uuid;

    use super::*;

    fn asked(number: u8, seconds: u64) -> Asked {
        let sampled = Sampled {
            env_id: Uuid::from_u128(number.into()).into(),
            attributes: Vec::new(),
            keys: Keys::Hashed,
        };
        let question = Question {
            id: [number; 16],
            sampled,
            version: 1,
            draft: Draft::default(),
            by: None,
            examples: 0,
            asked_ms: 0,
        };
        Asked {
            signed: Arc::new(question.unsigned()),
            until: Instant::now() + Duration::from_secs(seconds),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_open_question_that_concerns_an_edge_is_told_once() {
        let (first, second, foreign, over) =
            (asked(1, 10), asked(2, 10), asked(3, 10), asked(4, 0));
        let sender = watch::Sender::new(Arc::new(vec![over, foreign.clone(), first.clone()]));
        let mut untold = Untold::new(sender.subscribe());
        let mut next = || {
            let concerns = |asked: &Asked| asked.env_id() != foreign.env_id();
            let told = untold.next(concerns).now_or_never();
            told.map(|signed| signed.question.id[0])
        };
        assert_eq!(next(), Some(1));
        assert_eq!(next(), None);
        sender.send_replace(Arc::new(vec![first, second.clone()]));
        assert_eq!(next(), Some(2));
        assert_eq!(next(), None);
        // Also while others come and go.
        sender.send_replace(Arc::new(vec![second]));
        assert_eq!(next(), None);
    }
}
