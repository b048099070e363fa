import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleMinus } from 'lucide-react';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { Refused } from '../../api/refusal';
import { condition as told } from '../../diff/messages';
import { plain } from '../../diff/sentence';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { refusalText } from '../../ui/refusalText';
import { ServerForm } from '../../ui/ServerForm';
import { askedAttributes, contextOf } from './context';
import { segments as words } from './messages';
import type { SegmentFields } from './queries';
import styles from './Segments.module.css';
import { type Bench, benchQuery, type Tested, type TestedCondition, testConditions } from './testConditions';

interface TestCardProps {
  projectId: string;
  fields: SegmentFields;
}

/** Tests a context against the conditions in the form. */
export function TestCard({ projectId, fields }: TestCardProps) {
  const mayTest = useMe().permissions.includes('flags.read');
  const { data: bench, error } = useQuery({ ...benchQuery(projectId), enabled: mayTest });
  return (
    <section className="card" aria-labelledby="test">
      <h2 id="test">{words.testTitle()}</h2>
      <p className="soft">{words.testText()}</p>
      {mayTest ? null : <p>{words.testNoReader()}</p>}
      {error instanceof Refused ? <Banner tone="bad">{refusalText(error.refusal)}</Banner> : null}
      {bench === 'flag' ? <p>{words.testNoFlag()}</p> : null}
      {bench === 'environment' ? <p>{words.testNoEnvironment()}</p> : null}
      {typeof bench === 'object' ? <TestForm bench={bench} fields={fields} /> : null}
    </section>
  );
}

function TestForm({ bench, fields }: { bench: Bench; fields: SegmentFields }) {
  const [key, setKey] = useState('user-1');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<{ of: SegmentFields; key: string; tested: Tested } | null>(null);
  const names = askedAttributes(fields.rules);
  // An answer is about what was tested, not about what was changed since.
  const current = answer !== null && answer.of === fields ? answer : null;

  async function submit(): Promise<Refusal | null> {
    const result = await testConditions(bench, fields, contextOf(key, typed, names));
    if (!result.ok) return result.refusal;
    setAnswer({ of: fields, key, tested: result.data });
    return null;
  }

  const edit = (change: () => void) => {
    change();
    setAnswer(null);
  };
  return (
    <ServerForm label={words.testTitle()} onSubmit={submit}>
      {({ isPending, isWaiting }) => (
        <>
          <div className={styles.context}>
            <TextField
              label={words.testKey()}
              isRequired
              autoComplete="off"
              spellCheck="false"
              value={key}
              onChange={next => edit(() => setKey(next))}
            />
            {names.map(name => (
              <TextField
                key={name}
                label={name}
                autoComplete="off"
                spellCheck="false"
                value={typed[name] ?? ''}
                onChange={next => edit(() => setTyped({ ...typed, [name]: next }))}
              />
            ))}
          </div>
          {names.length === 0 ? null : <p className="soft small">{words.testValue()}</p>}
          <div>
            <Button type="submit" isPending={isPending} isDisabled={isWaiting}>
              {words.testRun()}
            </Button>
          </div>
          <div role="status" className="stack close">
            {current === null ? null : <Result userKey={current.key} tested={current.tested} />}
          </div>
        </>
      )}
    </ServerForm>
  );
}

function Result({ userKey, tested }: { userKey: string; tested: Tested }) {
  return (
    <>
      <p>
        <strong>{tested.isIn ? words.testIn(userKey) : words.testOut(userKey)}</strong>
      </p>
      <ul className="stack close">
        {tested.conditions.map((condition, place) => (
          <li key={place} className={styles.verdict}>
            {condition.matched ? (
              <CircleCheck size={16} aria-hidden className={styles.met} />
            ) : (
              <CircleMinus size={16} aria-hidden className={styles.notMet} />
            )}
            <span>
              {words.verdict(plain(told(condition)), condition.matched)} <Seen condition={condition} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Seen({ condition }: { condition: TestedCondition }) {
  const seen = condition.missing
    ? words.testMissing()
    : words.testSaw(JSON.stringify(condition.attribute_value));
  return <span className="soft">{seen}</span>;
}
