//! Rows that would take the API hours to make.

use std::time::Duration;

use domain::audit::partitions;
use harness::{App, User, eventually};
use sqlx::{AssertSqlSafe, Executor};

/// Of the log.
pub const MONTHS: usize = 24;
const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60 + 12 * 60 * 60);
const TWO_YEARS: Duration = Duration::from_secs(700 * 24 * 60 * 60);

async fn run(app: &App, statements: &str) {
    let ran = app.pool().execute(AssertSqlSafe(statements.to_owned()));
    ran.await.expect(statements);
}

/// 100 environments with 300 flags, among those of other organizations.
pub async fn many_states(app: &App, owner: &User, project: &str) {
    let org = &owner.org_id;
    run(
        app,
        &format!(
            "INSERT INTO organizations (id, name, slug, plan, data_region, created_at, updated_at)
             SELECT md5('org' || n)::uuid, 'Org', 'org-' || n, 'free', 'us', now(), now() FROM generate_series(1, 2000) n;
             INSERT INTO projects (id, org_id, name, slug, created_at, updated_at)
             SELECT md5('org' || n)::uuid, md5('org' || n)::uuid, 'Project', 'project', now(), now() FROM generate_series(1, 2000) n;
             INSERT INTO flags (id, org_id, project_id, key, name, description, flag_type, default_value, tags, prerequisites,
                                mutual_exclusion_group, changed_version, compiled_bytes, created_at, updated_at)
             SELECT md5('flag' || n || '-' || f)::uuid, md5('org' || n)::uuid, md5('org' || n)::uuid, 'flag-' || f, 'Flag', '', 'boolean',
                    'false', '{{}}', '{{}}', '', 1, 100, now(), now()
             FROM generate_series(1, 2000) n, generate_series(1, 10) f;
             INSERT INTO environments (id, org_id, project_id, name, slug, color, version, created_at, updated_at)
             SELECT md5('env' || n)::uuid, '{org}', '{project}', 'Env', 'env-' || n, '#000000', 1, now(), now()
             FROM generate_series(1, 100) n;
             INSERT INTO flags (id, org_id, project_id, key, name, description, flag_type, default_value, tags, prerequisites,
                                mutual_exclusion_group, changed_version, compiled_bytes, created_at, updated_at)
             SELECT md5('flag' || n)::uuid, '{org}', '{project}', 'flag-' || n, 'Flag', '', 'boolean', 'false', '{{}}', '{{}}', '', 1,
                    100, now(), now()
             FROM generate_series(1, 300) n;
             INSERT INTO flag_states (id, org_id, flag_id, env_id, enabled, rules, variants, changed_version, compiled_bytes,
                                      created_at, updated_at)
             SELECT md5('state' || f || '-' || e)::uuid, '{org}', md5('flag' || f)::uuid, md5('env' || e)::uuid, false, '[]', '[]', 1,
                    100, now(), now()
             FROM generate_series(1, 300) f, generate_series(1, 100) e;"
        ),
    )
    .await;
}

/// A partition for each month, with entries of this organization and of others, most of them in the last one. It is the month after
/// that afterwards.
pub async fn years_of_entries(app: &App, owner: &User) {
    for month in 0..=MONTHS {
        // Autovacuum may have the locks.
        eventually("the log is extended", async || {
            let now = app.clock.now();
            let extended = partitions::extend(app.db(), Some(TWO_YEARS), 0, now).await;
            extended.unwrap().then_some(())
        })
        .await;
        if month < MONTHS {
            app.clock.advance(MONTH);
        }
    }
    run(
        app,
        &format!(
            "INSERT INTO audit_entries
                 (id, org_id, actor_id, actor_type, action, resource_type, resource_id, after_state, created_at)
             SELECT md5('entry' || n)::uuid, CASE WHEN n % 4 = 0 THEN md5('org' || n % 2000 + 1)::uuid ELSE '{}' END,
                    ('00000000-0000-4000-8000-' || lpad((n % 100)::text, 12, '0'))::uuid, 'user',
                    CASE WHEN n % 20 = 0 THEN 'flag.killed' ELSE 'flag.state_updated' END, 'flag',
                    '10000000-0000-4000-8000-' || lpad((n % 5000)::text, 12, '0'), '{{\"enabled\": true}}',
                    CASE WHEN n <= 52500 THEN timestamptz '2026-05-05 00:00+00' + n * interval '20 min'
                         ELSE timestamptz '2028-05-04 00:00+00' - n * interval '1 s' END
             FROM generate_series(1, 90000) AS n",
            owner.org_id
        ),
    )
    .await;
}

/// As autovacuum does: it leaves out tables that have partitions.
pub async fn analyze(app: &App) {
    let mut tables = partitions(app).await;
    tables.extend(["flags", "flag_states", "environments", "organizations"].map(str::to_owned));
    run(app, &format!("VACUUM (ANALYZE) {}", tables.join(", "))).await;
}

/// The names of the partitions, the oldest first.
pub async fn partitions(app: &App) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass
         ORDER BY inhrelid::regclass::text <> 'audit_entries_first', 1",
    )
    .fetch_all(app.pool())
    .await
    .unwrap()
}
