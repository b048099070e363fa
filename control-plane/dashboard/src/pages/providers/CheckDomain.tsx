import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { sentence } from '../../messages/format';
import { Button } from '../../ui/Button';
import { refusalText } from '../../ui/refusalText';
import { say } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { domains as words } from './messages';
import styles from './Providers.module.css';
import { checkDomain, type Domain, domainsQuery } from './queries';

/** Looks the record of a domain up, and says below why it proves nothing yet. */
export function CheckDomain({ domain: { id, domain }, mayWrite }: { domain: Domain; mayWrite: boolean }) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const [isPending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  async function check() {
    setPending(true);
    setRefusal(null);
    const answer = await checkDomain(id);
    setPending(false);
    if (!answer.ok) return setRefusal(answer.refusal);
    say(words.isProven(domain));
    await client.invalidateQueries({ queryKey: domainsQuery.queryKey });
  }

  return (
    <>
      <div>
        <Button
          aria-label={words.checkOf(domain)}
          isPending={isPending}
          isDisabled={!mayWrite || !isOnline}
          onPress={() => void check()}
        >
          {words.check()}
        </Button>
      </div>
      <p role="alert" className={`${styles.error} small`} hidden={refusal === null}>
        {refusal === null ? '' : textOf(refusal)}
      </p>
    </>
  );
}

/** That name servers are silent is a fault of theirs, of which the service tells. */
function textOf(refusal: Refusal): string {
  return refusal.kind === 'fault' && refusal.message ? sentence(refusal.message) : refusalText(refusal);
}
