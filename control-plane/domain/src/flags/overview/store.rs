//! SQL of the overview.

use serving::page::Page;
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;

use super::{
    filter::{Filter, Owner, Sort, State},
    model::{Author, Cell, Column, FlagRow, TagCount},
};
use crate::flags::states::model::BasisPoints;
use crate::search::{FLAG_TEXT, push_has_words};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId},
};

pub(super) async fn environments(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Vec<Column>> {
    Ok(sqlx::query_as!(
        Column,
        "SELECT id, name, slug, color, protected, revision AS version
           FROM environments
           WHERE org_id = $1 AND project_id = $2
           ORDER BY created_at, id",
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_all(conn)
    .await?)
}

/// A flag of the page, and the total.
#[derive(FromRow)]
struct Found {
    #[sqlx(flatten)]
    flag: FlagRow,
    total: i64,
}

pub(super) async fn flags(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    filter: &Filter,
    page: Page,
    unused_since: OffsetDateTime,
) -> db::Result<(Vec<FlagRow>, i64)> {
    let mut query = QueryBuilder::new("WITH fitting AS (SELECT f.*");
    if filter.sort == Sort::LastEvaluatedAt {
        query
            .push(", (")
            .push(LAST_EVALUATED)
            .push(") AS sorted_by");
    }
    query.push(" FROM flags f");
    push_where(&mut query, org_id, project_id, filter, unused_since);
    let column = match filter.sort {
        Sort::Key => "key",
        Sort::Name => "name",
        Sort::CreatedAt => "created_at",
        Sort::UpdatedAt => "updated_at",
        Sort::LastEvaluatedAt => "sorted_by",
    };
    let direction = if filter.is_descending { "DESC" } else { "ASC" };
    let order = format!(" ORDER BY {column} {direction} NULLS LAST, id {direction}");
    query
        .push("), page AS (SELECT * FROM fitting")
        .push(&order)
        .push(" LIMIT ")
        .push_bind(page.limit)
        .push(" OFFSET ")
        .push_bind(page.offset)
        .push(
            ") SELECT f.id, f.key, f.name, f.flag_type, f.tags, f.permanent, f.created_at, f.updated_at,
                      (SELECT count(*) FROM fitting) AS total,
                      (SELECT jsonb_build_object('id', m.id, 'name', coalesce(m.known_as, u.name))
                       FROM members m JOIN users u ON u.id = m.user_id
                       WHERE m.org_id = f.org_id AND m.id = f.owner_id) AS owner, ",
        );
    push_stale(&mut query, unused_since);
    query
        .push(" AS stale, (")
        .push(LAST_EVALUATED)
        .push(") AS last_evaluated_at FROM page f")
        .push(&order);
    let found: Vec<Found> = query.build_query_as().fetch_all(&mut *conn).await?;
    let total = match found.first() {
        Some(first) => first.total,
        None if page.offset == 0 => 0,
        None => count(conn, org_id, project_id, filter, unused_since).await?,
    };
    Ok((found.into_iter().map(|found| found.flag).collect(), total))
}

/// The total, if the page is past the end.
async fn count(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    filter: &Filter,
    unused_since: OffsetDateTime,
) -> db::Result<i64> {
    let mut query = QueryBuilder::new("SELECT count(*) FROM flags f");
    push_where(&mut query, org_id, project_id, filter, unused_since);
    Ok(query.build_query_scalar().fetch_one(conn).await?)
}

/// The last evaluation of a flag `f` in any environment of its project.
const LAST_EVALUATED: &str = "SELECT date_trunc('minute', max(c.last_seen_at))
     FROM evaluation_counters c
     WHERE c.org_id = f.org_id AND c.flag_key = f.key COLLATE \"C\" AND c.reason <> 'NOT_FOUND'
         AND c.env_id IN (SELECT e.id FROM environments e WHERE e.project_id = f.project_id)";

/// Whether a state `s` applies to some contexts only.
const IS_PARTIAL: &str = "(jsonb_array_length(s.rules) > 0 OR jsonb_array_length(s.variants) > 0
     OR coalesce(s.percentage_rollout, 10000) <> 10000)";

/// Whether the owner of a flag `f` is a member.
const HAS_OWNER: &str =
    "EXISTS (SELECT FROM members m WHERE m.org_id = f.org_id AND m.id = f.owner_id)";

/// Distinct text for each set of filters, so that each is planned with its index.
fn push_where(
    query: &mut QueryBuilder<Postgres>,
    org_id: OrgId,
    project_id: ProjectId,
    filter: &Filter,
    unused_since: OffsetDateTime,
) {
    query.push(" WHERE f.org_id = ").push_bind(org_id);
    query.push(" AND f.project_id = ").push_bind(project_id);
    query.push(" AND f.archived_at IS NULL");
    if !filter.words.is_empty() {
        query.push(" AND ");
        push_has_words(query, FLAG_TEXT, &filter.words);
    }
    match filter.owner {
        Some(Owner::Is(member_id)) => {
            query
                .push(" AND f.owner_id = ")
                .push_bind(member_id)
                .push(" AND ")
                .push(HAS_OWNER);
        }
        Some(Owner::None) => {
            query.push(" AND NOT ").push(HAS_OWNER);
        }
        None => {}
    }
    if let Some(tag) = &filter.tag {
        query
            .push(" AND ")
            .push_bind(tag.clone())
            .push(" = ANY(f.tags)");
    }
    if let Some(flag_type) = filter.flag_type {
        query.push(" AND f.flag_type = ").push_bind(flag_type);
    }
    if let Some(is_stale) = filter.stale {
        query.push(if is_stale { " AND " } else { " AND NOT " });
        push_stale(query, unused_since);
    }
    if let Some(state) = filter.state {
        push_state(query, state, filter.env_id);
    }
}

/// Whether a flag `f` is stale.
fn push_stale(query: &mut QueryBuilder<Postgres>, unused_since: OffsetDateTime) {
    query
        .push("(NOT f.permanent AND greatest(f.created_at, f.updated_at) < ")
        .push_bind(unused_since)
        .push(" AND NOT EXISTS (SELECT FROM flag_states s WHERE s.flag_id = f.id AND s.updated_at >= ")
        .push_bind(unused_since)
        .push(
            ") AND NOT EXISTS (
                SELECT FROM evaluation_counters c
                WHERE c.org_id = f.org_id AND c.flag_key = f.key COLLATE \"C\" AND c.reason <> 'NOT_FOUND'
                    AND c.env_id IN (SELECT e.id FROM environments e WHERE e.project_id = f.project_id)
                    AND c.last_seen_at >= ",
        )
        .push_bind(unused_since)
        .push("))");
}

/// Whether a flag has this effect in an environment, or in any.
fn push_state(query: &mut QueryBuilder<Postgres>, state: State, env_id: Option<EnvId>) {
    query.push(
        " AND EXISTS (SELECT FROM environments e LEFT JOIN flag_states s ON s.flag_id = f.id AND s.env_id = e.id
          WHERE e.project_id = f.project_id AND ",
    );
    if let Some(env_id) = env_id {
        query.push("e.id = ").push_bind(env_id).push(" AND ");
    }
    match state {
        State::On => query.push("s.enabled AND NOT ").push(IS_PARTIAL),
        State::Partial => query.push("s.enabled AND ").push(IS_PARTIAL),
        State::Off => query.push("s.enabled IS NOT TRUE"),
        State::Scheduled => {
            query.push("coalesce(s.scheduled_enable_at, s.scheduled_disable_at) IS NOT NULL")
        }
    };
    query.push(")");
}

pub(super) async fn states(
    conn: &mut PgConnection,
    org_id: OrgId,
    flags: &[FlagId],
) -> db::Result<Vec<(FlagId, EnvId, Cell)>> {
    let rows = sqlx::query!(
        r#"SELECT f.id AS flag_id, e.id AS env_id, coalesce(s.enabled, false) AS "enabled!",
                  coalesce(jsonb_array_length(s.rules), 0) AS "rules!",
                  s.percentage_rollout AS "percentage_rollout: BasisPoints",
                  coalesce(jsonb_array_length(s.variants), 0) AS "variants!", s.scheduled_enable_at, s.scheduled_disable_at,
                  coalesce(waiting.count, 0) AS "pending_approvals!", coalesce(s.changed_version, 0) AS "version!",
                  coalesce(s.updated_at, f.created_at) AS "updated_at!",
                  v.actor_id AS "actor_id?", coalesce(u.name, t.name, k.name) AS actor_name
           FROM flags f
           JOIN environments e ON e.project_id = f.project_id
           LEFT JOIN flag_states s ON s.flag_id = f.id AND s.env_id = e.id
           LEFT JOIN flag_versions v ON v.flag_id = s.flag_id AND v.env_id = s.env_id AND v.replaced_at IS NULL
           LEFT JOIN users u ON v.actor_type = 'user' AND u.id = v.actor_id
           LEFT JOIN scim_tokens t ON v.actor_type = 'scim' AND t.org_id = $1 AND t.id = v.actor_id
           LEFT JOIN api_keys k ON v.actor_type = 'api_key' AND k.org_id = $1 AND k.id = v.actor_id
           LEFT JOIN (
               SELECT flag_id, env_id, count(*) AS count
               FROM approvals
               WHERE org_id = $1 AND status = 'pending' AND flag_id = ANY ($2)
               GROUP BY flag_id, env_id
           ) waiting ON waiting.flag_id = f.id AND waiting.env_id = e.id
           WHERE f.org_id = $1 AND f.id = ANY ($2) AND (s.id IS NOT NULL OR waiting.count IS NOT NULL)"#,
        org_id as OrgId,
        flags as &[FlagId],
    )
    .fetch_all(conn)
    .await?;
    let states = rows.into_iter().map(|row| {
        let author = row.actor_id.zip(row.actor_name);
        let cell = Cell {
            enabled: row.enabled,
            rules: row.rules,
            percentage_rollout: row.percentage_rollout,
            variants: row.variants,
            scheduled_enable_at: row.scheduled_enable_at,
            scheduled_disable_at: row.scheduled_disable_at,
            pending_approvals: row.pending_approvals,
            version: row.version,
            updated_at: row.updated_at,
            updated_by: author.map(|(id, name)| Author { id, name }),
        };
        (row.flag_id, row.env_id, cell)
    });
    Ok(states.collect())
}

/// Number of flags per tag of the project, for more tags than a person reads.
pub(super) async fn tags(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Vec<TagCount>> {
    Ok(sqlx::query_as!(
        TagCount,
        r#"SELECT tag AS "tag!", count(*) AS "count!"
           FROM flags, unnest(tags) AS tag
           WHERE org_id = $1 AND project_id = $2 AND archived_at IS NULL
           GROUP BY tag
           ORDER BY count(*) DESC, tag
           LIMIT $3"#,
        org_id as OrgId,
        project_id as ProjectId,
        1_000_i64,
    )
    .fetch_all(conn)
    .await?)
}
