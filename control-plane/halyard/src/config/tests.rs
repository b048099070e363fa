use std::{collections::BTreeMap, time::Duration};

use domain::{accounts::settings::SignupPolicy, members::model::Role, orgs::model::Plan};

use super::*;

fn load(pairs: &[(&str, &str)]) -> Result<Settings, Problems> {
    let database = ("DATABASE_URL", "postgres://localhost/halyard");
    let all = [database].into_iter().chain(pairs.iter().copied());
    let source: BTreeMap<String, String> = all
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Settings::load(&source).map(|(settings, _)| settings)
}

/// What production needs, and one more.
fn production(name: &str, value: &str) -> Result<Settings, Problems> {
    let secret = "0123456789abcdef0123456789abcdef";
    load(&[
        ("APP_ENV", "production"),
        ("JWT_SECRET", secret),
        ("APP_SECRET", secret),
        ("SMTP_URL", "smtp://mail.example.com"),
        ("MAIL_FROM", "flags@example.com"),
        ("APP_BASE_URL", "https://flags.example.com"),
        (name, value),
    ])
}

#[test]
fn development_starts_with_built_in_secrets_and_knows_which() {
    let settings = load(&[]).unwrap();
    assert_eq!(settings.insecure, ["APP_SECRET", "JWT_SECRET"]);
    assert_eq!(settings.shutdown_delay, Duration::ZERO);
}

#[test]
fn a_process_answers_on_for_five_minutes_at_most() {
    let settings = load(&[("SHUTDOWN_DELAY", "5m")]).unwrap();
    assert_eq!(settings.shutdown_delay, Duration::from_secs(300));
    let problems = load(&[("SHUTDOWN_DELAY", "301s")]).unwrap_err();
    let expected = "SHUTDOWN_DELAY `301s`: must be from 0 to 5m";
    assert!(problems.to_string().contains(expected), "{problems}");
}

#[test]
fn production_refuses_built_in_and_short_secrets() {
    let problems = load(&[("APP_ENV", "production"), ("JWT_SECRET", "short")])
        .unwrap_err()
        .to_string();
    for name in ["APP_SECRET", "JWT_SECRET"] {
        let told = format!("{name} must be set to a secret of at least 32 bytes in production");
        assert!(problems.contains(&told), "{problems}");
    }
}

#[test]
fn production_starts_with_secrets_of_its_own() {
    let settings = production("DASHBOARD_URL", "https://dashboard.example.com/app").unwrap();
    assert_eq!(settings.insecure, [""; 0]);
    assert_eq!(settings.shutdown_delay, Duration::from_secs(10));
    assert_eq!(settings.app.cors_origins, ["https://dashboard.example.com"]);
}

#[test]
fn production_refuses_or_warns_of_what_strangers_could_use() {
    for (name, value, problem) in [
        (
            "TRUSTED_PROXIES",
            "10.0.0.0/8,0.0.0.0/0",
            "TRUSTED_PROXIES `0.0.0.0/0`: any client could choose its address; name the proxies",
        ),
        (
            "CONTROL_ADMIN_ADDR",
            "198.51.100.7:9090",
            "CONTROL_ADMIN_ADDR `198.51.100.7`: is a public address, and answers without credentials",
        ),
    ] {
        let problems = production(name, value).unwrap_err().to_string();
        assert!(problems.ends_with(problem), "{problems}");
        load(&[(name, value)]).unwrap();
    }
    for (name, value) in [
        ("CONTROL_ADMIN_ADDR", "0.0.0.0:9090"),
        ("SMTP_URL", "dir:/tmp/mail"),
        ("DATABASE_URL", "postgres://db.example.com/halyard"),
    ] {
        let settings = production(name, value).unwrap();
        let warned: Vec<_> = settings.warnings.iter().map(|(name, _)| *name).collect();
        assert_eq!(warned, [name]);
        assert!(
            load(&[(name, value)]).unwrap().warnings.is_empty(),
            "in development"
        );
    }
}

#[test]
fn production_refuses_links_and_senders_of_this_machine() {
    let production = |name, value| {
        let settings = [
            ("APP_ENV", "production"),
            ("CONTROL_DASHBOARD", "false"),
            (name, value),
        ];
        let problems = load(&settings);
        problems.unwrap_err().to_string()
    };
    for address in [
        "",
        "http://0.0.0.0:8080",
        "http://[::]:8080",
        "http://127.0.0.2",
        "http://[::ffff:127.0.0.1]",
        "https://localhost:3000",
        "https://flags.localhost.",
    ] {
        for name in ["APP_BASE_URL", "DASHBOARD_URL"] {
            let problems = production(name, address);
            let told = "must be where people reach it in production";
            let is_told = |line: &str| line.contains(name) && line.contains(told);
            assert!(
                problems.lines().any(is_told),
                "{name}={address}: {problems}"
            );
        }
    }
    for from in ["", "Flags <flags@LOCALHOST>", "flags@127.0.0.1"] {
        let problems = production("MAIL_FROM", from);
        assert!(problems.contains("MAIL_FROM must be"), "{from}: {problems}");
    }
    let bound = production("CONTROL_HTTP_ADDR", "0.0.0.0:80");
    assert!(
        bound.contains("APP_BASE_URL `http://0.0.0.0:80`"),
        "{bound}"
    );
    let good = production("APP_BASE_URL", "https://10.0.0.7");
    assert!(!good.contains("APP_BASE_URL"), "{good}");
}

#[test]
fn origins_are_those_that_browsers_send() {
    let origins = |pairs: &[(&str, &str)]| load(pairs).map(|it| it.app.cors_origins);
    let derived = origins(&[("DASHBOARD_URL", "https://a.b:443/flags/?")]);
    assert!(derived.is_err(), "links have no query");
    let derived = origins(&[("DASHBOARD_URL", "https://A.b:443/flags/")]).unwrap();
    assert_eq!(derived, ["https://a.b"]);
    let listed = origins(&[("CORS_ORIGIN", "https://a.b/, http://C.d:8080,http://e.f:80")]);
    let expected = ["https://a.b", "http://c.d:8080", "http://e.f"];
    assert_eq!(listed.unwrap(), expected);
    for text in [
        "a.b",
        "null",
        "https://a.b/flags",
        "https://a.b?c",
        "https://ada@a.b",
        "ftp://a.b",
        "https://*.a.b",
        "https://a.b, c",
    ] {
        let problems = origins(&[("CORS_ORIGIN", text)]).unwrap_err().to_string();
        assert!(problems.contains("CORS_ORIGIN"), "{text}: {problems}");
    }
}

/// So that no setting fails only at its first use. Completeness of this list is checked where the document is read.
#[test]
fn durations_beyond_their_bounds_are_refused_all_at_once() {
    let huge = "18446744073709551615ms";
    let above_zero = [
        "HEADER_TIMEOUT",
        "KEEP_ALIVE_TIMEOUT",
        "SLOW_READER_TIMEOUT",
        "LOCKOUT_WINDOW",
        "TRIAL_LENGTH",
        "LIFECYCLE_INTERVAL",
        "GATEWAY_TIMEOUT",
        "WEBHOOK_TIMEOUT",
        "OTP_TTL",
        "PASSWORD_RESET_TTL",
        "EMAIL_VERIFICATION_TTL",
        "ONE_TIME_TOKEN_TTL",
    ];
    let or_zero = [
        "SNAPSHOT_WAIT",
        "EDGES_WAIT",
        "REFRESH_REUSE_LEEWAY",
        "TRIAL_NOTICE",
        "PAST_DUE_GRACE",
        "INACTIVITY_LIMIT",
        "INACTIVITY_GRACE",
        "INACTIVITY_WARNING",
        "WEBHOOK_RETRY_WAITS",
        "OTP_RESEND_INTERVAL",
        "MAIL_INTERVAL",
        "AUDIT_RETENTION",
        "USAGE_FLUSH_WAIT",
    ];
    let all = [&above_zero[..], &or_zero[..]].concat();
    let problems = load(&all.iter().map(|name| (*name, huge)).collect::<Vec<_>>());
    let problems = problems.unwrap_err().to_string();
    for name in &all {
        assert!(
            problems.contains(&format!("\n  {name} ")),
            "{name}: {problems}"
        );
    }
    let zero = load(&above_zero.map(|name| (name, "0"))).unwrap_err();
    for name in above_zero {
        let told = format!("\n  {name} `0`: must be from ");
        assert!(zero.to_string().contains(&told), "{name}: {zero}");
    }
    load(&or_zero.map(|name| (name, "0"))).unwrap();
    for (name, value) in [
        ("TOKEN_TTL_MINUTES", "0"),
        ("TOKEN_TTL_MINUTES", "5256001"),
        ("REFRESH_TTL_HOURS", "0"),
        ("REFRESH_TTL_HOURS", "4294967295"),
    ] {
        let problems = load(&[(name, value)]).unwrap_err().to_string();
        assert!(problems.contains(&format!(
            "{name} `{value}`: must be a whole number from 1 to "
        )));
    }
}

#[test]
fn a_wildcard_is_not_an_origin() {
    let problems = load(&[("CORS_ORIGIN", "*")]).unwrap_err().to_string();
    assert!(problems.contains("CORS_ORIGIN"), "{problems}");
}

#[test]
fn link_bases_are_http_urls() {
    for text in [
        "flags.example.com",
        "ftp://flags.example.com",
        "https://a.b/?c=d",
    ] {
        let problems = load(&[("APP_BASE_URL", text)]).unwrap_err().to_string();
        assert!(problems.contains("APP_BASE_URL"), "{problems}");
    }
    let urls = load(&[("DASHBOARD_URL", "https://a.b/flags/")])
        .unwrap()
        .urls;
    assert_eq!(urls.dashboard, "https://a.b/flags");
    assert_eq!(urls.api, "http://127.0.0.1:8080");
}

#[test]
fn the_price_is_an_amount_in_a_currency() {
    let price = |set: &[(&str, &str)]| load(set).map(|it| it.billing.price);
    let shown = |set: &[(&str, &str)]| {
        let price = price(set).unwrap();
        [price.pro.to_string(), price.currency, price.symbol]
    };
    assert_eq!(shown(&[]), ["1999.00", "INR", "₹"]);
    let euros = [("PRICING_PRO_PRICE", "19.5"), ("PRICING_CURRENCY", "EUR")];
    assert_eq!(shown(&euros), ["19.50", "EUR", "EUR "]);
    let [amount, currency] = euros;
    let symbol = ("PRICING_CURRENCY_SYMBOL", "€");
    assert_eq!(shown(&[amount, currency, symbol]), ["19.50", "EUR", "€"]);

    for (name, text) in [
        ("PRICING_PRO_PRICE", "0"),
        ("PRICING_PRO_PRICE", "-5"),
        ("PRICING_PRO_PRICE", "19.999"),
        ("PRICING_PRO_PRICE", "₹1,999"),
        ("PRICING_PRO_PRICE", "100000000"),
        ("PRICING_CURRENCY", "euro"),
        ("PRICING_CURRENCY", "eur"),
        ("PRICING_CURRENCY_SYMBOL", "a long symbol"),
        ("PRICING_CURRENCY_SYMBOL", "a\tb"),
    ] {
        let problems = price(&[(name, text)]).unwrap_err().to_string();
        assert!(problems.contains(name), "{text}: {problems}");
    }
}

#[test]
fn the_audit_trail_is_kept_for_ever_unless_a_time_is_given() {
    let retention = |text| load(&[("AUDIT_RETENTION", text)]).map(|it| it.audit.retention);
    for text in ["", "0", "0d"] {
        assert_eq!(retention(text).unwrap(), None);
    }
    let year = Duration::from_secs(365 * 24 * 60 * 60);
    assert_eq!(retention("365d").unwrap(), Some(year));
    let problems = retention("36501d").unwrap_err().to_string();
    assert!(problems.contains("AUDIT_RETENTION"), "{problems}");
}

#[test]
fn operators_of_the_fleet_are_addresses() {
    assert!(load(&[]).unwrap().fleet.operators.is_empty());
    let settings = load(&[("FLEET_OPERATORS", "Ada@Example.com, ")]).unwrap();
    let operators = settings.fleet.operators.iter();
    assert!(operators.map(|one| one.as_str()).eq(["ada@example.com"]));
    let problems = load(&[("FLEET_OPERATORS", "nobody")]).unwrap_err();
    assert!(problems.to_string().contains("FLEET_OPERATORS"));
}

#[test]
fn sales_inquiries_are_mailed_to_an_address() {
    assert!(load(&[]).unwrap().sales.notify.is_none());
    let settings = load(&[("SALES_NOTIFY_EMAIL", "Sales@Example.com")]).unwrap();
    assert_eq!(settings.sales.notify.unwrap().as_str(), "sales@example.com");
    let problems = load(&[("SALES_NOTIFY_EMAIL", "nobody")]).unwrap_err();
    assert!(problems.to_string().contains("SALES_NOTIFY_EMAIL"));
}

#[test]
fn identity_providers_make_no_owners() {
    let role = |text| load(&[("SCIM_DEFAULT_ROLE", text)]).map(|it| it.scim.default_role);
    assert_eq!(role("").unwrap(), Role::Developer);
    assert_eq!(role("viewer").unwrap(), Role::Viewer);
    assert_eq!(role("admin").unwrap(), Role::Admin);
    for text in ["owner", "Admin", "editor"] {
        let problems = role(text).unwrap_err().to_string();
        assert!(problems.contains("SCIM_DEFAULT_ROLE"), "{problems}");
    }
}

#[test]
fn who_may_sign_up_is_open_invited_or_closed() {
    let signup = |text| load(&[("SIGNUP", text)]).map(|it| it.accounts.signup);
    assert_eq!(signup("").unwrap(), SignupPolicy::Open);
    assert_eq!(signup("open").unwrap(), SignupPolicy::Open);
    assert_eq!(signup("invited").unwrap(), SignupPolicy::Invited);
    assert_eq!(signup("closed").unwrap(), SignupPolicy::Closed);
    for text in ["Open", "invite", "true"] {
        let problems = signup(text).unwrap_err().to_string();
        let told = format!("SIGNUP `{text}`: expected open, invited or closed");
        assert!(problems.contains(&told), "{problems}");
    }
}

#[test]
fn the_default_plan_is_one_that_there_is() {
    let first = |text| load(&[("DEFAULT_PLAN", text)]).map(|it| it.accounts.first_plan.plan);
    for (text, plan) in [
        ("", Plan::Trial),
        ("trial", Plan::Trial),
        ("free", Plan::Free),
        ("pro", Plan::Pro),
        ("enterprise", Plan::Enterprise),
    ] {
        assert_eq!(first(text).unwrap(), plan);
    }
    for text in ["Pro", "unlimited"] {
        let problems = first(text).unwrap_err().to_string();
        let told = format!("DEFAULT_PLAN `{text}`: expected trial, free, pro or enterprise");
        assert!(problems.contains(&told), "{problems}");
    }
}

#[test]
fn zero_attempts_are_refused() {
    let problems = load(&[("OTP_MAX_ATTEMPTS", "0"), ("MAIL_CODES_PER_HOUR", "0")]);
    let problems = problems.unwrap_err().to_string();
    for name in ["OTP_MAX_ATTEMPTS", "MAIL_CODES_PER_HOUR"] {
        assert!(problems.contains(name), "{problems}");
    }
}
