//! Inviting members: the membership begins at once, and is announced by mail.
//!
//! An unknown address gets an account without a password, claimed with its memberships by proving the address at sign-up
//! ([`crate::accounts::Accounts::complete_signup`]).

use super::{
    change::{Acting, admit, allow_another},
    model::{Member, Role},
    store,
};
use crate::{
    accounts::{
        email::Email,
        settings::SignupPolicy,
        store::{
            stubs::{self, Made},
            users::Credentials,
        },
    },
    events::{Action, Event, Subject},
    unit::{OrgChange, Recorded},
};
use base::{
    config::{Page, UrlSettings},
    mail::{Cause, InvitationWay, Mailer, Template},
    refusal::Refusal,
};

/// The dependencies of an invitation besides the database.
#[derive(Clone, Copy)]
pub struct Invitations<'a> {
    pub mailer: &'a Mailer,
    /// For the commands and the link in the mail.
    pub urls: &'a UrlSettings,
    /// Whether invited users may open an account.
    pub signup: SignupPolicy,
}

impl Invitations<'_> {
    /// Makes the holder of an address a member, creating a missing account.
    pub async fn invite(
        self,
        change: &mut OrgChange<'_>,
        acting: Acting<'_>,
        email: &Email,
        role: Role,
    ) -> Result<Recorded<Member>, Refusal> {
        let (org_id, now) = (change.org_id(), change.now());
        acting.may_handle(&[role])?;
        let (account, made) =
            stubs::find_or_insert_stub(change, email, email.as_str(), now).await?;
        if store::find_of_user(change, org_id, account.user.id)
            .await?
            .is_some()
        {
            return Err(Refusal::conflict("user is already a member"));
        }
        allow_another(change).await?;
        acting.confirm(change, &[role]).await?;

        // Whether the address has an account, and its name, is private to its holder.
        let known_as = (made == Made::Before).then_some(email.as_str());
        let membership = admit(change, account.user.id, role, known_as).await?;
        let organization = change.org().name.clone();
        let inviter = acting.name(change).await?;
        let mail = Template::Invitation {
            inviter: &inviter,
            has_dashboard: self.urls.has_dashboard,
            organization: &organization,
            org_id: &org_id.to_string(),
            role: role.as_str(),
            email: &account.user.email,
            way: self.way(&account),
            api: &self.urls.api,
            link: &self.link(&account),
        };
        let cause = Cause {
            org_id,
            by_verified: acting.is_verified(change).await?,
        };
        self.mailer
            .enqueue_caused(change, cause, &account.user.email, &mail, now)
            .await?;
        let member = Member {
            id: membership.id,
            org_id,
            role,
            email: Some(account.user.email),
            name: email.as_str().to_owned(),
            custom_role_id: None,
            user_id: account.user.id,
        };
        let event = Event::created(Action::MemberInvited, Subject::Member(member.id), &member);
        Ok(change.record(event, member).await?)
    }

    fn way(self, account: &Credentials) -> InvitationWay {
        match self.signup {
            _ if account.password_hash.is_some() && account.password_proven => {
                InvitationWay::SignIn
            }
            _ if account.password_hash.is_some() => InvitationWay::Prove,
            SignupPolicy::Open | SignupPolicy::Invited => InvitationWay::SignUp,
            SignupPolicy::Closed => InvitationWay::AskOperator,
        }
    }

    /// Leads an unclaimed account to sign-up, an unproven password to the password reset, others to login.
    fn link(self, account: &Credentials) -> String {
        match self.way(account) {
            InvitationWay::SignUp => {
                let query = [("email", account.user.email.as_str()), ("invited", "1")];
                self.urls.page_with(Page::SignUp, &query)
            }
            InvitationWay::Prove => self.urls.page(Page::ForgotPassword),
            InvitationWay::SignIn | InvitationWay::AskOperator => self.urls.page(Page::Login),
        }
    }
}
