//! Marks that prove to a replica that the database contains everything it has seen.
//!
//! A poll that finds a change writes a random mark, in the same statement. A state of the database with this mark contains
//! everything that the poll found; a state without it was restored to an earlier point, whatever was written since. Every poll
//! reads the present mark, in the same snapshot as everything else.

use uuid::Uuid;

/// The expected mark.
#[derive(Debug)]
pub(super) struct Mark {
    /// The owner of the mark: this process, in this history.
    reader: Uuid,
    /// Acceptable marks; `None` before the first poll. Empty once another one was found.
    accepted: Vec<Option<Uuid>>,
}

/// The mark of one poll.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) reader: Uuid,
    /// Written if the poll finds a change, in place of an accepted one.
    pub(super) next: Uuid,
    pub(super) accepted: Vec<Uuid>,
}

impl Default for Mark {
    /// For a process that has not polled yet.
    fn default() -> Self {
        Self {
            reader: Uuid::new_v4(),
            accepted: vec![None],
        }
    }
}

impl Mark {
    /// For the next poll. Until that is answered, its mark may have been written or not.
    pub(super) fn attempt(&mut self) -> Attempt {
        let attempt = Attempt {
            reader: self.reader,
            next: Uuid::new_v4(),
            accepted: self.accepted.iter().copied().flatten().collect(),
        };
        if self.accepted.len() > 16 {
            // The first is known to have been written. Forgetting another one costs a greeting of all edges, if it was written.
            self.accepted.remove(1);
        }
        self.accepted.push(Some(attempt.next));
        attempt
    }

    /// Whether the database contains everything that was seen. Once false, it stays false.
    pub(super) fn is_kept(&mut self, found: Option<Uuid>) -> bool {
        let is_kept = self.accepted.contains(&found);
        if !is_kept {
            self.accepted.clear();
        }
        is_kept
    }

    /// The poll was answered, so it is known whether its mark was written.
    pub(super) fn answered(&mut self, attempt: &Attempt, is_written: bool) {
        if is_written {
            self.accepted = vec![Some(attempt.next)];
        } else {
            self.accepted.retain(|mark| *mark != Some(attempt.next));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_has_an_earlier_mark_does_not_go_on_from_what_was_seen() {
        let mut mark = Mark::default();
        assert!(mark.is_kept(None), "nothing was seen");
        let first = mark.attempt();
        mark.answered(&first, true);
        let second = mark.attempt();
        assert_eq!(second.accepted, [first.next]);
        mark.answered(&second, false);
        assert!(mark.is_kept(Some(first.next)), "nothing was found since");
        let third = mark.attempt();
        mark.answered(&third, true);
        assert!(mark.is_kept(Some(third.next)));
        assert!(!mark.is_kept(Some(first.next)));
        assert!(
            !mark.is_kept(Some(third.next)),
            "it was another database meanwhile"
        );
    }

    #[test]
    fn what_a_look_wrote_whose_answer_was_lost_is_accepted_until_another_is_answered() {
        let mut mark = Mark::default();
        let lost = mark.attempt();
        assert!(mark.is_kept(None) && mark.is_kept(Some(lost.next)));
        let answered = mark.attempt();
        assert_eq!(answered.accepted, [lost.next]);
        mark.answered(&answered, true);
        assert!(mark.is_kept(Some(answered.next)));
        assert!(!mark.is_kept(Some(lost.next)), "it was written before that");
    }

    #[test]
    fn marks_of_looks_without_an_answer_are_bounded() {
        let mut mark = Mark::default();
        let certain = mark.attempt();
        mark.answered(&certain, true);
        let lost: Vec<_> = (0..1_000).map(|_| mark.attempt().next).collect();
        assert_eq!(mark.accepted.len(), 17);
        assert!(mark.is_kept(Some(certain.next)) && mark.is_kept(lost.last().copied()));
    }
}
