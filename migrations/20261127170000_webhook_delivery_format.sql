-- The format that a delivery was sent in, so that its body can be shown after the webhook changed.

-- NULL where nothing was sent, and in rows that the release before wrote.
ALTER TABLE webhook_deliveries
    ADD COLUMN format text
        CONSTRAINT webhook_deliveries_format_check CHECK (format IN ('json', 'slack', 'discord', 'teams'));
