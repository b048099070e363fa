import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { TextField } from '../../ui/Field';
import { FormDialog } from '../../ui/FormDialog';
import { say } from '../../ui/say';
import { domains as words } from './messages';
import { addDomain, domainsQuery } from './queries';

/** Adds a domain; its record is then in the list. */
export function NewDomain({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [domain, setDomain] = useState('');

  async function submit(): Promise<Refusal | null> {
    const answer = await addDomain(domain.trim());
    if (!answer.ok) return answer.refusal;
    say(words.added(answer.data.domain));
    onClose();
    await client.invalidateQueries({ queryKey: domainsQuery.queryKey });
    return null;
  }

  return (
    <FormDialog
      title={words.add()}
      submit={words.add()}
      onSubmit={submit}
      explain={refusal => (refusal.kind === 'conflict' ? { field: 'domain' } : null)}
      onClose={onClose}
    >
      <TextField
        name="domain"
        label={words.domain()}
        description={words.domainText()}
        isRequired
        autoFocus
        inputMode="url"
        autoComplete="off"
        spellCheck="false"
        value={domain}
        onChange={setDomain}
      />
    </FormDialog>
  );
}
