//! The result of a change, computed before the lock is taken.
//!
//! Merging and measuring a large state takes too long under a lock. So it is done with the result of an earlier read; under the
//! lock the object is read again, and the computation is repeated only if it has changed. It need not be read again if the project
//! still has the version that it had then.

pub use definition::wish::Wish;

#[derive(Debug)]
pub struct Draft<W: Wish> {
    wish: W,
    of: W::Of,
    made: W::Made,
    /// The project's version when `of` was read, if that is known.
    read_at: Option<i64>,
}

impl<W: Wish> Draft<W> {
    pub fn new(wish: W, of: W::Of) -> Self {
        let made = wish.apply(&of);
        Self {
            wish,
            of,
            made,
            read_at: None,
        }
    }

    /// Notes at which version of its project `of` was read.
    #[must_use]
    pub fn read_at(self, read_at: Option<i64>) -> Self {
        Self { read_at, ..self }
    }

    /// What it was computed from, if the project with this version has just that.
    pub fn found_at(&self, version: Option<i64>) -> Option<&W::Of> {
        (version.is_some() && version == self.read_at).then_some(&self.of)
    }

    pub const fn wish(&self) -> &W {
        &self.wish
    }

    /// What it was computed from, and the result.
    pub const fn difference(&self) -> (&W::Of, &W::Made) {
        (&self.of, &self.made)
    }

    /// The result for the object read under the lock.
    pub fn made_of(self, found: &W::Of) -> W::Made {
        if self.of == *found {
            self.made
        } else {
            self.wish.apply(found)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Add(i32);

    impl Wish for Add {
        type Of = i32;
        type Made = i32;

        fn apply(&self, of: &i32) -> i32 {
            of + self.0
        }
    }

    #[test]
    fn what_changed_before_the_lock_was_taken_is_the_base() {
        assert_eq!(Draft::new(Add(1), 1).made_of(&1), 2);
        assert_eq!(Draft::new(Add(1), 1).made_of(&5), 6);
    }

    #[test]
    fn what_was_read_at_another_version_is_read_again() {
        let draft = Draft::new(Add(1), 1);
        assert_eq!(draft.found_at(None), None);
        assert_eq!(draft.found_at(Some(7)), None);
        let draft = draft.read_at(Some(7));
        assert_eq!(draft.found_at(Some(7)), Some(&1));
        assert_eq!(draft.found_at(Some(8)), None);
        assert_eq!(draft.found_at(None), None);
    }
}
