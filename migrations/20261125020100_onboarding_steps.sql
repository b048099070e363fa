-- Steps tick themselves when they come true, except those that somebody took back: they stay so until somebody marks them.

ALTER TABLE onboarding ADD COLUMN taken_back text[] NOT NULL DEFAULT '{}';
