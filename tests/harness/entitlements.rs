//! What tests give an organization or a member beside a role: a plan, and a custom role.

use std::time::Duration;

use domain::orgs::{
    change::set_plan_as_operator,
    model::{Organization, Plan},
};
use serde_json::json;

use crate::{app::App, user::User};

impl App {
    /// Puts the user's organization on a plan, as an operator would.
    ///
    /// # Panics
    /// When the schema knows no such plan.
    pub async fn set_plan(&self, user: &User, plan: &str) {
        sqlx::query("UPDATE organizations SET plan = $2 WHERE id = $1::uuid")
            .bind(&user.org_id)
            .bind(plan)
            .execute(self.pool())
            .await
            .expect("a plan");
    }

    /// Has an operator put the user's organization on a plan.
    ///
    /// # Panics
    /// When the organization is gone.
    pub async fn set_plan_as_operator(&self, user: &User, plan: Plan) -> Organization {
        let trial = Duration::from_secs(14 * 24 * 60 * 60);
        let set = set_plan_as_operator(self.db(), &self.clock, &user.org_id, plan, trial).await;
        set.expect("the test's database")
            .expect("an organization")
            .org
    }

    /// Gives `member` a new custom role with these keys; its id. The organization of `owner` has to be on Enterprise.
    ///
    /// # Panics
    /// When the role is refused.
    pub async fn hold_to(&self, owner: &User, member: &User, keys: &[&str]) -> String {
        let name = format!("role-{}", uuid::Uuid::new_v4().simple());
        let role = json!({"name": name, "permissions": keys});
        let created = owner.post("/v1/roles", role).await;
        created.expect_status(201);
        let role_id = created.text("/id");
        self.assign(owner, member, Some(&role_id)).await;
        role_id
    }

    /// Gives `member` a role that is there, built-in or not, or takes theirs away.
    ///
    /// # Panics
    /// When there is no such role, or it is refused.
    pub async fn assign(&self, owner: &User, member: &User, role_id: Option<&str>) {
        let path = format!("/v1/members/{}", owner.member_id_of(&member.email).await);
        let role = json!({"custom_role_id": role_id});
        owner.put(&path, role).await.expect_status(204);
    }
}
