//! What happened while processes failed: what was asked of whom, when it was asked and answered, and what came back.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use serde::Serialize;

/// From when to when, since the history began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    pub from: Duration,
    pub to: Duration,
}

impl Span {
    pub fn overlaps(self, other: Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Outcome<T> {
    Done(T),
    Refused(u16),
    /// The connection ended before there was an answer, or nobody waited any longer.
    Unanswered,
}

impl<T> Outcome<T> {
    pub const fn done(&self) -> Option<&T> {
        match self {
            Self::Done(done) => Some(done),
            Self::Refused(_) | Self::Unanswered => None,
        }
    }
}

/// What a flag serves that was killed.
pub const OFF: &str = "off";

/// One change, of one thing or of several together, to a value that nobody else writes, except [`OFF`].
#[derive(Clone, Debug, Serialize)]
pub struct Write {
    pub span: Span,
    pub server: String,
    pub items: Vec<String>,
    pub value: String,
    /// Told to the service as the comment of the change.
    pub note: String,
    /// The version that it was given; none if it changed nothing.
    pub outcome: Outcome<Option<u64>>,
}

/// What a reader can tell about a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Sight {
    Is(String),
    AtLeast(u64),
    Below(u64),
}

impl Sight {
    pub fn fits(&self, value: &str) -> bool {
        let number = || value.parse::<u64>();
        match self {
            Self::Is(seen) => seen == value,
            Self::AtLeast(least) => number().is_ok_and(|number| number >= *least),
            Self::Below(bound) => number().is_ok_and(|number| number < *bound),
        }
    }
}

/// All that one answer said, and of which version.
#[derive(Clone, Debug, Serialize)]
pub struct Seen {
    pub version: u64,
    pub items: BTreeMap<String, Sight>,
}

/// A question to an edge.
#[derive(Clone, Debug, Serialize)]
pub struct Read {
    pub span: Span,
    pub edge: String,
    /// Whether the edge counts it, if it answers.
    pub is_counted: bool,
    pub outcome: Outcome<Seen>,
}

/// A variant that was reported as shown.
#[derive(Clone, Debug, Serialize)]
pub struct Track {
    pub span: Span,
    pub edge: String,
    pub outcome: Outcome<()>,
}

/// What an edge said about the age of what it serves.
#[derive(Clone, Debug, Serialize)]
pub struct Said {
    pub span: Span,
    pub edge: String,
    pub age: Duration,
}

/// An event of a stream.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    pub at: Duration,
    pub edge: String,
    pub stream: u64,
    pub version: u64,
}

/// A fault, from when it began until all it struck was as before.
#[derive(Clone, Debug, Serialize)]
pub struct Strike {
    pub span: Span,
    /// What to count it as, and what exactly.
    pub kind: String,
    pub what: String,
    /// Processes that were killed by it.
    pub killed: Vec<String>,
    /// Processes that cannot answer during it. Those that were killed are among them.
    pub silenced: Vec<String>,
    /// Edges that can neither send nor store what they count during it.
    pub unstored: Vec<String>,
}

/// What the control plane has counted of an edge at the end.
#[derive(Clone, Debug, Serialize)]
pub struct Tally {
    pub edge: String,
    pub evaluations: u64,
    pub impressions: u64,
}

/// What is stored.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Kept {
    /// By item, what each control plane says at the end that its value is.
    pub values: Vec<(String, Sight)>,
    /// How often each comment was found in the histories of flags, which keep the newest 200 versions: after each round.
    pub notes: BTreeMap<String, usize>,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Items that are only ever changed together, to the same value.
    pub pairs: Vec<[String; 2]>,
    /// Items whose changes are in the histories of flags.
    pub noted: Vec<String>,
    /// Edges that keep nothing on disk: they load all there is before they answer.
    pub built_in: Vec<String>,
    pub writes: Vec<Write>,
    pub reads: Vec<Read>,
    pub tracks: Vec<Track>,
    pub said: Vec<Said>,
    pub told: Vec<Told>,
    pub strikes: Vec<Strike>,
    pub tallies: Vec<Tally>,
    pub kept: Kept,
}

impl History {
    /// Whether that process was able to answer all the time.
    pub fn is_able(&self, process: &str, span: Span) -> bool {
        let mut strikes = self.strikes.iter();
        !strikes.any(|strike| {
            strike.span.overlaps(span) && strike.silenced.iter().any(|name| name == process)
        })
    }

    /// When that process was killed, and was ready again.
    pub fn ends_of(&self, process: &str) -> impl Iterator<Item = Span> {
        let strikes = self.strikes.iter();
        let killed = strikes.filter(move |strike| strike.killed.iter().any(|name| name == process));
        killed.map(|strike| strike.span)
    }

    /// How many requests were made.
    pub fn requests(&self) -> usize {
        self.writes.len() + self.reads.len() + self.tracks.len() + self.said.len()
    }

    /// How many writes were acknowledged.
    pub fn acknowledged(&self) -> usize {
        let writes = self.writes.iter();
        writes
            .filter(|write| write.outcome.done().is_some())
            .count()
    }

    /// Writes all of it as lines of JSON.
    pub fn write_to(&self, file: &mut impl io::Write) -> io::Result<()> {
        lines(file, "write", &self.writes)?;
        lines(file, "read", &self.reads)?;
        lines(file, "track", &self.tracks)?;
        lines(file, "said", &self.said)?;
        lines(file, "told", &self.told)?;
        lines(file, "strike", &self.strikes)?;
        lines(file, "tally", &self.tallies)?;
        lines(file, "kept", std::slice::from_ref(&self.kept))
    }
}

fn lines<T: Serialize>(file: &mut impl io::Write, kind: &str, all: &[T]) -> io::Result<()> {
    for one in all {
        serde_json::to_writer(&mut *file, &BTreeMap::from([(kind, one)]))?;
        file.write_all(b"\n")?;
    }
    Ok(())
}
