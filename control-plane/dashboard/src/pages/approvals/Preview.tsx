import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Refused } from '../../api/refusal';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { refusalText } from '../../ui/refusalText';
import styles from './Approvals.module.css';
import { attributesOf } from './attributes';
import { approvals } from './messages';
import { type Approval, type Diff, previewQuery } from './queries';

interface PreviewProps {
  approval: Approval;
  diff: Diff;
}

/** What one user gets now and after approval, by the service's own evaluation. */
export function Preview(props: PreviewProps) {
  const isAllowed = useMe().permissions.includes('flags.read');
  const [key, setKey] = useState('');
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const [asked, setAsked] = useState<{ key: string; attributes: Record<string, unknown> } | null>(null);
  if (!isAllowed) return null;

  function ask() {
    const attributes = attributesOf(text);
    setWrong(attributes === null);
    if (attributes !== null && key.trim() !== '') setAsked({ key: key.trim(), attributes });
  }

  return (
    <section className="card" aria-labelledby="preview">
      <div className="stack close">
        <h2 id="preview">{approvals.preview()}</h2>
        <p className="soft">{approvals.previewText()}</p>
      </div>
      <Form
        className={styles.preview}
        aria-label={approvals.preview()}
        validationBehavior="aria"
        onSubmit={event => {
          event.preventDefault();
          ask();
        }}
      >
        <TextField label={approvals.userKey()} value={key} onChange={setKey} maxLength={1024} />
        <TextField
          label={approvals.attributes()}
          placeholder={approvals.attributesExample()}
          value={text}
          onChange={setText}
          isInvalid={isWrong}
          {...(isWrong ? { description: approvals.notJson() } : {})}
        />
        <Button type="submit" isDisabled={key.trim() === ''}>
          {approvals.compare()}
        </Button>
      </Form>
      {asked === null ? null : <Answers {...props} user={asked.key} attributes={asked.attributes} />}
    </section>
  );
}

function Answers({
  approval,
  diff,
  user,
  attributes,
}: PreviewProps & { user: string; attributes: Record<string, unknown> }) {
  const { data, error } = useQuery(previewQuery(approval, diff, user, attributes));
  if (error instanceof Refused) return <Banner tone="bad">{refusalText(error.refusal)}</Banner>;
  if (data === undefined) return null;
  const sides = [
    { title: approvals.before(), result: data.before.result },
    { title: approvals.after(), result: data.after.result },
  ];
  const values = sides.map(({ result }) => JSON.stringify(result.value));
  return (
    <div role="status" className="stack close">
      <dl className={styles.answers}>
        {sides.map(({ title, result }, place) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <code>{values[place]}</code>{' '}
              <span className="soft small">{approvals.reason(result.reason)}</span>
            </dd>
          </div>
        ))}
      </dl>
      {values[0] === values[1] ? <p className="soft">{approvals.same()}</p> : null}
    </div>
  );
}
