//! The questions that are open, for the edges below.

use std::sync::Arc;

use fanout::{AllAsked, Asked};
use protocol::{
    ids::EnvId,
    what_if::{MOST_OPEN, OPEN, SignedQuestion},
};
use tokio::{sync::watch, time::Instant};

/// The questions that are open.
#[derive(Default)]
pub(crate) struct Open(watch::Sender<AllAsked>);

impl Open {
    /// Opens a question, unless too many are.
    pub(crate) fn add(&self, signed: Arc<SignedQuestion>) {
        let now = Instant::now();
        self.0.send_if_modified(|all| {
            let mut open = Vec::clone(all);
            open.retain(|asked| asked.until > now);
            let has_room = open.len() < MOST_OPEN;
            if has_room {
                let until = now + OPEN;
                open.push(Asked { signed, until });
                *all = Arc::new(open);
            }
            has_room
        });
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<AllAsked> {
        self.0.subscribe()
    }

    /// The environment of a question, while answers to it are taken.
    pub(crate) fn env_id(&self, question: &[u8; 16]) -> Option<EnvId> {
        let now = Instant::now();
        let all = self.0.borrow();
        let mut open = all.iter().filter(|asked| asked.until > now);
        let asked = open.find(|asked| asked.signed.question.id == *question)?;
        Some(asked.env_id())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use protocol::what_if::{Draft, Keys, Question, Sampled};
    use uuid::Uuid;

    use super::*;

    fn question(number: u8) -> Arc<SignedQuestion> {
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
        Arc::new(question.unsigned())
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_is_open_for_a_while_and_only_so_many_are() {
        let open = Open::default();
        for number in 0..17 {
            open.add(question(number));
        }
        assert_eq!(open.subscribe().borrow().len(), MOST_OPEN);
        assert_eq!(open.env_id(&[15; 16]), Some(Uuid::from_u128(15).into()));
        assert_eq!(open.env_id(&[16; 16]), None);
        tokio::time::advance(OPEN - Duration::from_millis(1)).await;
        assert!(open.env_id(&[15; 16]).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(open.env_id(&[15; 16]), None);
        open.add(question(17));
        assert_eq!(open.subscribe().borrow().len(), 1);
    }
}
