//! The frames kept of one environment, and the answers that they allow.

use std::collections::VecDeque;

use bytes::Bytes;
use fanout::Frame;
use protocol::snapshot::Version;
use tokio::sync::watch;

use super::{Found, making::Work};

/// How much is kept beside the whole frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Deltas.
    pub(super) deltas: usize,
    /// Bytes of deltas, where the whole frame is shorter than that.
    pub(super) bytes: usize,
}

impl Bounds {
    pub(super) const DEFAULT: Self = Self {
        deltas: 256,
        bytes: 64 << 10,
    };
}

/// The frames of an environment that is served.
pub(super) struct Held {
    bounds: Bounds,
    /// The newest.
    version: Version,
    /// If it is older than the newest, a delta starts from it.
    whole: Option<Whole>,
    /// Each starts where the one before it leads to, and the last leads to the newest version.
    deltas: VecDeque<Link>,
    /// They lead to the newest version too.
    merged: Vec<Link>,
    under_way: Vec<UnderWay>,
    /// Another number whenever what is held does not follow from what was held before.
    lineage: u64,
}

#[derive(Clone)]
pub(super) struct Whole {
    pub(super) version: Version,
    pub(super) bytes: Bytes,
}

/// A delta.
#[derive(Clone)]
pub(super) struct Link {
    base: Version,
    pub(super) frame: Frame,
}

/// A frame that is being made.
struct UnderWay {
    /// The version that it starts from; a whole environment starts from none.
    base: Option<Version>,
    to: Version,
    made: watch::Receiver<Option<Frame>>,
}

impl UnderWay {
    /// Not any more if the runtime stopped the task that made it.
    fn is_made(&self) -> bool {
        self.made.has_changed().is_ok()
    }
}

/// The next step of a task that asks for a frame.
pub(super) enum Look {
    Found(Found),
    /// Another task makes it.
    UnderWay(watch::Receiver<Option<Frame>>),
    /// The task that gets this makes it.
    Make(Work),
}

impl Held {
    /// Without any frame.
    pub(super) fn new(version: Version, bounds: Bounds) -> Self {
        Self {
            bounds,
            version,
            whole: None,
            deltas: VecDeque::new(),
            merged: Vec::new(),
            under_way: Vec::new(),
            lineage: 0,
        }
    }

    /// Takes a whole environment. If it is another version than the newest, there is no way from one to the other.
    pub(super) fn whole(&mut self, version: Version, bytes: Bytes) {
        if version != self.version {
            self.restart(version);
        }
        self.whole = Some(Whole { version, bytes });
    }

    /// Takes a delta. What is returned is to be made.
    pub(super) fn delta(&mut self, base: Version, frame: Frame) -> Option<Work> {
        if base != self.version {
            self.restart(base);
        }
        self.version = frame.version;
        self.merged.clear();
        self.deltas.push_back(Link { base, frame });
        self.trim()
    }

    /// Takes a version of which there are no frames, unless it is not newer.
    pub(super) fn holds(&mut self, version: Version) {
        if version > self.version {
            self.restart(version);
        }
    }

    pub(super) const fn has_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// Nothing of what is being made is of use to anybody.
    pub(super) fn abandon(&mut self) {
        self.restart(self.version);
    }

    fn restart(&mut self, version: Version) {
        self.version = version;
        self.whole = None;
        self.deltas.clear();
        self.merged.clear();
        self.under_way.clear();
        self.lineage += 1;
    }

    /// The frame from `base`, or from nothing, to the newest version.
    pub(super) fn look(&mut self, base: Option<Version>) -> Look {
        if let Some(base) = base {
            if base >= self.version {
                return Look::Found(Found::Nothing(self.version));
            }
            if let Some(start) = self.start_of(base) {
                return self.look_for_delta(base, start);
            }
        }
        self.look_for_whole()
    }

    fn look_for_delta(&mut self, base: Version, start: usize) -> Look {
        let newest = (start + 1 == self.deltas.len()).then(|| &self.deltas[start]);
        let known = newest.or_else(|| self.merged.iter().find(|link| link.base == base));
        if let Some(link) = known {
            return Look::Found(Found::Send(link.frame.clone()));
        }
        // An older one does not have what is newest, which may be urgent.
        let under_way = self.under_way(Some(base));
        if let Some(under_way) = under_way.filter(|under_way| under_way.to == self.version) {
            return Look::UnderWay(under_way.made.clone());
        }
        Look::Make(self.work(None, start))
    }

    fn look_for_whole(&mut self) -> Look {
        let Some(whole) = &self.whole else {
            return Look::Found(Found::Missing);
        };
        if whole.version == self.version {
            return Look::Found(Found::Send(Frame {
                version: whole.version,
                bytes: whole.bytes.clone(),
                urgent: false,
            }));
        }
        if let Some(under_way) = self.under_way(None) {
            return Look::UnderWay(under_way.made.clone());
        }
        self.renew_whole()
            .map_or(Look::Found(Found::Missing), Look::Make)
    }

    /// Takes a frame that was made. True if it follows from the frames held now, so that it can be sent; the work returned
    /// with it is to be done.
    pub(super) fn take(&mut self, work: &Work, frame: &Frame) -> (bool, Option<Work>) {
        if work.lineage != self.lineage {
            return (false, None);
        }
        let (base, to) = (work.base, frame.version);
        self.under_way
            .retain(|under_way| (under_way.base, under_way.to) != (base, to));
        match base {
            None if self.may_replace_whole(to) => {
                self.whole = Some(Whole {
                    version: to,
                    bytes: frame.bytes.clone(),
                });
            }
            Some(base) if to == self.version => self.keep_merged(Link {
                base,
                frame: frame.clone(),
            }),
            _ => {}
        }
        (true, self.trim())
    }

    /// Something could not be made of what is held: it is held without frames then.
    pub(super) fn failed(&mut self, lineage: u64) {
        if lineage == self.lineage {
            self.restart(self.version);
        }
    }

    fn may_replace_whole(&self, version: Version) -> bool {
        let is_newer = self
            .whole
            .as_ref()
            .is_some_and(|whole| whole.version < version);
        is_newer && (version == self.version || self.start_of(version).is_some())
    }

    fn keep_merged(&mut self, link: Link) {
        let room = self.room();
        self.merged.push(link);
        // A few are kept, for other edges that hold the same version.
        while self.merged.len() > 4 || bytes(&self.merged) > room {
            self.merged.remove(0);
        }
    }

    /// Drops the oldest deltas beyond the bounds. Those that the whole frame needs stay until it is brought up to date,
    /// which is to be done with what is returned. If too much comes meanwhile, the whole frame is dropped instead.
    fn trim(&mut self) -> Option<Work> {
        while self.deltas.len() > 1 && self.is_too_much(0) {
            let needed = self.whole.as_ref().map(|whole| whole.version);
            if needed == Some(self.deltas[0].base) {
                let Some(under_way) = self.under_way(None) else {
                    return self.renew_whole();
                };
                let rest = self.start_of(under_way.to).unwrap_or(self.deltas.len());
                if !self.is_too_much(rest) {
                    return None;
                }
                self.whole = None;
            }
            self.deltas.pop_front();
        }
        None
    }

    /// Whether the deltas from the given one on are more than there is room for.
    fn is_too_much(&self, start: usize) -> bool {
        let deltas = || self.deltas.range(start..);
        deltas().len() > self.bounds.deltas || bytes(deltas()) > self.room()
    }

    /// Bytes of deltas that are kept.
    fn room(&self) -> usize {
        let whole = self.whole.as_ref().map_or(0, |whole| whole.bytes.len());
        whole.max(self.bounds.bytes)
    }

    /// Has the whole frame and the deltas since merged, if there are any.
    fn renew_whole(&mut self) -> Option<Work> {
        let whole = self.whole.clone()?;
        let start = self.start_of(whole.version)?;
        Some(self.work(Some(whole), start))
    }

    fn work(&mut self, whole: Option<Whole>, start: usize) -> Work {
        let deltas: Vec<_> = self.deltas.range(start..).cloned().collect();
        let base = whole.is_none().then(|| deltas[0].base);
        let (made, result) = watch::channel(None);
        self.under_way.retain(UnderWay::is_made);
        self.under_way.push(UnderWay {
            base,
            to: self.version,
            made: result,
        });
        Work {
            base,
            whole,
            deltas,
            lineage: self.lineage,
            made,
        }
    }

    /// The newest of what starts from `base` and is being made.
    fn under_way(&self, base: Option<Version>) -> Option<&UnderWay> {
        let mut newest_first = self.under_way.iter().rev();
        newest_first.find(|under_way| under_way.base == base && under_way.is_made())
    }

    /// The number of the delta that starts from a version.
    fn start_of(&self, base: Version) -> Option<usize> {
        let start = self.deltas.partition_point(|link| link.base < base);
        self.deltas
            .get(start)
            .is_some_and(|link| link.base == base)
            .then_some(start)
    }
}

fn bytes<'a>(links: impl IntoIterator<Item = &'a Link>) -> usize {
    links.into_iter().map(|link| link.frame.bytes.len()).sum()
}

/// What is kept, for tests.
#[cfg(test)]
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) deltas: usize,
    pub(super) bytes: usize,
    pub(super) whole: Option<usize>,
    pub(super) is_merging: bool,
}

#[cfg(test)]
impl Held {
    pub(super) fn kept(&self) -> Kept {
        Kept {
            deltas: self.deltas.len(),
            bytes: bytes(&self.deltas),
            whole: self.whole.as_ref().map(|whole| whole.bytes.len()),
            is_merging: self.under_way.iter().any(UnderWay::is_made),
        }
    }
}
