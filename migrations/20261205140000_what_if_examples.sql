-- How many contexts edges may show with what they found about a question.

ALTER TABLE what_if_questions
    ADD COLUMN examples smallint NOT NULL DEFAULT 0
        CONSTRAINT what_if_questions_examples_check CHECK (examples BETWEEN 0 AND 20);
