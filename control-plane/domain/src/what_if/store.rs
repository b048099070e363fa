//! SQL of questions and findings.

use std::time::Duration as Span;

use protocol::{
    snapshot::Version,
    what_if::{Draft, Finding, OPEN},
    wire::codec::{decode, encode},
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{change::KEPT, model::Question};
use crate::sampling::model::Keys;
use base::{
    db,
    ids::{EnvId, OrgId, WhatIfQuestionId},
};

/// For how long after a question findings are taken: edges may be slow.
const TAKEN: Span = Span::from_secs(60);

/// When the question was asked that was open last; its time may be over. Exact while the organization is locked.
pub async fn find_open(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Option<OffsetDateTime>> {
    Ok(sqlx::query_scalar!(
        "SELECT asked_at FROM what_if_questions WHERE org_id = $1 AND is_open",
        org_id as OrgId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The one that is open is asked no more.
pub async fn close(conn: &mut PgConnection, org_id: OrgId) -> db::Result<()> {
    sqlx::query!(
        "UPDATE what_if_questions SET is_open = false, draft = '' WHERE org_id = $1 AND is_open",
        org_id as OrgId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// How many there are, and when the oldest was asked.
pub async fn count(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<(i64, Option<OffsetDateTime>)> {
    let row = sqlx::query!(
        r#"SELECT COUNT(*) AS "count!", MIN(asked_at) AS oldest FROM what_if_questions WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.count, row.oldest))
}

/// Deletes the organization's older ones with what was found.
pub async fn delete_older(
    conn: &mut PgConnection,
    org_id: OrgId,
    than: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM what_if_questions WHERE org_id = $1 AND asked_at <= $2",
        org_id as OrgId,
        than,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes some older ones; how many. Not tenant-scoped: the job covers all.
pub async fn delete_some_older(
    conn: &mut PgConnection,
    than: OffsetDateTime,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM what_if_questions WHERE id IN (SELECT id FROM what_if_questions WHERE asked_at <= $1 LIMIT $2)",
        than,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}

pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    question: &Question,
    version: i64,
    by: Option<&str>,
    draft: &[u8],
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO what_if_questions
             (id, org_id, env_id, asked_at, version, draft, by_attribute, not_sampled, names_keys, examples, edges,
              is_open)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        question.id as WhatIfQuestionId,
        org_id as OrgId,
        question.env_id as EnvId,
        question.asked_at,
        version,
        draft,
        by,
        &question.not_sampled,
        question.names_keys,
        question.examples,
        question.edges,
        question.is_open,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A question of an environment, and what edges found so far.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    id: WhatIfQuestionId,
    now: OffsetDateTime,
) -> db::Result<Option<(Question, Vec<Finding>)>> {
    let question = sqlx::query_as!(
        Question,
        r#"SELECT id, env_id, asked_at, not_sampled, names_keys, examples, edges, is_open AND asked_at > $4 AS "is_open!"
           FROM what_if_questions
           WHERE org_id = $1 AND env_id = $2 AND id = $3 AND asked_at > $5"#,
        org_id as OrgId,
        env_id as EnvId,
        id as WhatIfQuestionId,
        now - OPEN,
        now - KEPT,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(question) = question else {
        return Ok(None);
    };
    let findings = sqlx::query_scalar!(
        "SELECT finding FROM what_if_findings WHERE org_id = $1 AND question_id = $2",
        org_id as OrgId,
        id as WhatIfQuestionId,
    )
    .fetch_all(conn)
    .await?;
    // What another version of the service stored differently is no finding.
    let findings = findings.iter().filter_map(|bytes| decode(bytes).ok());
    Ok(Some((question, findings.collect())))
}

/// Has nothing shown any more of the contexts of an environment: what was found with some is deleted, and what comes has none.
pub async fn forget_examples(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
) -> db::Result<()> {
    let forgotten = sqlx::query_scalar!(
        r#"UPDATE what_if_questions SET examples = 0
           WHERE org_id = $1 AND env_id = $2 AND examples > 0
           RETURNING id AS "id: WhatIfQuestionId""#,
        org_id as OrgId,
        env_id as EnvId,
    )
    .fetch_all(&mut *conn)
    .await?;
    if !forgotten.is_empty() {
        sqlx::query!(
            "DELETE FROM what_if_findings WHERE org_id = $1 AND question_id = ANY($2)",
            org_id as OrgId,
            &forgotten as &[WhatIfQuestionId],
        )
        .execute(conn)
        .await?;
    }
    Ok(())
}

/// Whether edges may still answer.
pub async fn is_open(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WhatIfQuestionId,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let open = sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM what_if_questions WHERE org_id = $1 AND id = $2 AND is_open AND asked_at > $3
           ) AS "is_open!""#,
        org_id as OrgId,
        id as WhatIfQuestionId,
        now - OPEN,
    );
    Ok(open.fetch_one(conn).await?)
}

/// A question that edges are asked.
#[derive(Debug)]
pub struct Open {
    pub id: WhatIfQuestionId,
    pub env_id: EnvId,
    pub attributes: Vec<String>,
    pub keys: Keys,
    pub version: Version,
    pub draft: Draft,
    pub by: Option<String>,
    pub examples: u8,
    pub asked_at: OffsetDateTime,
}

/// The ids of those of all organizations that are open, the oldest first, at most `limit`.
pub async fn list_open(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    limit: i64,
) -> db::Result<Vec<WhatIfQuestionId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM what_if_questions WHERE is_open AND asked_at > $1 ORDER BY asked_at, id LIMIT $2",
        now - OPEN,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Some of all organizations, with what edges keep now; none that nobody keeps samples for any more.
pub async fn list(conn: &mut PgConnection, ids: &[WhatIfQuestionId]) -> db::Result<Vec<Open>> {
    let rows = sqlx::query!(
        "SELECT q.id, q.env_id, q.version, q.draft, q.by_attribute, q.examples, q.asked_at, s.attributes, s.keys
         FROM what_if_questions q
         JOIN environment_sampling s ON s.env_id = q.env_id
         WHERE q.id = ANY($1) AND q.is_open AND s.enabled_at IS NOT NULL",
        ids as &[WhatIfQuestionId],
    )
    .fetch_all(conn)
    .await?;
    let open = rows.into_iter().filter_map(|row| {
        Some(Open {
            id: row.id,
            env_id: row.env_id,
            attributes: row.attributes,
            keys: row.keys,
            version: row.version.try_into().ok()?,
            draft: decode(&row.draft).ok()?,
            by: row.by_attribute,
            examples: row.examples.try_into().ok()?,
            asked_at: row.asked_at,
        })
    });
    Ok(open.collect())
}

/// Stores what an edge of a region found, unless it is known, nobody asked for it, or it comes too late. The last edge that was asked
/// closes the question. The question names the organization: an edge knows of none.
pub async fn take(
    conn: &mut PgConnection,
    region: Option<&str>,
    mut finding: Finding,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let id = WhatIfQuestionId(Uuid::from_bytes(finding.question));
    let asked = sqlx::query!(
        "SELECT q.org_id, q.is_open, q.examples
         FROM what_if_questions q
         JOIN organizations o ON o.id = q.org_id
         WHERE q.id = $1 AND q.asked_at > $2 AND ($3::text IS NULL OR o.data_region = $3)",
        id as WhatIfQuestionId,
        now - TAKEN,
        region,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(asked) = asked else {
        return Ok(false);
    };
    let most = usize::try_from(asked.examples).unwrap_or_default();
    finding.examples.truncate(most);
    let boot = Uuid::from_bytes(finding.boot);
    let stored = sqlx::query!(
        "INSERT INTO what_if_findings (question_id, org_id, boot, finding)
         SELECT q.id, q.org_id, $3, $4
         FROM what_if_questions q
         WHERE q.org_id = $1 AND q.id = $2 AND q.examples >= $5
             AND (SELECT COUNT(*) FROM what_if_findings WHERE question_id = $2) < 1000
         FOR SHARE OF q
         ON CONFLICT ON CONSTRAINT what_if_findings_pkey DO NOTHING",
        asked.org_id as OrgId,
        id as WhatIfQuestionId,
        boot,
        encode(&finding),
        // Nobody may have withdrawn the right to show them since: then it comes as too late.
        i16::try_from(finding.examples.len()).unwrap_or(i16::MAX),
    )
    .execute(&mut *conn)
    .await?;
    if stored.rows_affected() == 0 {
        return Ok(false);
    }
    if asked.is_open {
        sqlx::query!(
            "UPDATE what_if_questions SET is_open = false, draft = ''
             WHERE org_id = $1 AND id = $2 AND is_open
                 AND edges <= (SELECT COUNT(*) FROM what_if_findings WHERE question_id = $2)",
            asked.org_id as OrgId,
            id as WhatIfQuestionId,
        )
        .execute(conn)
        .await?;
    }
    Ok(true)
}
