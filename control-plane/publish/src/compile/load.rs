//! Reads the contents of an environment: all, or those newer than a version.
//!
//! Everything is read in one transaction that sees a single state of the database, and the version is read in it too. The
//! versions of a project commit in order, so the rows are exactly the contents of that version. These are read-only queries
//! across domains; they are scoped to the tenant by the environment, whose id comes from the database.

use protocol::snapshot::Version;
use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{
    db::{self, Db},
    ids::{ApiKeyId, EnvId, FlagId, OrgId, ProjectId, SegmentId},
};

/// An environment, or its changes.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(super) head: HeadRow,
    pub(super) flags: Vec<FlagRow>,
    pub(super) segments: Vec<SegmentRow>,
    /// Includes revoked and retired keys if this is a change.
    pub(super) keys: Vec<KeyRow>,
    pub(super) removed_flags: Vec<RemovedFlagRow>,
    pub(super) removed_segments: Vec<RemovedSegmentRow>,
}

impl Rows {
    /// Flags alone.
    const fn new(head: HeadRow, flags: Vec<FlagRow>) -> Self {
        Self {
            head,
            flags,
            segments: Vec::new(),
            keys: Vec::new(),
            removed_flags: Vec::new(),
            removed_segments: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.flags.len() + self.segments.len() + self.keys.len()
    }

    /// The bytes to be parsed, encoded and hashed.
    pub(crate) fn bytes(&self) -> usize {
        let flags = self.flags.iter().map(|flag| {
            let texts = [&flag.env_default_value, &flag.rules, &flag.variants];
            let texts = texts.into_iter().flatten().map(String::len);
            flag.default_value.len() + texts.sum::<usize>()
        });
        let segments = self.segments.iter().map(|segment| segment.rules.len());
        flags.chain(segments).sum()
    }
}

#[derive(Debug)]
pub(super) struct HeadRow {
    pub(super) org_id: OrgId,
    pub(super) project_id: ProjectId,
    pub(super) slug: String,
    pub(super) version: i64,
}

/// JSON is read as text: a value that cannot be parsed affects its flag, not the whole query.
#[derive(Debug)]
pub(super) struct FlagRow {
    pub(super) id: FlagId,
    pub(super) key: String,
    pub(super) flag_type: String,
    pub(super) default_value: String,
    pub(super) prerequisites: Vec<String>,
    pub(super) mutual_exclusion_group: String,
    /// Absent if there is no state.
    pub(super) enabled: Option<bool>,
    pub(super) env_default_value: Option<String>,
    pub(super) rules: Option<String>,
    pub(super) percentage_rollout: Option<i32>,
    pub(super) variants: Option<String>,
    pub(super) bucketing: Option<String>,
}

#[derive(Debug)]
pub(super) struct SegmentRow {
    pub(super) id: SegmentId,
    pub(super) key: String,
    pub(super) match_type: String,
    pub(super) rules: String,
}

#[derive(Debug)]
pub(super) struct KeyRow {
    pub(super) id: ApiKeyId,
    pub(super) hash: Vec<u8>,
    pub(super) expires_at: Option<OffsetDateTime>,
    pub(super) ended: bool,
}

#[derive(Debug)]
pub(super) struct RemovedFlagRow {
    pub(super) flag_id: FlagId,
    pub(super) key: String,
}

#[derive(Debug)]
pub(super) struct RemovedSegmentRow {
    pub(super) segment_id: SegmentId,
    pub(super) key: String,
}

/// Reads a whole environment; `None` if it is gone.
pub(crate) async fn whole(db: &Db, env_id: EnvId) -> db::Result<Option<Rows>> {
    let mut tx = db.begin_reading().await?;
    let Some(head) = head(&mut tx, env_id).await? else {
        return Ok(None);
    };
    // A flag without a state in this environment is still served: as disabled.
    let flags = sqlx::query_as!(
        FlagRow,
        r#"SELECT f.id, f.key, f.flag_type AS "flag_type: String", f.default_value::text AS "default_value!",
                  f.prerequisites, f.mutual_exclusion_group,
                  s.enabled AS "enabled?", s.default_value::text AS env_default_value,
                  s.rules::text AS rules, s.percentage_rollout AS "percentage_rollout?: i32", s.variants::text AS variants,
                  s.bucketing::text AS bucketing
           FROM flags f
           LEFT JOIN flag_states s ON s.flag_id = f.id AND s.env_id = $2
           WHERE f.project_id = $1 AND f.archived_at IS NULL"#,
        head.project_id as ProjectId,
        env_id as EnvId,
    )
    .fetch_all(&mut **tx)
    .await?;
    let segments = sqlx::query_as!(
        SegmentRow,
        r#"SELECT id, key, match_type AS "match_type: String", rules::text AS "rules!"
           FROM segments
           WHERE project_id = $1"#,
        head.project_id as ProjectId,
    )
    .fetch_all(&mut **tx)
    .await?;
    let keys = sqlx::query_as!(
        KeyRow,
        r#"SELECT id, hash, expires_at, false AS "ended!"
           FROM api_keys
           WHERE env_id = $1 AND revoked_at IS NULL AND retired_at IS NULL"#,
        env_id as EnvId,
    )
    .fetch_all(&mut **tx)
    .await?;
    // Nothing was written: this only ends the snapshot.
    tx.end().await?;
    Ok(Some(Rows {
        segments,
        keys,
        ..Rows::new(head, flags)
    }))
}

/// Reads the rows of an environment newer than `since`, in time that depends only on their number; `None` if the environment is
/// gone. Every condition is a range of an index on (owner, version).
pub(crate) async fn newer(db: &Db, env_id: EnvId, since: Version) -> db::Result<Option<Rows>> {
    let since = i64::try_from(since).unwrap_or(i64::MAX);
    let mut tx = db.begin_reading_by_index().await?;
    // Nearly always only flags have changed, and this is the only query.
    //
    // A flag counts as changed if either its own row or its state here did. The whole item is read in both cases, because a delta
    // carries whole items. A union of two index ranges instead of one condition over the join: that could use neither index. For
    // the same reason subqueries are not correlated: those may be planned as a hash of the rows of all organizations.
    let found = sqlx::query!(
        r#"SELECT e.org_id, e.project_id, e.slug, e.version,
                  EXISTS (
                      SELECT FROM segments
                      WHERE project_id = (SELECT project_id FROM environments WHERE id = $1) AND changed_version > $2
                  ) OR EXISTS (
                      SELECT FROM api_keys WHERE env_id = $1 AND changed_version > $2
                  ) OR EXISTS (
                      SELECT FROM removed_flags
                      WHERE project_id = (SELECT project_id FROM environments WHERE id = $1) AND removed_version > $2
                  ) OR EXISTS (
                      SELECT FROM removed_segments
                      WHERE project_id = (SELECT project_id FROM environments WHERE id = $1) AND removed_version > $2
                  ) AS "has_others!",
                  f.id AS "flag_id?", f.key AS "key?", f.archived_at IS NOT NULL AS "is_archived!", f.flag_type AS "flag_type?: String",
                  f.default_value::text AS flag_default, f.prerequisites AS "prerequisites?",
                  f.mutual_exclusion_group AS "mutual_exclusion_group?",
                  s.enabled AS "enabled?", s.default_value::text AS env_default_value,
                  s.rules::text AS rules, s.percentage_rollout AS "percentage_rollout?: i32", s.variants::text AS variants,
                  s.bucketing::text AS bucketing
           FROM environments e
           LEFT JOIN (
               SELECT id FROM flags
               WHERE project_id = (SELECT project_id FROM environments WHERE id = $1) AND changed_version > $2
               UNION
               SELECT flag_id FROM flag_states WHERE env_id = $1 AND changed_version > $2
           ) changed ON true
           LEFT JOIN flags f ON f.id = changed.id
           LEFT JOIN flag_states s ON s.flag_id = f.id AND s.env_id = $1
           WHERE e.id = $1"#,
        env_id as EnvId,
        since,
    )
    .fetch_all(&mut **tx)
    .await?;
    let Some(first) = found.first() else {
        return Ok(None);
    };
    let has_others = first.has_others;
    let head = HeadRow {
        org_id: first.org_id,
        project_id: first.project_id,
        slug: first.slug.clone(),
        version: first.version,
    };
    let (archived, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|row| row.is_archived);
    let flags = found.into_iter().filter_map(|row| {
        Some(FlagRow {
            id: row.flag_id?,
            key: row.key?,
            flag_type: row.flag_type?,
            default_value: row.flag_default?,
            prerequisites: row.prerequisites?,
            mutual_exclusion_group: row.mutual_exclusion_group?,
            enabled: row.enabled,
            env_default_value: row.env_default_value,
            rules: row.rules,
            percentage_rollout: row.percentage_rollout,
            variants: row.variants,
            bucketing: row.bucketing,
        })
    });
    let mut rows = Rows::new(head, flags.collect());
    if has_others {
        others(&mut tx, env_id, since, &mut rows).await?;
    }
    // After the tombstones: the holder of a key is archived after earlier ones were deleted.
    rows.removed_flags
        .extend(archived.into_iter().filter_map(|row| {
            Some(RemovedFlagRow {
                flag_id: row.flag_id?,
                key: row.key?,
            })
        }));
    // Nothing was written, so the end of the snapshot is not awaited.
    drop(tx);
    Ok(Some(rows))
}

/// Changes newer than `since`, besides flags.
async fn others(
    conn: &mut PgConnection,
    env_id: EnvId,
    since: i64,
    rows: &mut Rows,
) -> db::Result<()> {
    let project_id = rows.head.project_id;
    rows.segments = sqlx::query_as!(
        SegmentRow,
        r#"SELECT id, key, match_type AS "match_type: String", rules::text AS "rules!"
           FROM segments
           WHERE project_id = $1 AND changed_version > $2"#,
        project_id as ProjectId,
        since,
    )
    .fetch_all(&mut *conn)
    .await?;
    // Revoked and retired keys too, since a delta has to remove them: keys have no tombstones.
    rows.keys = sqlx::query_as!(
        KeyRow,
        r#"SELECT id, hash, expires_at, revoked_at IS NOT NULL OR retired_at IS NOT NULL AS "ended!"
           FROM api_keys
           WHERE env_id = $1 AND changed_version > $2"#,
        env_id as EnvId,
        since,
    )
    .fetch_all(&mut *conn)
    .await?;
    // Tombstones of deleted rows, in the order of removal: if several flags used a key since, the delta names the last one
    // removed.
    rows.removed_flags = sqlx::query_as!(
        RemovedFlagRow,
        "SELECT flag_id, key
         FROM removed_flags
         WHERE project_id = $1 AND removed_version > $2
         ORDER BY removed_version, flag_id",
        project_id as ProjectId,
        since,
    )
    .fetch_all(&mut *conn)
    .await?;
    rows.removed_segments = sqlx::query_as!(
        RemovedSegmentRow,
        "SELECT segment_id, key
         FROM removed_segments
         WHERE project_id = $1 AND removed_version > $2
         ORDER BY removed_version, segment_id",
        project_id as ProjectId,
        since,
    )
    .fetch_all(&mut *conn)
    .await?;
    Ok(())
}

async fn head(conn: &mut PgConnection, env_id: EnvId) -> db::Result<Option<HeadRow>> {
    let head = sqlx::query_as!(
        HeadRow,
        "SELECT org_id, project_id, slug, version
         FROM environments
         WHERE id = $1",
        env_id as EnvId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(head)
}
