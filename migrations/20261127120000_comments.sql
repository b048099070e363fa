-- Why a version was made: the member's comment on the change.

ALTER TABLE flag_versions
    ADD COLUMN comment text CONSTRAINT flag_versions_comment_check CHECK (char_length(comment) <= 500);
