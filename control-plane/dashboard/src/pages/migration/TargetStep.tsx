import type { Refusal } from '../../api/refusal';
import { Radios } from '../../parts/Radios';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { Select } from '../../ui/Select';
import { ServerForm } from '../../ui/ServerForm';
import { explainSource } from './explainSource';
import styles from './Migration.module.css';
import { migration as words } from './messages';
import { type Analysis, analyze } from './queries';
import { type Choices, type Credentials, canKeepBuckets, importOf } from './source';

interface TargetStepProps {
  credentials: Credentials;
  choices: Choices;
  onChange: (choices: Choices) => void;
  onBack: () => void;
  onAnalyzed: (analysis: Analysis) => void;
}

/** Where to import to, and how percentages are taken over. */
export function TargetStep({ credentials, choices, onChange, onBack, onAnalyzed }: TargetStepProps) {
  const { projects } = useMe();

  async function submit(): Promise<Refusal | null> {
    const answer = await analyze(importOf(credentials, choices));
    if (!answer.ok) return answer.refusal;
    onAnalyzed(answer.data);
    return null;
  }

  return (
    <div className={styles.form}>
      <ServerForm label={words.step('target')} onSubmit={submit} explain={explainSource}>
        {({ isPending, isWaiting }) => (
          <>
            {projects.length === 0 ? (
              <Banner tone="warn">{words.noProject()}</Banner>
            ) : (
              <Select
                label={words.target()}
                description={words.targetText()}
                choices={projects.map(({ id, name }) => ({ id, label: name }))}
                value={choices.projectId}
                onChange={projectId => onChange({ ...choices, projectId })}
              />
            )}
            {canKeepBuckets(credentials.provider) ? (
              <Radios
                label={words.buckets()}
                choices={[
                  { id: 'own', label: words.ownBuckets(), hint: words.ownBucketsText() },
                  { id: 'keep', label: words.keepBuckets(), hint: words.keepBucketsText() },
                ]}
                value={choices.keepsBuckets ? 'keep' : 'own'}
                onChange={chosen => onChange({ ...choices, keepsBuckets: chosen === 'keep' })}
              />
            ) : null}
            {isPending ? <Banner tone="note">{words.analyzing()}</Banner> : null}
            <div className="row">
              <Button onPress={onBack}>{words.back()}</Button>
              <Button
                type="submit"
                look="primary"
                isPending={isPending}
                isDisabled={isWaiting || choices.projectId === ''}
              >
                {words.analyze()}
              </Button>
            </div>
          </>
        )}
      </ServerForm>
    </div>
  );
}
