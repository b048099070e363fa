import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Refused } from '../../api/refusal';
import { usePolling } from '../../frame/Live';
import { EditField } from '../../parts/Fields';
import shared from '../../parts/Review.module.css';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { ServerForm } from '../../ui/ServerForm';
import { useNow } from '../../ui/useNow';
import { Value } from '../../ui/Value';
import styles from './Approvals.module.css';
import { approvals } from './messages';
import { type Approval, comment, commentsQuery } from './queries';

/** Characters of a comment that the service takes. */
const LONGEST = 2000;

/** What members wrote about a request, the oldest first, and a field for more. */
export function Comments({ approval }: { approval: Approval }) {
  const { permissions } = useMe();
  const mayWrite = permissions.includes('approvals.create') || permissions.includes('approvals.review');
  const { data, error } = useQuery({ ...commentsQuery(approval.id), refetchInterval: usePolling() });
  const now = useNow(60_000);
  return (
    <section className="card" aria-labelledby="comments">
      <h2 id="comments">{approvals.comments()}</h2>
      {error instanceof Refused ? <Banner tone="bad">{refusalText(error.refusal)}</Banner> : null}
      {data?.total === 0 ? <p className="soft">{approvals.noComments()}</p> : null}
      {data === undefined || data.total === 0 ? null : (
        <ol className={styles.comments}>
          {data.data.map(({ id, author_name, text, created_at }) => (
            <li key={id}>
              <span>
                <strong>
                  <Value>{author_name ?? approvals.someone()}</Value>
                </strong>{' '}
                <time dateTime={created_at} className="soft small">
                  {approvals.wrote(created_at, now)}
                </time>
              </span>
              <Value className={shared.text}>{text}</Value>
            </li>
          ))}
        </ol>
      )}
      {mayWrite ? <Write id={approval.id} /> : <p className="soft">{approvals.noCommentsAllowed()}</p>}
    </section>
  );
}

function Write({ id }: { id: string }) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  return (
    <ServerForm
      label={approvals.comments()}
      explain={({ kind }) =>
        kind === 'invalid' && text.length > LONGEST ? { text: approvals.tooLong(LONGEST) } : null
      }
      onSubmit={async () => {
        const answer = await comment(id, text.trim());
        if (!answer.ok) return answer.refusal;
        setText('');
        await client.invalidateQueries({ queryKey: commentsQuery(id).queryKey });
        return null;
      }}
    >
      {({ isPending, isWaiting }) => (
        <>
          <EditField isLong label={approvals.commentField()} value={text} onChange={setText} />
          <div>
            <Button type="submit" isPending={isPending} isDisabled={isWaiting || text.trim() === ''}>
              {approvals.send()}
            </Button>
          </div>
        </>
      )}
    </ServerForm>
  );
}
