//! The records of proven domains are looked for again.

use std::{sync::Arc, time::Duration};

use base::config::UrlSettings;
use domain::{
    orgs::operate::{Operation, operate},
    sign_in::{Providers, records::Records, settings::ProviderSettings},
};

use super::{DOMAINS, Scene};

const HOUR: Duration = Duration::from_secs(60 * 60);
const MISSING: &str = "The record of a domain on Halyard is missing";
const LOST: &str = "A domain of your organization on Halyard is proven no longer";

fn records(scene: &Scene) -> Records {
    let app = &scene.app;
    let settings = ProviderSettings {
        allowed: Vec::new(),
        timeout: Duration::from_secs(2),
        dns_servers: vec![scene.names.address],
    };
    let urls = UrlSettings {
        edge: None,
        api: app.url.clone(),
        dashboard: "http://127.0.0.1:8080".to_owned(),
        has_dashboard: true,
    };
    let (db, resolver) = (app.db().clone(), app.resolver.clone());
    let secret = &app.publish.app_secret;
    Records {
        providers: Arc::new(Providers::new(
            db,
            resolver,
            secret,
            settings,
            Arc::new(urls),
        )),
        mailer: app.mailer.clone(),
        clock: app.clock.clone(),
    }
}

/// Looks every six hours of some days; whether the domain `acme.test` is proven then.
async fn after(scene: &Scene, days: u32) -> bool {
    let records = records(scene);
    for _ in 0..days * 4 {
        scene.app.clock.advance(6 * HOUR);
        records.look().await.expect("a look");
    }
    let owner = scene.owner.sign_in_again().await;
    let domains = owner.get(DOMAINS).await;
    !domains.body["data"][0]["proven_at"].is_null()
}

/// The subjects of mails about domains to the owner.
async fn told(scene: &Scene) -> Vec<String> {
    let mails = scene.app.mails().await.into_iter();
    let mails = mails.filter(|mail| mail.to == scene.owner.email);
    let subjects = mails.map(|mail| mail.subject);
    subjects
        .filter(|subject| [MISSING, LOST].contains(&&**subject))
        .collect()
}

#[tokio::test]
async fn a_domain_whose_record_is_missing_for_a_week_is_proven_no_longer() {
    let scene = Scene::start().await;
    assert!(after(&scene, 9).await, "its record is there");
    assert!(told(&scene).await.is_empty());
    scene.names.forget("_halyard.acme.test");
    assert!(after(&scene, 7).await, "a week is not over");
    assert_eq!(told(&scene).await, [MISSING]);
    assert!(!after(&scene, 2).await);
    assert_eq!(told(&scene).await, [MISSING, LOST]);
    let owner = scene.owner.sign_in_again().await;
    let entries = owner.get("/v1/audit?action=sign_in.domain_lost").await;
    let entry = &entries.body["data"][0];
    assert_eq!(entry["actor_type"], "system");
    assert_eq!(entry["before_state"]["domain"], "acme.test");
    assert!(entry["after_state"]["proven_at"].is_null());
    assert_eq!(entries.body["total"], 1);
}

#[tokio::test]
async fn a_record_that_returns_begins_the_week_anew() {
    let scene = Scene::start().await;
    let value = scene.owner.get(DOMAINS).await.text("/data/0/record_value");
    for _ in 0..2 {
        scene.names.forget("_halyard.acme.test");
        assert!(after(&scene, 6).await);
        scene.names.add("_halyard.acme.test", &value);
        assert!(after(&scene, 1).await);
    }
    assert_eq!(told(&scene).await, [MISSING, MISSING]);
}

#[tokio::test]
async fn name_servers_that_do_not_answer_take_no_proof_away() {
    let scene = Scene::start().await;
    scene.names.refuse("_halyard.acme.test");
    assert!(after(&scene, 9).await);
    assert!(told(&scene).await.is_empty());
}

#[tokio::test]
async fn a_domain_that_an_operator_vouches_for_needs_no_record() {
    let scene = Scene::start().await;
    let (db, clock, org) = (scene.app.db(), &scene.app.clock, &scene.owner.org_id);
    let prove = Operation::ProveDomain("acme.test".to_owned());
    operate(db, clock, org, prove).await.unwrap().expect("acme");
    scene.names.forget("_halyard.acme.test");
    assert!(after(&scene, 9).await);
    assert!(told(&scene).await.is_empty());
}
