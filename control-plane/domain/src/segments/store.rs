//! SQL of segments.

use protocol::rule::Condition;
use serving::page::{MAX_BYTES, Page, Paged};
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::model::{MatchType, Segment};
use crate::version::Drawn;
use base::{
    db,
    ids::{OrgId, ProjectId, SegmentId},
    input::Key,
    refusal::Refusal,
};

struct Row {
    id: SegmentId,
    key: String,
    name: String,
    description: String,
    match_type: MatchType,
    rules: Json<Vec<Condition>>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    compiled_bytes: i32,
    pattern_bytes: i32,
    version: i64,
}

impl From<Row> for Segment {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            key: row.key,
            name: row.name,
            description: row.description,
            match_type: row.match_type,
            rules: row.rules.0,
            created_at: row.created_at,
            updated_at: row.updated_at,
            compiled_bytes: row.compiled_bytes,
            pattern_bytes: row.pattern_bytes,
            version: row.version,
        }
    }
}

/// Stores new segments, changed in the drawn version.
pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    segments: &[Segment],
    drawn: Drawn,
) -> Result<(), Refusal> {
    let ids: Vec<_> = segments.iter().map(|one| one.id).collect();
    let texts = |text: fn(&Segment) -> &String| -> Vec<String> {
        segments.iter().map(|one| text(one).clone()).collect()
    };
    let match_types: Vec<_> = segments.iter().map(|one| one.match_type).collect();
    let rules: Vec<_> = segments.iter().map(|one| Json(&one.rules)).collect();
    let sizes: Vec<_> = segments.iter().map(|one| one.compiled_bytes).collect();
    let pattern_sizes: Vec<_> = segments.iter().map(|one| one.pattern_bytes).collect();
    let created: Vec<_> = segments.iter().map(|one| one.created_at).collect();
    let updated: Vec<_> = segments.iter().map(|one| one.updated_at).collect();
    sqlx::query!(
        "INSERT INTO segments
             (id, org_id, project_id, key, name, description, match_type, rules, changed_version, compiled_bytes,
              pattern_bytes, created_at, updated_at)
         SELECT id, $1, $2, key, name, description, match_type, rules, $3, compiled_bytes, pattern_bytes, created_at,
                updated_at
         FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::integer[],
                     $11::integer[], $12::timestamptz[], $13::timestamptz[])
             AS made (id, key, name, description, match_type, rules, compiled_bytes, pattern_bytes, created_at,
                      updated_at)",
        org_id as OrgId,
        project_id as ProjectId,
        drawn.row_version(),
        &ids as &[SegmentId],
        &texts(|one| &one.key),
        &texts(|one| &one.name),
        &texts(|one| &one.description),
        &match_types as &[MatchType],
        &rules as _,
        &sizes,
        &pattern_sizes,
        &created,
        &updated,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated("segments_project_id_key_key", "segment key already exists"))?;
    Ok(())
}

async fn count(conn: &mut PgConnection, org_id: OrgId, project_id: ProjectId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM segments WHERE org_id = $1 AND project_id = $2"#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the project's segments, in creation order. It ends early if their rules are large.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    page: Page,
) -> db::Result<Paged<Segment>> {
    let rows = sqlx::query_as!(
        Row,
        "WITH listed AS MATERIALIZED (
             SELECT id
             FROM segments
             WHERE org_id = $1 AND project_id = $2
             ORDER BY created_at, id
             LIMIT $3 OFFSET $4
         ), measured AS MATERIALIZED (
             SELECT id, created_at, octet_length(rules::text) AS bytes FROM segments JOIN listed USING (id)
         ), placed AS (
             SELECT id, sum(bytes) OVER (ORDER BY created_at, id) - bytes AS bytes_before FROM measured
         )
         SELECT s.id, key, name, description, match_type, rules, created_at, updated_at, compiled_bytes,
                pattern_bytes, changed_version AS version
         FROM segments s
         JOIN placed ON placed.id = s.id
         WHERE org_id = $1 AND bytes_before < $5::bigint
         ORDER BY created_at, s.id",
        org_id as OrgId,
        project_id as ProjectId,
        page.limit,
        page.offset,
        MAX_BYTES,
    )
    .fetch_all(&mut *conn)
    .await?;
    let items = rows.into_iter().map(Into::into).collect();
    Ok(Paged::new(
        items,
        count(conn, org_id, project_id).await?,
        page,
    ))
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &Key,
) -> db::Result<Option<Segment>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, key, name, description, match_type, rules, created_at, updated_at, compiled_bytes,
                pattern_bytes, changed_version AS version
         FROM segments
         WHERE org_id = $1 AND project_id = $2 AND key = $3",
        org_id as OrgId,
        project_id as ProjectId,
        key.as_str(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

pub async fn find_by_id(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: SegmentId,
) -> db::Result<Option<Segment>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, key, name, description, match_type, rules, created_at, updated_at, compiled_bytes,
                pattern_bytes, changed_version AS version
         FROM segments
         WHERE org_id = $1 AND project_id = $2 AND id = $3",
        org_id as OrgId,
        project_id as ProjectId,
        id as SegmentId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// The project's segments with one of these keys.
pub async fn find_among(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
) -> db::Result<Vec<Segment>> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, key, name, description, match_type, rules, created_at, updated_at, compiled_bytes,
                pattern_bytes, changed_version AS version
         FROM segments
         WHERE org_id = $1 AND project_id = $2 AND key = ANY($3)",
        org_id as OrgId,
        project_id as ProjectId,
        keys,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub async fn known_keys(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
) -> db::Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "SELECT key FROM segments WHERE org_id = $1 AND project_id = $2 AND key = ANY($3)",
        org_id as OrgId,
        project_id as ProjectId,
        keys,
    )
    .fetch_all(conn)
    .await?)
}

/// Stores the updatable fields in the drawn version.
pub async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    segment: &Segment,
    drawn: Drawn,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE segments
         SET name = $3,
             description = $4,
             match_type = $5,
             rules = $6,
             changed_version = $7,
             compiled_bytes = $8,
             pattern_bytes = $9,
             updated_at = $10
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        segment.id as SegmentId,
        segment.name,
        segment.description,
        segment.match_type as MatchType,
        Json(&segment.rules) as _,
        drawn.row_version(),
        segment.compiled_bytes,
        segment.pattern_bytes,
        segment.updated_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the segment, and records a tombstone for publishers.
pub async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SegmentId,
    drawn: Drawn,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "WITH deleted AS (
             DELETE FROM segments
             WHERE org_id = $1 AND id = $2
             RETURNING id, project_id, key
         )
         INSERT INTO removed_segments (segment_id, project_id, key, removed_version, removed_at)
         SELECT id, project_id, key, $3, $4 FROM deleted",
        org_id as OrgId,
        id as SegmentId,
        drawn.row_version(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
