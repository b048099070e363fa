//! Replacing `APP_SECRET`: everything that was sealed can be read with the new one.

use base::mail::Template;
use control_plane::rotate::{Counts, Kind, RotateError, rotate};
use harness::user::PASSWORD;
use harness::{App, Authenticator, Caller, User};
use publish::tls::Authority;
use serde_json::{Value, json};

const NEW: &str = "the secret that comes after the built-in one";

/// More mail than one batch seals.
const MAILS: u64 = 1_100;

/// A service with something of everything that is sealed.
struct Setup {
    app: App,
    owner: User,
    phone: Authenticator,
    backup_codes: Vec<String>,
    authority: String,
}

impl Setup {
    async fn start() -> Self {
        // Nobody listens there, so that mail waits.
        let app = App::start_with(&[("SMTP_URL", "smtp://127.0.0.1:9")]).await;
        let owner = app.proven("acme").await;
        let answer = owner.act("/v1/auth/mfa/enable", Value::Null).await;
        let phone = Authenticator::new(&answer.text("/secret"));
        let codes = answer.body["backup_codes"].as_array().unwrap();
        let backup_codes = codes.iter().map(|code| code.as_str().unwrap().to_owned());
        let code = json!({"code": phone.code(app.clock.now())});
        owner.act("/v1/auth/mfa/verify", code).await;
        let webhook = json!({"name": "w", "url": "https://hooks.example.com/", "secret": "hush"});
        owner.create("/v1/webhooks", webhook).await;
        app.set_plan(&owner, "enterprise").await;
        let provider = json!({"name": "p", "issuer": "https://192.0.2.1", "client_id": "c", "client_secret": "hush"});
        let path = "/v1/organization/sign-in/providers";
        owner.create(path, provider).await;
        let template = Template::SignupCode {
            code: "314159",
            valid_for: std::time::Duration::from_secs(600),
        };
        let mut tx = app.db().begin().await.unwrap();
        let waiting: i64 = sqlx::query_scalar("SELECT count(*) FROM mails")
            .fetch_one(&mut *tx)
            .await
            .unwrap();
        for number in u64::try_from(waiting).unwrap()..MAILS {
            let to = format!("user{number}@example.com");
            let queued = app.mailer.enqueue(&mut tx, &to, &template, app.clock.now());
            queued.await.unwrap();
        }
        // A control plane that runs would give up what it cannot open.
        sqlx::query("UPDATE mails SET due_at = '2080-01-01Z', expires_at = '2080-01-02Z'")
            .execute(&mut *tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        app.publisher.signing_keys().await.unwrap();
        let authority = Authority::load(app.db(), &app.publish, app.clock.now()).await;
        Self {
            authority: authority.unwrap().certificate_pem().to_owned(),
            backup_codes: backup_codes.collect(),
            app,
            owner,
            phone,
        }
    }

    async fn rotate(&self) -> Result<Vec<(Kind, Counts)>, RotateError> {
        rotate(self.app.db(), &self.app.publish.app_secret, &NEW.into()).await
    }

    /// Logs in with the code at a control plane that has the new secret alone.
    async fn logs_in(&self, caller: &Caller, code: &str) {
        let body = json!({"email": self.owner.email, "password": PASSWORD, "mfa_code": code});
        caller.act("/v1/auth/login", body).await;
    }

    async fn works_with_the_new_secret(&self) {
        let url = self.app.another_replica_with(&[("APP_SECRET", NEW)]).await;
        let caller = Caller::new(&url, self.app.clock.clone());
        self.app.clock.advance(std::time::Duration::from_secs(60));
        let code = self.phone.code(self.app.clock.now());
        self.logs_in(&caller, &code).await;
        self.logs_in(&caller, &self.backup_codes[0]).await;

        let mut settings = self.app.publish.clone();
        settings.app_secret = NEW.into();
        let now = self.app.clock.now();
        let authority = Authority::load(self.app.db(), &settings, now)
            .await
            .unwrap();
        assert_eq!(authority.certificate_pem(), self.authority);
        Authority::load(self.app.db(), &self.app.publish, now)
            .await
            .unwrap_err();
    }
}

fn anew(by_old: u64) -> Counts {
    Counts {
        by_old,
        ..Counts::default()
    }
}

fn before(by_new: u64) -> Counts {
    Counts {
        by_new,
        ..Counts::default()
    }
}

#[tokio::test]
async fn everything_sealed_can_be_read_with_the_new_secret_and_a_second_run_finds_nothing_to_do() {
    let setup = Setup::start().await;
    assert_eq!(
        setup.rotate().await.unwrap(),
        [
            (Kind::LinkAuthority, anew(1)),
            (Kind::SigningKeys, anew(1)),
            (Kind::BackupCodeKey, before(1)),
            (Kind::Authenticators, anew(1)),
            (Kind::Webhooks, anew(1)),
            (Kind::SignInProviders, anew(1)),
            (Kind::Mail, anew(MAILS)),
        ]
    );
    setup.works_with_the_new_secret().await;
    let again = setup.rotate().await.unwrap();
    assert!(
        again.iter().all(|(_, counts)| counts.by_old == 0),
        "{again:?}"
    );
}

#[tokio::test]
async fn a_run_that_is_cut_off_in_the_middle_is_finished_by_the_next() {
    let setup = Setup::start().await;
    // The second batch of mails fails, after everything else was sealed anew.
    sqlx::raw_sql(
        "CREATE SEQUENCE batches;
         CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN IF nextval(''batches'') = 2 THEN RAISE EXCEPTION ''cut''; END IF; RETURN NULL; END';
         CREATE TRIGGER cut AFTER UPDATE OF sealed_content ON mails FOR EACH STATEMENT EXECUTE FUNCTION cut();",
    )
    .execute(setup.app.pool())
    .await
    .unwrap();
    let cut = setup.rotate().await.unwrap_err();
    assert!(matches!(cut, RotateError::Database(_)), "{cut}");
    assert_eq!(
        setup.rotate().await.unwrap(),
        [
            (Kind::LinkAuthority, before(1)),
            (Kind::SigningKeys, before(1)),
            (Kind::BackupCodeKey, before(1)),
            (Kind::Authenticators, before(1)),
            (Kind::Webhooks, before(1)),
            (Kind::SignInProviders, before(1)),
            (
                Kind::Mail,
                Counts {
                    by_old: MAILS - 500,
                    by_new: 500,
                    by_neither: 0,
                }
            ),
        ]
    );
    setup.works_with_the_new_secret().await;
}

#[tokio::test]
async fn a_secret_that_opens_nothing_is_refused_and_changes_nothing() {
    let setup = Setup::start().await;
    let all = "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM (
        SELECT sealed_key FROM link_authority UNION ALL SELECT sealed_key FROM mfa_backup_code_key
        UNION ALL SELECT sealed_seed FROM signing_keys
        UNION ALL SELECT secret FROM mfa_enrolments UNION ALL SELECT sealed_secret FROM webhooks
        UNION ALL SELECT sealed_content FROM mails) AS t";
    let digest = async || {
        let digest: String = sqlx::query_scalar(all)
            .fetch_one(setup.app.pool())
            .await
            .unwrap();
        digest
    };
    let before = digest().await;
    let wrong = "no secret that anything was sealed with".into();
    let refused = rotate(setup.app.db(), &wrong, &NEW.into()).await;
    let words = format!(
        "APP_SECRET_OLD opens nothing of what is sealed ({}): nothing was changed",
        MAILS + 5
    );
    assert_eq!(refused.unwrap_err().to_string(), words);
    assert_eq!(digest().await, before);
}
