import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import type { ChangeSet } from '../../changeSets/queries';
import { environmentsQuery } from '../../frame/environments';
import type { NamedProject } from '../../frame/project';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { refusalText } from '../../ui/refusalText';
import { Select } from '../../ui/Select';
import { useOnline } from '../../ui/useOnline';
import { Value } from '../../ui/Value';
import { ContextCard } from '../flag/explain/ContextCard';
import { EMPTY, editedOf, readEdited } from '../flag/explain/edited';
import { useRecent } from '../flag/explain/recent';
import { currentContext } from '../flag/explain/useContextEditor';
import styles from './ChangeSets.module.css';
import { words } from './messages';
import { type Answers, explain } from './queries';

interface PreviewProps {
  project: NamedProject;
  set: ChangeSet;
}

/** What a context gets in an environment without the change set and with it, by the service's own evaluation. */
export default function Preview({ project, set }: PreviewProps) {
  const user = useMe().user.id;
  const isOnline = useOnline();
  const environments = useQuery(environmentsQuery(project.id)).data?.data ?? [];
  const [slug, setSlug] = useState<string | null>(null);
  const [edited, setEdited] = useState(() => {
    const context = currentContext(user);
    return context === null ? EMPTY : editedOf(context);
  });
  const { contexts, remember, clear } = useRecent(user);
  const [isPending, setPending] = useState(false);
  const [answers, setAnswers] = useState<Answers | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const read = readEdited(edited);
  const environment = environments.find(one => one.slug === (slug ?? firstOf(set))) ?? environments[0];

  async function ask() {
    if (!read.ok || environment === undefined) return;
    setPending(true);
    const answer = await explain(set, environment.id, read.context);
    setPending(false);
    setAnswers(answer.ok ? answer.data : null);
    setRefusal(answer.ok ? null : answer.refusal);
    if (answer.ok) remember(read.context);
  }

  return (
    <section className="card" aria-labelledby="preview">
      <div className="stack close">
        <h2 id="preview">{words.preview()}</h2>
        <p className="soft">{words.previewText()}</p>
      </div>
      <div className="row">
        <Select
          label={words.environment()}
          choices={environments.map(one => ({ id: one.slug, label: one.name }))}
          value={environment?.slug ?? ''}
          onChange={setSlug}
        />
      </div>
      <ContextCard
        edited={edited}
        read={read}
        known={[]}
        refusal={refusal === null ? null : refusalText(refusal)}
        recent={contexts}
        onChange={setEdited}
        onForget={clear}
      />
      <div>
        <Button
          isPending={isPending}
          isDisabled={!isOnline || !read.ok || environment === undefined}
          onPress={() => void ask()}
        >
          {words.compare()}
        </Button>
      </div>
      <div role="status" className="stack close">
        {answers === null ? null : <Table answers={answers.answers} />}
      </div>
    </section>
  );
}

/** The environment that the change set begins with. */
function firstOf(set: ChangeSet): string | undefined {
  return set.parts?.find(({ env_slug }) => env_slug)?.env_slug ?? undefined;
}

function Table({ answers }: { answers: Answers['answers'] }) {
  return (
    <>
      <p>{words.differs(answers.filter(({ differs }) => differs).length)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={styles.answers} aria-label={words.answers()} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.flag()}</th>
              <th scope="col">{words.before()}</th>
              <th scope="col">{words.after()}</th>
            </tr>
          </thead>
          <tbody>
            {answers.map(({ flag_key, differs, before, after }) => (
              <tr key={flag_key} className={differs ? styles.differs : ''}>
                <th scope="row">
                  <Value>{flag_key}</Value>
                </th>
                {[before, after].map(({ value, variant_key, reason }, side) => (
                  <td key={side}>
                    <code>
                      <Value>{variant_key === '' ? JSON.stringify(value) : variant_key}</Value>
                    </code>{' '}
                    <span className="soft small">{words.reason(reason)}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
