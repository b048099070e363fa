//! Where a condition here answers differently from its source, for remarks.

/// Of one condition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Difference {
    /// What differs, and for which contexts.
    pub(super) reason: String,
    /// The condition, by property and operator.
    pub(super) of: String,
}

impl Difference {
    /// A number, a boolean or a text where the operand is of another type.
    pub(super) fn other_types(property: &str, operator: &str) -> Self {
        Self::new(
            property,
            operator,
            "an attribute of another type than the operand, or a number that is spelled otherwise, compares differently there",
        )
    }

    pub(super) fn order_of_texts(property: &str, operator: &str) -> Self {
        Self::new(
            property,
            operator,
            "texts are compared letter by letter there, and here only where both are dates with a time, or versions",
        )
    }

    pub(super) fn not_contains(property: &str, operator: &str) -> Self {
        Self::new(
            property,
            operator,
            "it holds here for everything but the operand itself, also for texts that contain it",
        )
    }

    pub(super) fn unknown(property: &str, operator: &str) -> Self {
        Self::new(
            property,
            operator,
            "current servers do not know the operator, and match nobody",
        )
    }

    pub(super) fn share(property: &str, operator: &str) -> Self {
        let property = if property.is_empty() { "key" } else { property };
        Self::new(
            property,
            operator,
            "a segment cannot hold a share of the users: it holds here only where the attribute is the percentage itself",
        )
    }

    /// Numbers and booleans, which regular expressions find as the source prints them.
    pub(super) fn printed(property: &str) -> Self {
        Self::new(
            property,
            "REGEX",
            "numbers and booleans are printed differently there (`True`, `1.0`)",
        )
    }

    pub(super) fn pattern(property: &str, reason: &str) -> Self {
        Self::new(property, "REGEX", reason)
    }

    fn new(property: &str, operator: &str, reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            of: format!("{property} {operator}"),
        }
    }
}
