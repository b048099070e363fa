import { NameField } from '../../parts/NameField';
import { Radios } from '../../parts/Radios';
import { TextField } from '../../ui/Field';
import { EventsField } from './EventsField';
import { webhooks as words } from './messages';
import type { WebhookFields as Fields, Format } from './queries';

const FORMATS: readonly Format[] = ['json', 'slack', 'discord', 'teams'];

/** The fields while they are edited: `events` is `null` while none of the types is chosen. */
export type Edited = Omit<Fields, 'events'> & { events: string[] | null };

interface WebhookFieldsProps {
  fields: Edited;
  onChange: (fields: Edited) => void;
}

export function WebhookFields({ fields, onChange }: WebhookFieldsProps) {
  return (
    <>
      <NameField
        description={words.nameText()}
        value={fields.name}
        onChange={name => onChange({ ...fields, name })}
      />
      <TextField
        name="url"
        label={words.url()}
        description={words.urlText()}
        isRequired
        inputMode="url"
        autoComplete="off"
        spellCheck="false"
        maxLength={2048}
        value={fields.url}
        onChange={url => onChange({ ...fields, url })}
      />
      <Radios
        label={words.format()}
        choices={FORMATS.map(id => ({ id, label: words.formatName(id), hint: words.formatText(id) }))}
        value={fields.format}
        onChange={format => onChange({ ...fields, format })}
      />
      <EventsField events={fields.events} onChange={events => onChange({ ...fields, events })} />
    </>
  );
}
