//! What tests give an organization or a member beside a role: a plan, and a custom role.

use serde_json::json;

use crate::app::App;
use crate::user::User;

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

    /// Gives `member` a new custom role with these keys; its id. The organization of `owner` has to be on Enterprise. The
    /// assignment is written as a row, since it is not part of the API yet.
    ///
    /// # Panics
    /// When the role is refused.
    pub async fn hold_to(&self, owner: &User, member: &User, keys: &[&str]) -> String {
        let name = format!("role-{}", uuid::Uuid::new_v4().simple());
        let role = json!({"name": name, "permissions": keys});
        let created = owner.post("/v1/roles", role).await;
        created.expect_status(201);
        let role_id = created.text("/id");
        self.assign(member, Some(&role_id)).await;
        role_id
    }

    /// Gives `member` a role that is there, built-in or not, or takes theirs away.
    ///
    /// # Panics
    /// When there is no such role.
    pub async fn assign(&self, member: &User, role_id: Option<&str>) {
        sqlx::query(
            "UPDATE members SET custom_role_id = $3::uuid
             WHERE org_id = $1::uuid AND user_id = $2::uuid",
        )
        .bind(&member.org_id)
        .bind(&member.id)
        .bind(role_id)
        .execute(self.pool())
        .await
        .expect("a role of the organization");
    }
}
