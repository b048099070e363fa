//! What owners set up.

use harness::App;
use serde_json::{Value, json};

use super::{DOMAINS, NameServer, PROVIDERS, Scene, app_with, prove, provider};

const SETTINGS: &str = "/v1/organization/sign-in";

async fn acme(app: &App) -> harness::User {
    let owner = app.signup("acme").await;
    app.set_plan(&owner, "enterprise").await;
    owner
}

#[tokio::test]
async fn a_provider_is_set_up_changed_and_deleted() {
    let app = App::start().await;
    let owner = acme(&app).await;
    let body = json!({
        "name": "Okta",
        "issuer": "https://login.example",
        "client_id": "halyard",
        "client_secret": "s3cret",
        "provisions_members": true,
        "default_role": "viewer",
        "role_claim": "groups",
        "role_mappings": [{"value": "leads", "role": "admin"}],
    });
    let made = owner.create(PROVIDERS, body).await;
    let mut expected = json!({
        "id": "[uuid]",
        "name": "Okta",
        "issuer": "https://login.example",
        "client_id": "halyard",
        "has_secret": true,
        "provisions_members": true,
        "default_role": "viewer",
        "role_claim": "groups",
        "role_mappings": [{"value": "leads", "role": "admin"}],
        "created_at": "[time]",
        "updated_at": "[time]",
    });
    made.expect(201, expected.clone());
    let path = format!("{PROVIDERS}/{}", made.text("/id"));
    let change = json!({"client_secret": null, "default_role": "developer", "role_claim": "", "role_mappings": []});
    let changed = owner.patch(&path, change).await;
    expected["has_secret"] = false.into();
    expected["default_role"] = "developer".into();
    expected["role_claim"] = Value::Null;
    expected["role_mappings"] = json!([]);
    changed.expect(200, expected.clone());
    owner.get(&path).await.expect(200, expected.clone());
    let page = json!({"data": [expected], "total": 1, "limit": 50, "offset": 0, "has_more": false});
    owner.get(PROVIDERS).await.expect(200, page);
    owner.remove(&path).await;
    let gone = owner.get(&path).await;
    gone.expect_error(404, "sign-in provider not found");
}

#[tokio::test]
async fn what_a_provider_may_not_be_is_refused() {
    let app = App::start().await;
    let owner = acme(&app).await;
    let with = |name: &str, value: Value| {
        let mut body = provider("https://login.example");
        body[name] = value;
        body
    };
    let mapping = |value: &str, role: &str| json!({"value": value, "role": role});
    let many: Vec<_> = (0..101)
        .map(|i| mapping(&i.to_string(), "viewer"))
        .collect();
    for (body, words) in [
        (json!({}), "name, issuer and client_id are required"),
        (
            with("issuer", json!("http://login.example")),
            "issuer must be an https URL",
        ),
        (
            with("issuer", json!("https://login.example?a=b")),
            "issuer must have no query and no fragment",
        ),
        (
            with("issuer", json!("https://10.0.0.1")),
            "issuer must not lead to a private, local or reserved address",
        ),
        (
            with("issuer", json!("https://169.254.169.254/latest")),
            "issuer must not lead to a private, local or reserved address",
        ),
        (
            with("issuer", json!("https://keycloak.internal")),
            "issuer must not have a host name that has a meaning only locally",
        ),
        (
            with("client_secret", json!("a".repeat(256))),
            "client_secret must have at most 255 characters",
        ),
        (
            with("default_role", json!("owner")),
            "default_role must be admin, developer or viewer",
        ),
        (
            with("role_mappings", json!([mapping("root", "owner")])),
            "role_mappings: role must be admin, developer or viewer",
        ),
        (
            with(
                "role_mappings",
                json!([mapping("a", "viewer"), mapping("a", "admin")]),
            ),
            "role_mappings must have each value once",
        ),
        (
            with("role_mappings", json!(many)),
            "role_mappings must be at most 100",
        ),
    ] {
        let refused = owner.post(PROVIDERS, body).await;
        refused.expect_error(400, words);
    }
}

#[tokio::test]
async fn an_organization_has_at_most_10_providers_each_once() {
    let app = App::start().await;
    let owner = acme(&app).await;
    for number in 0..10 {
        let issuer = format!("https://login{number}.example");
        owner.create(PROVIDERS, provider(&issuer)).await;
    }
    let another = owner
        .post(PROVIDERS, provider("https://login.example"))
        .await;
    another.expect_error(400, "an organization has at most 10 sign-in providers");
    let providers = owner.get(PROVIDERS).await;
    let path = format!("{PROVIDERS}/{}", providers.text("/data/9/id"));
    let twice = json!({"issuer": "https://login0.example"});
    owner.patch(&path, twice).await.expect_error(
        409,
        "the organization has a provider with this issuer and client id",
    );
}

#[tokio::test]
async fn an_organization_has_at_most_50_domains_each_once() {
    let app = App::start().await;
    let owner = acme(&app).await;
    for number in 0..50 {
        let body = json!({"domain": format!("d{number}.example")});
        owner.create(DOMAINS, body).await;
    }
    let another = owner.post(DOMAINS, json!({"domain": "d.example"})).await;
    another.expect_error(400, "an organization has at most 50 domains");
    let first = owner.get(DOMAINS).await;
    owner
        .remove(&format!("{DOMAINS}/{}", first.text("/data/0/id")))
        .await;
    let twice = owner.post(DOMAINS, json!({"domain": "D1.Example."})).await;
    twice.expect_error(409, "the organization has this domain already");
    let none = owner.post(DOMAINS, json!({"domain": "localhost"})).await;
    none.expect_error(400, "domain must be a name such as example.com");
}

#[tokio::test]
async fn a_domain_is_proven_by_its_record_alone_and_for_one_organization() {
    let names = NameServer::start().await;
    let app = app_with(&names, &[]).await;
    let owner = acme(&app).await;
    let added = owner
        .create(DOMAINS, json!({"domain": "Acme.Example"}))
        .await;
    let value = added.text("/record_value");
    let mut expected = json!({
        "id": "[uuid]",
        "domain": "acme.example",
        "record_name": "_halyard.acme.example",
        "record_value": value,
        "proven_at": null,
        "created_at": "[time]",
    });
    added.expect(201, expected.clone());
    let check = format!("{DOMAINS}/{}/check", added.text("/id"));
    let absent = "the TXT record is not there: it may take a while until name servers have it";
    let before = owner.post(&check, Value::Null).await;
    before.expect_error(409, absent);
    // The record of somebody else, or at another name.
    names.add(
        "_halyard.acme.example",
        "halyard-domain-verification=0123456789abcdef",
    );
    names.add("acme.example", &value);
    owner
        .post(&check, Value::Null)
        .await
        .expect_error(409, absent);
    names.add("_halyard.acme.example", &value);
    expected["proven_at"] = "[time]".into();
    owner.post(&check, Value::Null).await.expect(200, expected);

    let stranger = app.signup("globex").await;
    app.set_plan(&stranger, "enterprise").await;
    let theirs = stranger
        .create(DOMAINS, json!({"domain": "acme.example"}))
        .await;
    names.add("_halyard.acme.example", &theirs.text("/record_value"));
    let check = format!("{DOMAINS}/{}/check", theirs.text("/id"));
    let taken = stranger.post(&check, Value::Null).await;
    taken.expect_error(
        409,
        "the domain is proven for another organization: ask whoever operates this installation",
    );
}

#[tokio::test]
async fn a_name_server_that_is_silent_is_told() {
    let silent = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let app = App::start_with(&[("SIGN_IN_DNS_SERVERS", &address)]).await;
    let owner = acme(&app).await;
    let added = owner
        .create(DOMAINS, json!({"domain": "acme.example"}))
        .await;
    let check = format!("{DOMAINS}/{}/check", added.text("/id"));
    let told = owner.post(&check, Value::Null).await;
    told.expect_error(502, "the name servers of the domain do not answer");
}

#[tokio::test]
async fn an_operator_proves_a_domain_without_a_record() {
    let scene = Scene::start().await;
    let run = async |domain: &str, org: &str| {
        let operation = domain::orgs::operate::Operation::ProveDomain(domain.to_owned());
        domain::orgs::operate::operate(scene.app.db(), &scene.app.clock, org, operation).await
    };
    let org = &scene.owner.org_id;
    run("acme.example", org).await.unwrap().expect("acme");
    let domains = scene.owner.get(DOMAINS).await;
    assert_eq!(domains.body["data"][1]["domain"], "acme.example");
    assert_eq!(
        domains.body["data"][1]["proven_at"],
        domains.body["data"][0]["proven_at"]
    );
    let proven = &scene.entries("sign_in.domain_proven").await[0];
    assert_eq!(proven["actor_type"], "system");
    let stranger = scene.app.signup("globex").await;
    let taken = run("acme.test", &stranger.org_id).await.unwrap_err();
    assert!(
        taken.to_string().contains("another organization"),
        "{taken}"
    );
}

#[tokio::test]
async fn the_settings_show_where_providers_send_people_back_to() {
    let app = App::start_with(&[("DASHBOARD_URL", "https://flags.acme.example")]).await;
    let owner = acme(&app).await;
    let shown =
        json!({"only_by_provider": false, "redirect_url": "https://flags.acme.example/login"});
    owner.get(SETTINGS).await.expect(200, shown);
}

#[tokio::test]
async fn passwords_go_on_until_a_provider_is_known_to_work() {
    let scene = Scene::start().await;
    let on = json!({"only_by_provider": true});
    let refused = scene.owner.patch(SETTINGS, on.clone()).await;
    refused.expect_error(
        409,
        "nobody has signed in by a provider yet: sign in by one first, so that it is known to work",
    );
    let off = json!({"only_by_provider": false});
    scene
        .owner
        .patch(SETTINGS, off.clone())
        .await
        .expect(200, off);
    prove(&scene.owner, &scene.names, "acme.example").await;
    scene.invite("viewer").await;
    scene.sign_in().await.expect_status(200);
    scene
        .owner
        .patch(SETTINGS, on.clone())
        .await
        .expect(200, on);
    let last = scene.owner.delete(&scene.path()).await;
    last.expect_error(
        409,
        "members must sign in by a provider: allow passwords first, with only_by_provider",
    );
}
