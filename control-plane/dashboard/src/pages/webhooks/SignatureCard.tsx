import { useState } from 'react';
import { Code } from '../../parts/Code';
import { Button } from '../../ui/Button';
import { Select } from '../../ui/Select';
import { webhooks as words } from './messages';
import { SNIPPETS } from './snippets';
import type { Open } from './WebhookPage';

/** The form of the header, with shortened values. */
const HEADER = 'X-Service-Signature-V2: t=1777896001,id=019a…,v1=9f2c…';

interface SignatureCardProps {
  hasSecret: boolean;
  onOpen: (open: Open) => void;
}

export function SignatureCard({ hasSecret, onOpen }: SignatureCardProps) {
  const [language, setLanguage] = useState<string>(SNIPPETS[0].id);
  const snippet = SNIPPETS.find(({ id }) => id === language) ?? SNIPPETS[0];
  return (
    <section className="card" aria-labelledby="webhook-signature">
      <h2 id="webhook-signature">{words.signature()}</h2>
      {hasSecret ? (
        <>
          <p>{words.signatureText()}</p>
          <Code label={words.signatureHeader()} text={HEADER} isWrapped />
          <Select
            label={words.language()}
            choices={SNIPPETS.map(({ id }) => ({ id, label: words.languageName(id) }))}
            value={language}
            onChange={setLanguage}
          />
          <Code label={words.program()} text={snippet.program} copy={words.copyProgram()} />
          <p className="soft">{words.signatureOld()}</p>
        </>
      ) : (
        <p>{words.unsignedText()}</p>
      )}
      <div className="row">
        <Button onPress={() => onOpen({ kind: 'replaceSecret' })}>
          {hasSecret ? words.replaceSecret() : words.addSecret()}
        </Button>
        {hasSecret ? (
          <Button onPress={() => onOpen({ kind: 'removeSecret' })}>{words.removeSecret()}</Button>
        ) : null}
      </div>
    </section>
  );
}
