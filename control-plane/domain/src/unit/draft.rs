//! What a change makes of something that is stored, computed before the lock on it is taken.
//!
//! Merging and measuring a large state takes time that nobody should wait for a lock in. So it is done with what a look-up
//! found; under the lock the thing is read again, and only in the rare case that somebody changed it in between it is done
//! anew.

/// Input that was checked, to be applied to something.
pub trait Wish {
    /// What it is applied to.
    type Of: PartialEq;
    /// What comes out.
    type Made;

    /// Applies it. Cannot fail: all that can be refused was refused when the wish was made.
    fn apply(&self, of: &Self::Of) -> Self::Made;
}

/// A wish and what it makes of what a look-up found.
#[derive(Debug)]
pub struct Draft<W: Wish> {
    wish: W,
    of: W::Of,
    made: W::Made,
}

impl<W: Wish> Draft<W> {
    /// Applies the wish to what a look-up found.
    pub fn new(wish: W, of: W::Of) -> Self {
        let made = wish.apply(&of);
        Self { wish, of, made }
    }

    /// The wish.
    pub const fn wish(&self) -> &W {
        &self.wish
    }

    /// What it makes of what is there under the lock.
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
}
