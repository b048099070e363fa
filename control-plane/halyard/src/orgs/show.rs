//! `halyard org show`: one organization, as lines of text.

use std::fmt::Write;

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::store::{self, Found};
use base::{
    db,
    operator::{date, date_or_dash},
};
use domain::{
    billing::{
        model::{Status, Subscription},
        store::subscriptions,
    },
    lifecycle::{self, model::Standing, settings::LifecycleSettings},
    orgs::model::Plan,
};

/// The text about the organization with this id or slug; `None` if none exists.
pub(super) async fn show(
    conn: &mut PgConnection,
    id_or_slug: &str,
    settings: &LifecycleSettings,
    now: OffsetDateTime,
) -> db::Result<Option<String>> {
    let Some(org) = store::find(conn, id_or_slug).await? else {
        return Ok(None);
    };
    let subscription = subscriptions::find_current(conn, org.id).await?;
    let standing = lifecycle::find_standing(conn, org.id).await?;
    let deletion = standing.map_or_else(String::new, |standing| deletion(&standing, settings));
    Ok(Some(lines(&org, subscription.as_ref(), &deletion, now)))
}

fn lines(
    org: &Found,
    subscription: Option<&Subscription>,
    deletion: &str,
    now: OffsetDateTime,
) -> String {
    let plan = org.plan.at(org.trial_expires_at, now);
    let limits = plan.limits();
    let trial = match org.trial_expires_at {
        None => "-".to_owned(),
        Some(end) if plan == Plan::Trial => format!("ends {}", date(end)),
        // Another plan came before its end.
        Some(end) if end > now => format!("over, was to end {}", date(end)),
        Some(end) => format!("ended {}", date(end)),
    };
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        writeln!(text, "{name:<14}{value}").expect("writing to a string cannot fail");
    };
    line("id", &org.id.to_string());
    line("name", &org.name);
    line("slug", &org.slug);
    line("plan", plan.as_str());
    line("trial", &trial);
    line("gateway", &org.gateway);
    line(
        "subscription",
        &subscription.map_or_else(|| "none".to_owned(), described),
    );
    line("seats", &used(org.seats, limits.seats));
    line("projects", &used(org.projects, limits.projects));
    let environments = used(org.environments, limits.environments);
    line("environments", &format!("{environments} in one project"));
    line("last login", &date_or_dash(org.last_login_at));
    line("deletion", deletion);
    text
}

fn used(count: i64, limit: Option<i64>) -> String {
    match limit {
        Some(limit) => format!("{count} of {limit}"),
        None => format!("{count} (unlimited)"),
    }
}

fn described(subscription: &Subscription) -> String {
    let Subscription { state, gateway, .. } = subscription;
    let mut text = format!("{} through {}", state.status.as_str(), gateway.as_str());
    if let Some(end) = state.period_end {
        let what = match state.status {
            Status::Canceled => "over, was paid until",
            Status::Active | Status::PastDue if state.cancel_at_period_end => "ends",
            Status::Active | Status::PastDue => "paid until",
        };
        write!(text, ", {what} {}", date(end)).expect("writing to a string cannot fail");
    }
    text
}

fn deletion(standing: &Standing, settings: &LifecycleSettings) -> String {
    if let Some(begun) = standing.purge_started_at {
        return format!("permanent, begun {}", date(begun));
    }
    if let Some(deleted) = standing.deleted_at {
        let permanent = standing
            .purge_due(settings)
            .map_or_else(|| "never".to_owned(), date);
        return format!(
            "deleted {}, permanently {permanent}, unless somebody signs in",
            date(deleted)
        );
    }
    match standing.deletion_due(settings) {
        Some(due) => format!("{}, unless somebody signs in", date(due)),
        None => "never".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use base::ids::{OrgId, SubscriptionId};
    use domain::billing::{
        history::{Period, State, SubscriptionEvent},
        model::Gateway,
    };

    const START: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn org(plan: Plan) -> Found {
        Found {
            id: OrgId(Uuid::nil()),
            name: "Acme Rockets".to_owned(),
            slug: "acme-rockets".to_owned(),
            plan,
            trial_expires_at: Some(START + 14 * DAY),
            gateway: "gateway_form".to_owned(),
            last_login_at: Some(START),
            seats: 4,
            projects: 1,
            environments: 3,
        }
    }

    #[test]
    fn usage_is_shown_against_the_limits_of_the_plan_in_effect() {
        let shown = lines(&org(Plan::Trial), None, "x", START + 15 * DAY);
        let expected = "\
id            00000000-0000-0000-0000-000000000000
name          Acme Rockets
slug          acme-rockets
plan          free
trial         ended 2026-05-18T12:00:00Z
gateway       gateway_form
subscription  none
seats         4 of 3
projects      1 of 1
environments  3 of 2 in one project
last login    2026-05-04T12:00:00Z
deletion      x
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_subscription_is_shown_with_its_period() {
        let period = Period {
            start: Some(START),
            end: Some(START + 30 * DAY),
        };
        let paid = SubscriptionEvent::activated(START, period, None, START);
        let mut subscription = Subscription {
            id: SubscriptionId(Uuid::nil()),
            org_id: OrgId(Uuid::nil()),
            gateway: Gateway::Redirect,
            gateway_ref: None,
            started_at: START,
            state: State::of(&[paid]),
        };
        let shown = lines(&org(Plan::Pro), Some(&subscription), "x", START);
        assert!(shown.contains("seats         4 (unlimited)\n"), "{shown}");
        let line =
            "subscription  active through gateway_redirect, paid until 2026-06-03T12:00:00Z\n";
        assert!(shown.contains(line), "{shown}");
        subscription.state.cancel_at_period_end = true;
        let end = "active through gateway_redirect, ends 2026-06-03T12:00:00Z";
        assert_eq!(described(&subscription), end);
        // Deleted at the gateway within its period.
        subscription.state.status = Status::Canceled;
        let over = "canceled through gateway_redirect, over, was paid until 2026-06-03T12:00:00Z";
        assert_eq!(described(&subscription), over);
    }

    #[test]
    fn a_trial_that_another_plan_replaced_has_not_ended_in_the_future() {
        let trial = |plan, now| {
            let shown = lines(&org(plan), None, "x", now);
            let line = shown.lines().find(|line| line.starts_with("trial"));
            line.map(|line| line["trial".len()..].trim().to_owned())
        };
        let end = "2026-05-18T12:00:00Z";
        assert_eq!(trial(Plan::Trial, START), Some(format!("ends {end}")));
        assert_eq!(
            trial(Plan::Pro, START),
            Some(format!("over, was to end {end}"))
        );
        let later = START + 14 * DAY;
        assert_eq!(trial(Plan::Pro, later), Some(format!("ended {end}")));
        assert_eq!(trial(Plan::Trial, later), Some(format!("ended {end}")));
    }

    #[test]
    fn the_deletion_is_shown_as_it_stands() {
        let settings = LifecycleSettings {
            interval: DAY,
            trial_notice: DAY,
            past_due_grace: DAY,
            inactivity_limit: 90 * DAY,
            inactivity_grace: 90 * DAY,
            inactivity_warning: 7 * DAY,
        };
        let mut standing = Standing {
            plan: Plan::Pro,
            last_login_at: START,
            inactive_since: START,
            deletion_warned_at: None,
            purge_warned_at: None,
            deleted_at: None,
            purge_started_at: None,
            is_subscribed: false,
        };
        assert_eq!(deletion(&standing, &settings), "never");
        standing.plan = Plan::Free;
        let expected = "2026-08-02T12:00:00Z, unless somebody signs in";
        assert_eq!(deletion(&standing, &settings), expected);
        standing.deleted_at = Some(START + 90 * DAY);
        let expected = "deleted 2026-08-02T12:00:00Z, permanently 2026-10-31T12:00:00Z, unless somebody signs in";
        assert_eq!(deletion(&standing, &settings), expected);
        standing.purge_started_at = Some(START + 180 * DAY);
        let expected = "permanent, begun 2026-10-31T12:00:00Z";
        assert_eq!(deletion(&standing, &settings), expected);
    }
}
