-- Our own mail is counted apart from mail to addresses that members chose, which could hold it back for hours; and mail about
-- somebody's account apart from mail about organizations, of which anybody can make them an admin.

ALTER TABLE address_mails
    DROP CONSTRAINT address_mails_counted_check,
    -- Links that prove the address; our mail about the account, and about organizations; mail of members whose own address is
    -- proven, and of other members.
    ADD CONSTRAINT address_mails_counted_check
        CHECK (counted IN ('link', 'account', 'organization', 'verified', 'unverified'));
