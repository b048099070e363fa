//! What a body wishes of a thing, checked, and not yet applied.

/// Checked changes to a thing.
pub trait Wish {
    /// What they are applied to.
    type Of: PartialEq;
    /// What comes of it.
    type Made;

    /// Applies it. Infallible: all checks were made when the wish was created.
    fn apply(&self, of: &Self::Of) -> Self::Made;
}
