//! SQL of reports: what became of each item of an import.

use serving::page::{Page, Paged};
use sqlx::{PgConnection, types::Json};

use crate::migration::model::{Counts, Item, ItemKind, Verdict};
use base::{
    db,
    ids::{MigrationId, OrgId},
};

/// Adds to the report, from this position on.
pub async fn insert_items(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MigrationId,
    first: i64,
    items: &[Item],
) -> db::Result<()> {
    let kinds: Vec<_> = items.iter().map(|item| item.kind).collect();
    let sources: Vec<_> = items
        .iter()
        .map(|item| item.source.replace('\0', ""))
        .collect();
    let keys: Vec<_> = items.iter().map(|item| item.key.clone()).collect();
    let verdicts: Vec<_> = items.iter().map(|item| item.verdict).collect();
    // Arrays of arrays must be rectangular in Postgres.
    let reasons: Vec<_> = items
        .iter()
        .map(|item| {
            let reasons = item.reasons.iter();
            Json(
                reasons
                    .map(|text| text.replace('\0', ""))
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    sqlx::query!(
        "INSERT INTO migration_items (migration_id, org_id, position, kind, source, key, verdict, reasons)
         SELECT $1, $2, $3 + number - 1, kind, source, key, verdict, ARRAY(SELECT jsonb_array_elements_text(reasons))
         FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[])
             WITH ORDINALITY AS made (kind, source, key, verdict, reasons, number)",
        id as MigrationId,
        org_id as OrgId,
        first,
        &kinds as &[ItemKind],
        &sources,
        &keys as &[Option<String>],
        &verdicts as &[Verdict],
        &reasons as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A page of what became of the items of an import, of one verdict or all, and how all of them fared.
pub async fn report(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MigrationId,
    verdict: Option<Verdict>,
    page: Page,
) -> db::Result<(Counts, Paged<Item>)> {
    let items = sqlx::query_as!(
        Item,
        "SELECT kind, source, key, verdict, reasons
         FROM migration_items
         WHERE org_id = $1 AND migration_id = $2 AND ($5::text IS NULL OR verdict = $5)
         ORDER BY position
         LIMIT $3 OFFSET $4",
        org_id as OrgId,
        id as MigrationId,
        page.limit,
        page.offset,
        verdict as Option<Verdict>,
    )
    .fetch_all(&mut *conn)
    .await?;
    let counts = sqlx::query_as!(
        Counts,
        r#"SELECT COUNT(*) FILTER (WHERE verdict = 'exact') AS "exact!",
                  COUNT(*) FILTER (WHERE verdict = 'approximated') AS "approximated!",
                  COUNT(*) FILTER (WHERE verdict = 'skipped') AS "skipped!"
           FROM migration_items
           WHERE org_id = $1 AND migration_id = $2"#,
        org_id as OrgId,
        id as MigrationId,
    )
    .fetch_one(conn)
    .await?;
    let total = match verdict {
        None => counts.exact + counts.approximated + counts.skipped,
        Some(Verdict::Exact) => counts.exact,
        Some(Verdict::Approximated) => counts.approximated,
        Some(Verdict::Skipped) => counts.skipped,
    };
    Ok((counts, Paged::new(items, total, page)))
}

/// Deletes at most `limit` lines of reports of an organization that is going for good; tells how many.
pub async fn delete_items_of_org(
    conn: &mut PgConnection,
    org_id: OrgId,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM migration_items
         WHERE org_id = $1
             AND (migration_id, position) IN (
                 SELECT migration_id, position FROM migration_items WHERE org_id = $1 LIMIT $2
             )",
        org_id as OrgId,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}
