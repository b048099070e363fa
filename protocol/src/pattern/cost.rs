//! What it costs to read a pattern, reckoned before it is compiled.
//!
//! The bound on a compiled pattern says nothing of classes that are built and then dropped: `(?i)[[\S][\S]]{0}` compiles to nothing,
//! after the case of two million characters was folded. So characters whose case is folded are counted, and so is what else is
//! done for a class, in units of one such character.

use regex_syntax::{
    Parser,
    ast::{self, Ast, ClassBracketed, ClassPerlKind, ClassSet, ClassSetItem, ClassUnicode, Span},
    hir::{Class, HirKind},
};

/// Characters of which there are as many as code points.
const ALL: u64 = 0x11_0000;
/// A class such as `\w`: its ranges are copied, and put in order with those beside it.
const NAMED: u64 = 16 << 10;
/// An item beside none.
const ALONE: u64 = 64;

/// In units of one character whose case is folded, some nanoseconds. `None` if the text is not a regular expression, or if it
/// costs more than `at_most`.
pub(super) fn cost(text: &str, at_most: u64) -> Option<u64> {
    let ast = ast::parse::Parser::new().parse(text).ok()?;
    let sum = Sum {
        text,
        at_most,
        plain: 0,
        folding: 0,
        folds: false,
    };
    ast::visit(&ast, sum).ok()
}

struct Sum<'a> {
    text: &'a str,
    at_most: u64,
    plain: u64,
    /// What folding adds, if any part of the pattern ignores case.
    folding: u64,
    folds: bool,
}

/// It costs too much.
struct TooMuch;

impl Sum<'_> {
    fn total(&self) -> u64 {
        self.plain + if self.folds { self.folding } else { 0 }
    }

    fn add(&mut self, plain: u64) -> Result<(), TooMuch> {
        self.plain += plain;
        if self.total() > self.at_most {
            return Err(TooMuch);
        }
        Ok(())
    }

    fn fold(&mut self, characters: u64) -> u64 {
        let characters = characters.min(ALL);
        self.folding += characters;
        // Up to four characters are the same but for case.
        (characters * 4).min(ALL)
    }

    fn flags(&mut self, flags: &ast::Flags) {
        self.folds |= flags.flag_state(ast::Flag::CaseInsensitive) == Some(true);
    }

    /// How many characters `\p{…}` has.
    fn unicode(&mut self, class: &ClassUnicode) -> Result<u64, TooMuch> {
        // It is looked up, and put together from several, such as those of all ages.
        self.add(96 << 10)?;
        let own = size(self.text, &class.span).unwrap_or(ALL);
        if class.is_negated() {
            self.fold(ALL.saturating_sub(own));
            Ok(own)
        } else {
            Ok(self.fold(own))
        }
    }

    fn bracketed(&mut self, class: &ClassBracketed) -> Result<u64, TooMuch> {
        let characters = self.set(&class.kind)?;
        let characters = self.fold(characters);
        self.add(ALONE)?;
        Ok(if class.negated { ALL } else { characters })
    }

    fn set(&mut self, set: &ClassSet) -> Result<u64, TooMuch> {
        match set {
            ClassSet::Item(item) => self.item(item),
            ClassSet::BinaryOp(op) => {
                let (left, right) = (self.set(&op.lhs)?, self.set(&op.rhs)?);
                self.add(2 * NAMED)?;
                Ok(self.fold(left) + self.fold(right))
            }
        }
    }

    fn item(&mut self, item: &ClassSetItem) -> Result<u64, TooMuch> {
        self.add(ALONE)?;
        Ok(match item {
            ClassSetItem::Empty(_) => 0,
            ClassSetItem::Literal(_) => 1,
            ClassSetItem::Range(range) => {
                u64::from(u32::from(range.end.c).saturating_sub(range.start.c.into())) + 1
            }
            ClassSetItem::Ascii(class) if class.negated => ALL,
            ClassSetItem::Ascii(_) => self.fold(128),
            ClassSetItem::Unicode(class) => self.unicode(class)?,
            ClassSetItem::Perl(class) => {
                self.add(NAMED)?;
                // Upper bounds.
                match class.kind {
                    _ if class.negated => ALL,
                    ClassPerlKind::Word => 150_000,
                    ClassPerlKind::Digit => 1_000,
                    ClassPerlKind::Space => 32,
                }
            }
            ClassSetItem::Bracketed(class) => self.bracketed(class)?,
            ClassSetItem::Union(union) => {
                let has_large = union
                    .items
                    .iter()
                    .any(|item| !matches!(item, ClassSetItem::Literal(_) | ClassSetItem::Range(_)));
                let mut characters = 0;
                for item in &union.items {
                    if has_large {
                        // The ranges of all classes with names are put in order again.
                        self.add(4 << 10)?;
                    }
                    characters += self.item(item)?;
                }
                characters.min(ALL)
            }
        })
    }
}

impl ast::Visitor for Sum<'_> {
    type Output = u64;
    type Err = TooMuch;

    fn finish(self) -> Result<u64, TooMuch> {
        match self.total() {
            total if total > self.at_most => Err(TooMuch),
            total => Ok(total),
        }
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), TooMuch> {
        match ast {
            Ast::Flags(set) => self.flags(&set.flags),
            Ast::Group(group) => {
                if let Some(flags) = group.flags() {
                    self.flags(flags);
                }
            }
            Ast::ClassPerl(_) => self.add(NAMED)?,
            Ast::ClassUnicode(class) => {
                self.unicode(class)?;
            }
            Ast::ClassBracketed(class) => {
                self.bracketed(class)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Characters of a class with a name, by that name.
fn size(text: &str, span: &Span) -> Option<u64> {
    let name = text.get(span.start.offset..span.end.offset)?;
    let class = Parser::new().parse(name).ok()?;
    let HirKind::Class(Class::Unicode(class)) = class.kind() else {
        return None;
    };
    let characters = |range: &regex_syntax::hir::ClassUnicodeRange| {
        u64::from(u32::from(range.end()) - u32::from(range.start())) + 1
    };
    Some(class.ranges().iter().map(characters).sum())
}
