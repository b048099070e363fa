import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { SearchField } from '../../ui/Select';
import { ServerForm } from '../../ui/ServerForm';
import { Downloads } from './Downloads';
import { EnvironmentsField } from './EnvironmentsField';
import { explainSource } from './explainSource';
import { Items } from './Items';
import styles from './Migration.module.css';
import { migration as words } from './messages';
import { type Analysis, analyze, execute, type Verdict } from './queries';
import { type Choices, type Credentials, importOf } from './source';
import { VerdictFilter } from './VerdictFilter';
import { matching, toRead } from './verdicts';
import type { Reviewed } from './Wizard';

interface ReviewStepProps {
  credentials: Credentials;
  choices: Choices;
  reviewed: Reviewed;
  onChange: (choices: Choices) => void;
  onBack: () => void;
  onAnalyzed: (analysis: Analysis) => void;
  onStarted: (id: string) => void;
}

/** What would happen to each item. Nothing was written so far. */
export function ReviewStep(props: ReviewStepProps) {
  const { credentials, choices, reviewed, onChange, onBack, onAnalyzed, onStarted } = props;
  const { summary, details } = reviewed.analysis;
  const { projects } = useMe();
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [text, setText] = useState('');
  /** The analysis whose items were checked. */
  const [checked, setChecked] = useState<Analysis | null>(null);
  const asked = JSON.stringify(choices.environments);
  const [analyzed, setAnalyzed] = useState(asked);
  const isOutdated = asked !== analyzed;
  const isRead = toRead(details.verdicts) === 0 || checked === reviewed.analysis;
  const items = matching(details.items, { verdict, text });
  const project = projects.find(({ id }) => id === choices.projectId);
  const imported = details.verdicts.exact + details.verdicts.approximated;

  async function submit(): Promise<Refusal | null> {
    const source = importOf(credentials, choices);
    if (isOutdated) {
      const answer = await analyze(source);
      if (!answer.ok) return answer.refusal;
      setAnalyzed(asked);
      onAnalyzed(answer.data);
      return null;
    }
    const answer = await execute(source);
    if (!answer.ok) return answer.refusal;
    onStarted(answer.data);
    return null;
  }

  return (
    <ServerForm label={words.step('review')} onSubmit={submit} explain={explainSource}>
      {({ isPending, isWaiting }) => (
        <>
          <p>{words.found(summary.total_flags, summary.total_segments, summary.total_environments)}</p>
          <EnvironmentsField
            projectId={choices.projectId}
            environments={reviewed.environments}
            chosen={choices.environments}
            onChange={environments => onChange({ ...choices, environments })}
          />
          {isOutdated ? (
            <Banner tone="note">{words.outdated()}</Banner>
          ) : (
            <>
              <div className="row apart">
                <h3>{words.items()}</h3>
                <Downloads
                  name={[words.providerName(credentials.provider)]}
                  about={{ summary, counts: details.verdicts }}
                  items={async () => details.items}
                />
              </div>
              <VerdictFilter counts={details.verdicts} value={verdict} onChange={setVerdict} />
              <div className={styles.filters}>
                <div className={styles.search}>
                  <SearchField label={words.search()} value={text} onChange={setText} />
                </div>
                <span className="soft" role="status">
                  {words.shown(items.length)}
                </span>
              </div>
              {items.length === 0 ? (
                <p>{words.none()}</p>
              ) : (
                <Items label={words.items()} items={items} total={items.length} />
              )}
              {toRead(details.verdicts) === 0 ? null : (
                <label className={styles.read}>
                  <input
                    type="checkbox"
                    checked={isRead}
                    onChange={event => setChecked(event.target.checked ? reviewed.analysis : null)}
                  />
                  <span>{words.read(details.verdicts.approximated, details.verdicts.skipped)}</span>
                </label>
              )}
            </>
          )}
          {isPending && isOutdated ? <Banner tone="note">{words.analyzing()}</Banner> : null}
          <div className="row">
            <Button onPress={onBack}>{words.back()}</Button>
            <Button
              type="submit"
              look="primary"
              isPending={isPending}
              isDisabled={isWaiting || (!isOutdated && (!isRead || imported === 0))}
            >
              {isOutdated ? words.analyzeAgain() : words.execute(imported, project?.name ?? '')}
            </Button>
          </div>
        </>
      )}
    </ServerForm>
  );
}
