import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useCurrentProject } from '../../frame/project';
import { Button } from '../../ui/Button';
import styles from './Migration.module.css';
import { migration as words } from './messages';
import type { Analysis } from './queries';
import { ReviewStep } from './ReviewStep';
import { SourceStep } from './SourceStep';
import { type Choices, type Credentials, environmentsOf, type SourceEnvironment } from './source';
import { TargetStep } from './TargetStep';

const STEPS = ['source', 'target', 'review'] as const;

/** An analysis, and the environments of the source with the slugs they have by themselves. */
export interface Reviewed {
  analysis: Analysis;
  environments: readonly SourceEnvironment[];
}

/** An import, step by step. The credential is in the state of this component: it goes with the page. */
export function Wizard({ onLeave }: { onLeave: () => void }) {
  const navigate = useNavigate();
  const project = useCurrentProject();
  const [step, setStep] = useState<(typeof STEPS)[number]>('source');
  const [credentials, setCredentials] = useState<Credentials>({
    provider: 'provider_a',
    baseUrl: '',
    projectKey: '',
    apiKey: '',
  });
  const [choices, setChoices] = useState<Choices>({
    projectId: project?.id ?? '',
    keepsBuckets: false,
    environments: {},
  });
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  // Each step begins at its heading, as a page does.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the step is what moves the focus
  useEffect(() => heading.current?.focus(), [step]);

  function review(analysis: Analysis) {
    const { environments, items } = analysis.details;
    setReviewed(before => ({
      analysis,
      // The first analysis chose nothing, so its slugs are their own.
      environments: before?.environments ?? environmentsOf(environments, items),
    }));
    setStep('review');
  }

  return (
    <div className="page">
      <div className="row apart">
        <h1>{words.title()}</h1>
        <Button onPress={onLeave}>{words.cancel()}</Button>
      </div>
      <ol className={styles.steps} aria-label={words.steps()}>
        {STEPS.map(name => (
          <li key={name} {...(name === step ? { 'aria-current': 'step' } : {})}>
            {words.step(name)}
          </li>
        ))}
      </ol>
      <section className="card" aria-labelledby="import-step">
        <h2 id="import-step" ref={heading} tabIndex={-1}>
          {words.step(step)}
        </h2>
        {step === 'source' ? (
          <SourceStep
            credentials={credentials}
            onChange={setCredentials}
            onConnected={() => {
              setReviewed(null);
              setChoices({ ...choices, environments: {} });
              setStep('target');
            }}
          />
        ) : null}
        {step === 'target' ? (
          <TargetStep
            credentials={credentials}
            choices={choices}
            onChange={next => {
              setReviewed(null);
              setChoices({ ...next, environments: {} });
            }}
            onBack={() => setStep('source')}
            onAnalyzed={review}
          />
        ) : null}
        {step === 'review' && reviewed !== null ? (
          <ReviewStep
            credentials={credentials}
            choices={choices}
            reviewed={reviewed}
            onChange={setChoices}
            onBack={() => setStep('target')}
            onAnalyzed={review}
            onStarted={id => void navigate({ to: '/migration/$id', params: { id } })}
          />
        ) : null}
      </section>
    </div>
  );
}
