-- Whose password it is, and what waits until that is known.
--
-- A link in a mail says that the address exists; programs follow it, and people who did not ask for it. A code that is typed
-- together with a new password says that whoever chose the password reads the mail.

ALTER TABLE users
    -- Whether whoever set the password has shown a code that was mailed to the address, or an operator vouches for them.
    ADD COLUMN password_proven boolean NOT NULL DEFAULT false;

-- Nothing better is known of those who are there.
UPDATE users SET password_proven = true WHERE email_verified AND password_hash IS NOT NULL;

ALTER TABLE members
    -- Given to an account whose password was not proven: nobody acts by it until it is.
    ADD COLUMN awaits_proof boolean NOT NULL DEFAULT false,
    -- What the organization calls a member whose account is not its own, until they sign in there; null for the account's name.
    ADD COLUMN known_as text;

-- Whoever made an organization became its member in the same moment; everybody later was let in.
UPDATE members
SET awaits_proof = true
FROM users, organizations
WHERE users.id = members.user_id
    AND organizations.id = members.org_id
    AND users.password_hash IS NOT NULL
    AND NOT users.password_proven
    AND members.created_at > organizations.created_at;
