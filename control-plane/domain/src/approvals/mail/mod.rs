//! Mail about requests, of change sets too: to members who may review a new one, and to those who made a decided one.
//!
//! However many there are, a member gets one mail of each kind in an interval. The first is sent at once, the second at the end
//! of the interval, and while it waits there are no more: each mail says so, and leads to the list.

mod store;

use base::{
    config::{Page, UrlSettings},
    db,
    ids::UserId,
    mail::{MailToMember, Mailer, Requested, RequestedOf, Template},
};
use time::Duration;

use self::store::{About, Recipient};
use super::model::{Approval, Status};
use crate::{
    change_sets::model::{self as change_sets, ChangeSet},
    orgs, projects,
    unit::Unit,
};

/// In place of the name of what is gone.
const DELETED: &str = "(deleted)";
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

/// A request, as mail tells of it.
struct Request<'a> {
    /// Those who made it: they do not review it, and hear of the decision.
    authors: &'a [UserId],
    project: &'a str,
    of: RequestedOf<'a>,
    link: String,
}

impl<'a> Request<'a> {
    fn of_approval(approval: &'a Approval, urls: &UrlSettings) -> Self {
        let id = approval.id.to_string();
        Self {
            authors: std::slice::from_ref(&approval.requestor_id),
            project: approval.project_slug.as_deref().unwrap_or(DELETED),
            of: RequestedOf::Flag {
                flag: approval.flag_key.as_deref().unwrap_or(DELETED),
                environment: approval.env_slug.as_deref().unwrap_or(DELETED),
                kind: &approval.change_type,
            },
            link: urls.page_with(Page::Approvals, &[("id", &id)]),
        }
    }

    fn of_set(set: &'a ChangeSet, project: &'a str, urls: &UrlSettings) -> Self {
        Self {
            authors: &set.author_ids,
            project,
            of: RequestedOf::ChangeSet {
                change_set: &set.name,
            },
            link: urls.change_set(project, set.id),
        }
    }
}

impl Announcements<'_> {
    /// Queues mail about a new request to members who may review it.
    pub async fn requested(self, unit: &mut Unit, approval: &Approval) -> db::Result<()> {
        let request = Request::of_approval(approval, self.urls);
        let requestor = approval.requestor_name.as_deref().unwrap_or_default();
        self.ask(unit, &request, requestor, &approval.note).await
    }

    /// Queues mail about a decision to the requestor, if they are still a member.
    pub async fn decided(self, unit: &mut Unit, approval: &Approval) -> db::Result<()> {
        let request = Request::of_approval(approval, self.urls);
        let reviewer = approval.reviewer_name.as_deref().unwrap_or_default();
        let note = approval.review_note.as_deref().unwrap_or_default();
        let is_approved = approval.status == Status::Applied;
        self.tell(unit, &request, reviewer, is_approved, note).await
    }

    /// Queues mail about a change set that waits for approval to members who may review it.
    pub async fn set_requested(
        self,
        unit: &mut Unit,
        set: &ChangeSet,
        requestor: UserId,
    ) -> db::Result<()> {
        let (project, requestor) = names(unit, set, requestor).await?;
        let request = Request::of_set(set, &project, self.urls);
        self.ask(unit, &request, &requestor, &set.description).await
    }

    /// Queues mail about a change set that was approved by enough people, or rejected, to those of its authors who are members.
    pub async fn set_decided(self, unit: &mut Unit, set: &ChangeSet) -> db::Result<()> {
        let Some(last) = set.reviews.0.last() else {
            return Ok(());
        };
        let (project, reviewer) = names(unit, set, last.reviewer_id).await?;
        let request = Request::of_set(set, &project, self.urls);
        let is_approved = set.status == change_sets::Status::Approved;
        let note = last.note.as_deref().unwrap_or_default();
        self.tell(unit, &request, &reviewer, is_approved, note)
            .await
    }

    async fn ask(
        self,
        unit: &mut Unit,
        request: &Request<'_>,
        requestor: &str,
        note: &str,
    ) -> db::Result<()> {
        let org_id = unit.org_id();
        let reviewers = store::list_reviewers(unit, org_id, request.authors, MAX_REVIEWERS).await?;
        let Some(turn) = turn(unit, About::Requests, reviewers).await? else {
            return Ok(());
        };
        let mail = Template::ApprovalRequested {
            change: turn.change(request),
            requestor,
            note,
            interval: INTERVAL.unsigned_abs(),
            link: &request.link,
        };
        self.queue(unit, &turn, &mail).await
    }

    async fn tell(
        self,
        unit: &mut Unit,
        request: &Request<'_>,
        reviewer: &str,
        is_approved: bool,
        note: &str,
    ) -> db::Result<()> {
        let org_id = unit.org_id();
        let authors = store::list_authors(unit, org_id, request.authors, MAX_REVIEWERS).await?;
        let Some(turn) = turn(unit, About::Decisions, authors).await? else {
            return Ok(());
        };
        let mail = Template::ApprovalDecided {
            change: turn.change(request),
            reviewer,
            is_approved,
            note,
            interval: INTERVAL.unsigned_abs(),
            link: &request.link,
        };
        self.queue(unit, &turn, &mail).await
    }

    async fn queue(self, unit: &mut Unit, turn: &Turn, mail: &Template<'_>) -> db::Result<()> {
        let now = unit.now();
        self.mailer
            .enqueue_for_members(unit, &turn.to, mail, now)
            .await
    }
}

/// The slug of a set's project, and the name of somebody who acts on it.
async fn names(unit: &mut Unit, set: &ChangeSet, who: UserId) -> db::Result<(String, String)> {
    let org_id = unit.org_id();
    let project = projects::store::find(unit, org_id, set.project_id).await?;
    let project = project.map_or_else(|| DELETED.to_owned(), |project| project.slug);
    let name = store::find_name(unit, org_id, who).await?;
    Ok((project, name.unwrap_or_default()))
}

/// `None` if no recipient gets a mail now.
async fn turn(
    unit: &mut Unit,
    about: About,
    mut recipients: Vec<Recipient>,
) -> db::Result<Option<Turn>> {
    let (org_id, now) = (unit.org_id(), unit.now());
    // Before any lock: where there are many requests, mail waits already.
    recipients.retain(|recipient| recipient.last_mail_at.is_none_or(|at| at <= now));
    if recipients.is_empty() {
        return Ok(None);
    }
    Ok(Some(Turn {
        to: store::take_turns(unit, org_id, about, &recipients, now, INTERVAL).await?,
        organization: orgs::store::get(unit, org_id).await?.name,
    }))
}

/// Who gets a mail now.
struct Turn {
    to: Vec<MailToMember>,
    organization: String,
}

impl Turn {
    fn change<'a>(&'a self, request: &Request<'a>) -> Requested<'a> {
        Requested {
            organization: &self.organization,
            project: request.project,
            of: request.of,
        }
    }
}
