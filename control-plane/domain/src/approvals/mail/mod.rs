//! Mail about requests: to members who may review a new one, and to the requestor of a decided one.
//!
//! However many there are, a member gets one mail of each kind in an interval. The first is sent at once, the second at the end
//! of the interval, and while it waits there are no more: each mail says so, and leads to the list.

mod store;

use base::{
    config::{Page, UrlSettings},
    db,
    mail::{MailToMember, Mailer, Requested, Template},
};
use time::Duration;

use self::store::{About, Recipient};
use super::model::{Approval, Status};
use crate::{orgs, unit::Unit};

const INTERVAL: Duration = Duration::minutes(15);
/// Most recipients of mail about one request: those who signed in last.
const MAX_REVIEWERS: i64 = 50;

/// The dependencies of mail about requests besides the database.
#[derive(Clone, Copy)]
pub struct Announcements<'a> {
    pub mailer: &'a Mailer,
    /// For the link in the mail.
    pub urls: &'a UrlSettings,
}

impl Announcements<'_> {
    /// Queues mail about a new request to members who may review it.
    pub async fn requested(self, unit: &mut Unit, approval: &Approval) -> db::Result<()> {
        let (org_id, requestor_id) = (unit.org_id(), approval.requestor_id);
        let reviewers = store::list_reviewers(unit, org_id, requestor_id, MAX_REVIEWERS).await?;
        let Some(turn) = self
            .turn(unit, approval, About::Requests, reviewers)
            .await?
        else {
            return Ok(());
        };
        let mail = Template::ApprovalRequested {
            change: turn.change(approval),
            requestor: approval.requestor_name.as_deref().unwrap_or_default(),
            note: &approval.note,
            interval: INTERVAL.unsigned_abs(),
            link: &turn.link,
        };
        let now = unit.now();
        self.mailer
            .enqueue_for_members(unit, &turn.to, &mail, now)
            .await
    }

    /// Queues mail about a decision to the requestor, if they are still a member.
    pub async fn decided(self, unit: &mut Unit, approval: &Approval) -> db::Result<()> {
        let (org_id, requestor_id) = (unit.org_id(), approval.requestor_id);
        let requestor = store::find_requestor(unit, org_id, requestor_id).await?;
        let requestor = requestor.into_iter().collect();
        let Some(turn) = self
            .turn(unit, approval, About::Decisions, requestor)
            .await?
        else {
            return Ok(());
        };
        let mail = Template::ApprovalDecided {
            change: turn.change(approval),
            reviewer: approval.reviewer_name.as_deref().unwrap_or_default(),
            is_approved: approval.status == Status::Applied,
            note: approval.review_note.as_deref().unwrap_or_default(),
            interval: INTERVAL.unsigned_abs(),
            link: &turn.link,
        };
        let now = unit.now();
        self.mailer
            .enqueue_for_members(unit, &turn.to, &mail, now)
            .await
    }

    /// `None` if no recipient gets a mail now.
    async fn turn(
        self,
        unit: &mut Unit,
        approval: &Approval,
        about: About,
        mut recipients: Vec<Recipient>,
    ) -> db::Result<Option<Turn>> {
        let (org_id, now) = (unit.org_id(), unit.now());
        // Before any lock: where there are many requests, mail waits already.
        recipients.retain(|recipient| recipient.last_mail_at.is_none_or(|at| at <= now));
        if recipients.is_empty() {
            return Ok(None);
        }
        let id = approval.id.to_string();
        Ok(Some(Turn {
            to: store::take_turns(unit, org_id, about, &recipients, now, INTERVAL).await?,
            organization: orgs::store::get(unit, org_id).await?.name,
            link: self.urls.page_with(Page::Approvals, &[("id", &id)]),
        }))
    }
}

/// Who gets a mail now, and what both kinds say.
struct Turn {
    to: Vec<MailToMember>,
    organization: String,
    link: String,
}

impl Turn {
    fn change<'a>(&'a self, approval: &'a Approval) -> Requested<'a> {
        Requested {
            organization: &self.organization,
            project: approval.project_slug.as_deref().unwrap_or("(deleted)"),
            flag: approval.flag_key.as_deref().unwrap_or("(deleted)"),
            environment: approval.env_slug.as_deref().unwrap_or("(deleted)"),
            kind: &approval.change_type,
        }
    }
}
