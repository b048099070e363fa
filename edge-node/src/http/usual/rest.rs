//! Reads the usual forms of JSON, one after the other.

use std::borrow::Cow;

use protocol::eval::Attribute;

/// What is left to read of a text. Nothing is, once anything was not as usual.
// Most of it is in line, so that the place is kept in a register: a usual body is read in three quarters of the time.
pub(super) struct Rest<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    pub(super) const fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Whether nothing but spaces is left.
    pub(super) fn is_empty(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Reads the members of an object, each value by `member`.
    #[inline(always)]
    pub(super) fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<()> {
        self.between(b'{', b'}', |rest| {
            let name = rest.text()?;
            rest.take(b':')?;
            member(rest, name)
        })
    }

    /// Reads the elements of a list.
    #[inline(always)]
    pub(super) fn elements(&mut self, element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.between(b'[', b']', element)
    }

    /// Reads what is separated by commas.
    #[inline(always)]
    fn between(
        &mut self,
        first: u8,
        last: u8,
        mut one: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.take(first)?;
        if self.peek()? == last {
            return self.take(last);
        }
        loop {
            one(self)?;
            if self.peek()? == last {
                return self.take(last);
            }
            self.take(b',')?;
        }
    }

    #[inline(always)]
    pub(super) fn text(&mut self) -> Option<&'a str> {
        self.take(b'"')?;
        let end = end_of_text(self.text.as_bytes(), self.at)?;
        let text = self.text.get(self.at..end)?;
        self.at = end + 1;
        Some(text)
    }

    #[inline(always)]
    pub(super) fn value(&mut self) -> Option<Attribute<'a>> {
        if self.peek()? == b'"' {
            return Some(Attribute::Text(Cow::Borrowed(self.text()?)));
        }
        self.no_text()
    }

    // Apart, because most values are texts.
    #[inline(never)]
    fn no_text(&mut self) -> Option<Attribute<'a>> {
        match self.peek()? {
            b't' => self.word("true", Attribute::Bool(true)),
            b'f' => self.word("false", Attribute::Bool(false)),
            b'n' => self.word("null", Attribute::Null),
            _ => self.whole_number(),
        }
    }

    fn word(&mut self, word: &str, value: Attribute<'a>) -> Option<Attribute<'a>> {
        let is_next = self.text.get(self.at..)?.starts_with(word);
        self.at += word.len();
        is_next.then_some(value)
    }

    /// Digits, without a sign. What may follow those of another number is refused by whoever reads on.
    fn whole_number(&mut self) -> Option<Attribute<'a>> {
        let rest = self.text.get(self.at..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest.get(..digits)?;
        // More of them may not fit.
        let is_usual = digits < 19 && (digits == 1 || !number.starts_with('0'));
        self.at += digits;
        let number = number.parse().ok().filter(|_| is_usual)?;
        Some(Attribute::Uint(number))
    }

    /// The next byte that is no space, without taking it.
    #[inline(always)]
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    #[inline(always)]
    fn take(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then(|| self.at += 1)
    }
}

/// Where the quote is that ends the text from `at` on; `None` if there is none, or an escape or a control character before it.
#[inline(always)]
fn end_of_text(bytes: &[u8], mut at: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    const HIGHEST: u64 = ONES << 7;
    // The highest bit of each byte that is not `byte` at first, and is it then, exact up to the first of them.
    let is = |eight: u64, byte: u8| (eight ^ (ONES * u64::from(byte))).wrapping_sub(ONES);
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let eight = u64::from_le_bytes(*eight);
        let below_space = eight.wrapping_sub(ONES * 0x20);
        let special = (is(eight, b'"') | is(eight, b'\\') | below_space) & !eight & HIGHEST;
        if special != 0 {
            at += special.trailing_zeros() as usize / 8;
            return (bytes[at] == b'"').then_some(at);
        }
        at += 8;
    }
    let left = bytes.get(at..)?.iter();
    let is_special = |byte: &u8| matches!(*byte, b'"' | b'\\' | ..0x20);
    at += left.take_while(|byte| !is_special(byte)).count();
    (*bytes.get(at)? == b'"').then_some(at)
}
