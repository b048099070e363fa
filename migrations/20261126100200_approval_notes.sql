-- Approvals reach people: what the requestor noted, lists by project and flag, and mail to members.

ALTER TABLE approvals ADD COLUMN note text NOT NULL DEFAULT '';

CREATE INDEX approvals_org_id_project_id_created_at_idx
    ON approvals (org_id, project_id, created_at DESC, id DESC) INCLUDE (status);
CREATE INDEX approvals_org_id_flag_id_created_at_idx
    ON approvals (org_id, flag_id, created_at DESC, id DESC) INCLUDE (status);

-- The membership that a mail is for: the mail goes with it. Null for mail that belongs to an address.
ALTER TABLE mails
    ADD COLUMN member_id uuid CONSTRAINT mails_member_id_fkey REFERENCES members ON DELETE CASCADE;

CREATE INDEX mails_member_id_idx ON mails (member_id) WHERE member_id IS NOT NULL;

-- When a member's last mail about approvals was sent, or will be: mail is sent at intervals, and says that there may be more.
CREATE TABLE approval_mails (
    member_id uuid NOT NULL CONSTRAINT approval_mails_member_id_fkey REFERENCES members ON DELETE CASCADE,
    -- Requests that the member may review, or decisions about the member's own.
    about text NOT NULL CONSTRAINT approval_mails_about_check CHECK (about IN ('requests', 'decisions')),
    org_id uuid NOT NULL CONSTRAINT approval_mails_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    due_at timestamptz NOT NULL,
    CONSTRAINT approval_mails_pkey PRIMARY KEY (member_id, about)
);

CREATE INDEX approval_mails_org_id_idx ON approval_mails (org_id);

-- Mail about approvals counts apart, so that it holds back none of ours.
ALTER TABLE address_mails DROP CONSTRAINT address_mails_counted_check;
ALTER TABLE address_mails ADD CONSTRAINT address_mails_counted_check
    CHECK (counted IN ('link', 'account', 'organization', 'verified', 'unverified', 'approval'));
