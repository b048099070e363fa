//! Mail to people who did not ask for it.

use futures_util::future::join_all;
use harness::User;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{attacker::Attacker, measure::Abuse};

const VICTIM: &str = "victim@victims.test";

/// Invitations to many addresses, and from several organizations to one: removed and invited again, without end.
pub struct Invitations {
    owners: Vec<User>,
}

impl Abuse for Invitations {
    const NAME: &str = "invitations";

    async fn prepare(attacker: &Attacker) -> Self {
        let mut owners = Vec::new();
        for number in 0..20 {
            owners.push(attacker.another_owner(&format!("inviter{number}")).await);
        }
        Self { owners }
    }

    async fn attack(&self, attacker: &Attacker) {
        let many = attacker.flood(4, |number| {
            let body = json!({"email": format!("victim+{number}@victims.test"), "role": "viewer"});
            let request = attacker.managed(Method::POST, "/v1/members/invite");
            request.json(&body)
        });
        let one = join_all(
            self.owners
                .iter()
                .map(|owner| invite_for_ever(attacker, owner)),
        );
        tokio::join!(many, one);
    }

    fn outcome(&self, attacker: &Attacker) -> String {
        let mails = attacker.mails_to(VICTIM);
        format!(
            "{mails} mails to one address that {} owners invited without end",
            self.owners.len()
        )
    }
}

async fn invite_for_ever(attacker: &Attacker, owner: &User) {
    let body = json!({"email": VICTIM, "role": "viewer"});
    loop {
        let invite = owner.request(Method::POST, "/v1/members/invite");
        let Ok(invited) = invite.json(&body).send().await else {
            attacker.count("none");
            continue;
        };
        attacker.count(invited.status().as_str());
        let member: Value = invited.json().await.unwrap_or_default();
        if let Some(id) = member["id"].as_str() {
            let remove = owner.request(Method::DELETE, &format!("/v1/members/{id}"));
            attacker.send(remove).await;
        }
    }
}
