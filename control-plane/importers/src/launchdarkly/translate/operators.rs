//! The operators of clauses.

/// An operator of the source, with what it reads its operands as.
#[derive(Clone, Copy)]
pub(super) enum Operator {
    In,
    /// By its name here, which is that of the source.
    Text(&'static str),
    Matches,
    Number(Comparison),
    Date(Comparison),
    Version(Comparison),
    VersionEqual,
}

#[derive(Clone, Copy)]
pub(super) enum Comparison {
    Above,
    AtLeast,
    Below,
    AtMost,
}

impl Operator {
    pub(super) fn read(name: &str) -> Option<Self> {
        use Comparison::{Above, AtLeast, AtMost, Below};
        Some(match name {
            "in" => Self::In,
            "startsWith" => Self::Text("startsWith"),
            "endsWith" => Self::Text("endsWith"),
            "contains" => Self::Text("contains"),
            "matches" => Self::Matches,
            "greaterThan" => Self::Number(Above),
            "greaterThanOrEqual" | "greaterOrEqual" => Self::Number(AtLeast),
            "lessThan" => Self::Number(Below),
            "lessThanOrEqual" | "lessOrEqual" => Self::Number(AtMost),
            "after" => Self::Date(Above),
            "before" => Self::Date(Below),
            "semVerGreaterThan" => Self::Version(Above),
            "semVerLessThan" => Self::Version(Below),
            "semVerEqual" => Self::VersionEqual,
            _ => return None,
        })
    }
}

impl Comparison {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Above => "gt",
            Self::AtLeast => "gte",
            Self::Below => "lt",
            Self::AtMost => "lte",
        }
    }

    pub(super) const fn inverse(self) -> Self {
        match self {
            Self::Above => Self::AtMost,
            Self::AtLeast => Self::Below,
            Self::Below => Self::AtLeast,
            Self::AtMost => Self::Above,
        }
    }
}
