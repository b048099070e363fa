//! The test that a condition applies to one scalar: the operators with their operands parsed.

use std::cmp::Ordering;

use super::{
    attribute::Attribute,
    instant::Instant,
    number::{Number, NumberText},
    parts::Parts,
    patterns::Compiled,
    scratch::Scratch,
    text::TextSet,
    version::Version,
};

/// An attribute, or an element of one, that has a text form.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar<'c> {
    Text(&'c str),
    Bool(bool),
    Number(Number),
}

impl<'c> Scalar<'c> {
    /// `None` for `null`, arrays and objects.
    pub(super) fn of(attribute: &'c Attribute<'c>) -> Option<Self> {
        Some(match attribute {
            Attribute::Text(text) => Self::Text(text),
            Attribute::Bool(value) => Self::Bool(*value),
            Attribute::Int(number) => Self::Number(Number::Int((*number).into())),
            Attribute::Uint(number) => Self::Number(Number::Int((*number).into())),
            Attribute::Float(number) => Self::Number(Number::Float(*number)),
            Attribute::Null | Attribute::Array(_) | Attribute::Object(_) => return None,
        })
    }

    fn with_text<T>(self, scratch: &mut Scratch, read: impl FnOnce(&str, &mut Scratch) -> T) -> T {
        match self {
            Self::Text(text) => read(text, scratch),
            Self::Bool(true) => read("true", scratch),
            Self::Bool(false) => read("false", scratch),
            Self::Number(number) => {
                // The steps that it takes to write a number down.
                scratch.spend(32);
                read(number.print(&mut NumberText::new()), scratch)
            }
        }
    }

    /// Bytes of a text; other scalars are short.
    const fn length(self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Bool(_) | Self::Number(_) => 0,
        }
    }
}

#[derive(Debug)]
pub(super) enum Predicate {
    Equals(Values),
    Contains(Box<Parts>),
    StartsWith(Box<Parts>),
    EndsWith(Box<Parts>),
    /// Places among the patterns of the flag or segment.
    Regex((u32, u32)),
    Compare(Bound, Box<Operand>),
}

impl Predicate {
    /// `None` if the operand is neither a number, a date-time nor a version.
    pub(super) fn compare(bound: Bound, operand: &str) -> Option<Self> {
        Operand::parse(operand).map(|operand| Self::Compare(bound, Box::new(operand)))
    }

    #[inline]
    pub(super) fn holds(
        &self,
        scalar: Scalar<'_>,
        patterns: &Compiled,
        scratch: &mut Scratch,
    ) -> bool {
        if let Self::Equals(values) = self {
            return values.contain(scalar, scratch);
        }
        self.tests(scalar, patterns, scratch)
    }

    // Apart, so that looking for equal values is short enough to become part of what asks for it.
    #[inline(never)]
    fn tests(&self, scalar: Scalar<'_>, patterns: &Compiled, scratch: &mut Scratch) -> bool {
        match self {
            Self::Equals(values) => values.contain(scalar, scratch),
            Self::Contains(parts) => {
                scalar.with_text(scratch, |text, scratch| parts.are_in(text, scratch))
            }
            Self::StartsWith(parts) => {
                scalar.with_text(scratch, |text, scratch| parts.begin(text, scratch))
            }
            Self::EndsWith(parts) => {
                scalar.with_text(scratch, |text, scratch| parts.end(text, scratch))
            }
            Self::Regex(places) => scalar.with_text(scratch, |text, scratch| {
                let mut usable = patterns.range(*places).iter().flatten();
                usable.any(|pattern| scratch.has_steps() && scratch.matches(pattern, text))
            }),
            Self::Compare(bound, operand) => {
                scratch.spend(operand.steps(scalar.length()));
                operand
                    .order(scalar)
                    .is_some_and(|order| bound.admits(order))
            }
        }
    }
}

/// A set of operands, one of which has to be equal.
#[derive(Debug)]
pub(super) struct Values {
    /// All of them.
    texts: TextSet,
    /// Those that are numbers.
    numbers: Option<Box<Numbers>>,
}

#[derive(Debug)]
struct Numbers {
    /// Integers, sorted.
    integers: Box<[i128]>,
    /// Any other number, sorted.
    doubles: Box<[f64]>,
}

impl Values {
    pub(super) fn prepare(values: &[String]) -> Self {
        let (mut integers, mut doubles) = (Vec::new(), Vec::new());
        for number in values.iter().filter_map(|text| Number::parse(text)) {
            match number {
                Number::Int(integer) => integers.push(integer),
                Number::Float(double) => doubles.push(double),
            }
        }
        integers.sort_unstable();
        doubles.sort_unstable_by(f64::total_cmp);
        let has_numbers = !(integers.is_empty() && doubles.is_empty());
        Self {
            texts: TextSet::of(values.iter().map(String::as_str)),
            numbers: has_numbers.then(|| {
                Box::new(Numbers {
                    integers: integers.into(),
                    doubles: doubles.into(),
                })
            }),
        }
    }

    /// Numbers are compared numerically, everything else as text. The text form of a number is itself a number, so
    /// texts need not be tried for it.
    #[inline]
    pub(super) fn contain(&self, scalar: Scalar<'_>, scratch: &mut Scratch) -> bool {
        let probes = u64::from(usize::BITS - self.texts.len().leading_zeros());
        // Each comparison may go on to the end of the text, or of a value.
        // No condition has a longer value.
        scratch.spend(probes * (1 + scalar.length().min(4_096) / 256));
        match scalar {
            Scalar::Text(text) => self.texts.contains(text),
            Scalar::Bool(value) => self.texts.contains(if value { "true" } else { "false" }),
            Scalar::Number(number) => {
                let numbers = self.numbers.as_ref();
                numbers.is_some_and(|numbers| numbers.contain(number))
            }
        }
    }
}

impl Numbers {
    #[inline(never)]
    fn contain(&self, number: Number) -> bool {
        let exact = match number {
            Number::Int(integer) => self.integers.binary_search(&integer).is_ok(),
            // Rounding to doubles preserves order, so the integers are sorted for this comparison too.
            Number::Float(double) => {
                let order =
                    |integer: &i128| compare_doubles(Number::Int(*integer).as_f64(), double);
                self.integers.binary_search_by(order).is_ok()
            }
        };
        let double = number.as_f64();
        let order = |value: &f64| compare_doubles(*value, double);
        exact || self.doubles.binary_search_by(order).is_ok()
    }
}

fn compare_doubles(a: f64, b: f64) -> Ordering {
    // Operands are finite; an attribute that is not can only come from code, and equals nothing.
    a.partial_cmp(&b).unwrap_or(Ordering::Less)
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Above,
    AtLeast,
    Below,
    AtMost,
}

impl Bound {
    const fn admits(self, attribute: Ordering) -> bool {
        match self {
            Self::Above => attribute.is_gt(),
            Self::AtLeast => attribute.is_ge(),
            Self::Below => attribute.is_lt(),
            Self::AtMost => attribute.is_le(),
        }
    }
}

/// Whether a value has an order: a comparison with any other text never matches.
#[must_use]
pub fn is_comparable(value: &str) -> bool {
    Operand::parse(value).is_some()
}

/// The right-hand side of a comparison. No text is two of these, so its kind decides how the attribute is read.
#[derive(Debug)]
pub(super) enum Operand {
    Number(Number),
    Instant(Instant),
    Version(Version<'static>),
}

impl Operand {
    fn parse(text: &str) -> Option<Self> {
        if let Some(number) = Number::parse(text) {
            Some(Self::Number(number))
        } else if let Some(instant) = Instant::parse(text) {
            Some(Self::Instant(instant))
        } else {
            Version::parse(text).map(|version| Self::Version(version.into_owned()))
        }
    }

    /// The steps that it takes to read an attribute of this length: what is not of this kind may be found out at the
    /// last byte.
    const fn steps(&self, length: u64) -> u64 {
        match self {
            Self::Number(_) | Self::Instant(_) => 4 + length / 2,
            Self::Version(_) => 4 + length,
        }
    }

    /// How the attribute compares with this; `None` if it is of another kind.
    fn order(&self, attribute: Scalar<'_>) -> Option<Ordering> {
        match (self, attribute) {
            (Self::Number(operand), Scalar::Number(number)) => number.compare(*operand),
            (Self::Number(operand), Scalar::Text(text)) => Number::parse(text)?.compare(*operand),
            (Self::Instant(operand), Scalar::Text(text)) => {
                Some(Instant::parse(text)?.cmp(operand))
            }
            (Self::Version(operand), Scalar::Text(text)) => {
                Some(Version::parse(text)?.compare(operand))
            }
            (_, Scalar::Bool(_)) | (Self::Instant(_) | Self::Version(_), Scalar::Number(_)) => None,
        }
    }
}
