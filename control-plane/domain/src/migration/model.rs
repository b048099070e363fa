//! An import as the API shows it, and what became of each item of its source.

use importers::plan::{self, Fidelity, Remarks};
use serde::Serialize;
use serving::page::Paged;
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::{
    ids::{MigrationId, ProjectId},
    input::Invalid,
};

/// A platform that flags are imported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[schema(as = MigrationProvider)]
#[sqlx(type_name = "text")]
pub enum Provider {
    /// LaunchDarkly, and what speaks its REST API v2.
    #[serde(rename = "provider_a")]
    #[sqlx(rename = "provider_a")]
    LaunchDarkly,
    /// Unleash, and what speaks its admin API.
    #[serde(rename = "provider_b")]
    #[sqlx(rename = "provider_b")]
    Unleash,
    /// Flagsmith, and what speaks its API v1.
    #[serde(rename = "provider_c")]
    #[sqlx(rename = "provider_c")]
    Flagsmith,
}

impl Provider {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::LaunchDarkly, Self::Unleash, Self::Flagsmith];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LaunchDarkly => "provider_a",
            Self::Unleash => "provider_b",
            Self::Flagsmith => "provider_c",
        }
    }

    pub const fn display_name(self) -> &'static str {
        match self {
            Self::LaunchDarkly => "LaunchDarkly",
            Self::Unleash => "Unleash",
            Self::Flagsmith => "Flagsmith",
        }
    }

    pub const fn capabilities(self) -> &'static [&'static str] {
        match self {
            Self::LaunchDarkly | Self::Unleash => &["flags", "environments", "segments"],
            Self::Flagsmith => &["flags", "environments", "segments", "identities"],
        }
    }
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[schema(as = MigrationStatus)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Status {
    /// It runs, or waits for others to end.
    InProgress,
    /// It has ended; items may have been skipped.
    Completed,
    /// It ended before all items were looked at. What it imported is there.
    Failed,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, sqlx::Type, ToSchema)]
#[schema(as = MigrationItemKind)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum ItemKind {
    /// An environment.
    Environment,
    /// A segment.
    Segment,
    /// A flag with its states.
    Flag,
}

impl From<plan::Kind> for ItemKind {
    fn from(kind: plan::Kind) -> Self {
        match kind {
            plan::Kind::Environment => Self::Environment,
            plan::Kind::Segment => Self::Segment,
            plan::Kind::Flag => Self::Flag,
        }
    }
}

/// How an item of the source fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[schema(as = MigrationVerdict)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Verdict {
    /// It answers as it does at the source, for every context.
    Exact,
    /// It is imported and can answer differently, as the reasons say.
    Approximated,
    /// Nothing is made of it.
    Skipped,
}

impl Verdict {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "exact" => Ok(Self::Exact),
            "approximated" => Ok(Self::Approximated),
            "skipped" => Ok(Self::Skipped),
            _ => Err(Invalid::new(
                "verdict must be exact, approximated or skipped",
            )),
        }
    }
}

/// What becomes of an item of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = MigrationItem)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its key or name at the source.
    pub source: String,
    /// Its key (of an environment: slug) here; `null` where nothing is made.
    #[schema(required)]
    pub key: Option<String>,
    /// How it fares.
    pub verdict: Verdict,
    /// Why it is not exact, or what else there is to know. Those of approximations begin with `warning:`.
    pub reasons: Vec<String>,
}

impl Item {
    /// Something that is made, or is there already.
    pub fn kept(kind: ItemKind, source: &str, key: &str, remarks: &Remarks) -> Self {
        let verdict = if remarks.is_empty() {
            Verdict::Exact
        } else {
            Verdict::Approximated
        };
        Self {
            kind,
            source: shortened(source),
            key: Some(key.to_owned()),
            verdict,
            reasons: reasons(remarks),
        }
    }

    /// Something of which nothing is made.
    pub fn skipped(kind: ItemKind, source: &str, reason: impl Into<String>) -> Self {
        Self {
            kind,
            source: shortened(source),
            key: None,
            verdict: Verdict::Skipped,
            reasons: vec![shortened(&reason.into())],
        }
    }
}

/// The text, cut where it is too long for a report: a source may call its things anything.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(500) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn reasons(remarks: &Remarks) -> Vec<String> {
    let said = remarks.iter().map(|remark| match remark.fidelity {
        Fidelity::Approximated => format!("warning: {}", remark.text),
        Fidelity::Dropped => remark.text.clone(),
    });
    let unsaid = remarks.unsaid();
    let more = (unsaid > 0).then(|| format!("warning: and {unsaid} differences more"));
    said.chain(more).collect()
}

/// How many items fare how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = MigrationCounts)]
pub struct Counts {
    /// Items that are imported exactly, or are there already.
    pub exact: i64,
    /// Items that are imported and can answer differently.
    pub approximated: i64,
    /// Items of which nothing is made.
    pub skipped: i64,
}

impl Counts {
    pub fn of(items: &[Item]) -> Self {
        let mut counts = Self::default();
        for item in items {
            *match item.verdict {
                Verdict::Exact => &mut counts.exact,
                Verdict::Approximated => &mut counts.approximated,
                Verdict::Skipped => &mut counts.skipped,
            } += 1;
        }
        counts
    }
}

/// An import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Migration {
    /// How far it is.
    pub status: Status,
    /// Its id.
    pub migration_id: MigrationId,
    /// Flags that were made.
    pub flags_imported: i32,
    /// Flags of the source.
    pub flags_total: i32,
    /// Environments that were made or reused.
    pub environments_imported: i32,
    /// Segments that were made.
    pub segments_imported: i32,
    /// What was not imported exactly, at most 1,000; the report has all.
    pub errors: Vec<ItemError>,
}

/// Something that was not imported exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = MigrationError)]
pub struct ItemError {
    /// The flag's key, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub flag: Option<String>,
    /// The segment's key, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub segment: Option<String>,
    /// The environment's slug, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub environment: Option<String>,
    /// What is different, after `warning:` where it was imported approximately. Without a name: why the import failed.
    pub error: String,
}

impl ItemError {
    pub fn of(kind: ItemKind, name: String, error: String) -> Self {
        let mut entry = Self::of_all(error);
        *match kind {
            ItemKind::Environment => &mut entry.environment,
            ItemKind::Segment => &mut entry.segment,
            ItemKind::Flag => &mut entry.flag,
        } = Some(name);
        entry
    }

    /// About the import as a whole.
    pub const fn of_all(error: String) -> Self {
        Self {
            flag: None,
            segment: None,
            environment: None,
            error,
        }
    }
}

/// An import in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MigrationSummary {
    /// Its id.
    pub migration_id: MigrationId,
    /// The platform.
    pub provider: Provider,
    /// Where to.
    pub target_project_id: ProjectId,
    /// How far it is.
    pub status: Status,
    /// Flags that were made.
    pub flags_imported: i32,
    /// Flags of the source.
    pub flags_total: i32,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub started_at: OffsetDateTime,
    /// When it ended.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub ended_at: Option<OffsetDateTime>,
}

/// A page of what became of the items of an import.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MigrationReport)]
pub struct Report {
    /// The import.
    pub migration_id: MigrationId,
    /// How all its items fare.
    pub counts: Counts,
    /// The items.
    #[serde(flatten)]
    pub items: Paged<Item>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_an_item_is_bounded() {
        let item = Item::skipped(ItemKind::Flag, &"ü".repeat(10_000), "x".repeat(10_000));
        assert_eq!(item.source.chars().count(), 501);
        assert_eq!(item.reasons[0].chars().count(), 501);
        assert_eq!(
            Item::skipped(ItemKind::Flag, "a key", "why").source,
            "a key"
        );
    }
}
