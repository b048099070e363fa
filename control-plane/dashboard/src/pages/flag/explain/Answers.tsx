import { Button } from '../../../ui/Button';
import { Banner, Loading, Skeleton } from '../../../ui/Feedback';
import { refusalText } from '../../../ui/refusalText';
import { compared } from './compared';
import styles from './Explain.module.css';
import { Explained } from './Explained';
import { explainWords } from './messages';
import type { Answer, Subject } from './queries';

interface AnswersProps {
  answers: readonly Answer[] | undefined;
  /** The typed context cannot be read, so the answers are to the one before. */
  isBehind: boolean;
  onRetry: () => void;
}

/** The answers side by side: what is stored, and beside it the draft or what was there before. */
export function Answers({ answers, isBehind, onRetry }: AnswersProps) {
  if (answers === undefined) {
    return (
      <Loading>
        <Skeleton height="24rem" />
      </Loading>
    );
  }
  return (
    <section className="stack" aria-label={explainWords.answers()}>
      <p className={styles.summary} role="status">
        {isBehind ? explainWords.behind() : difference(answers)}
      </p>
      <div className={styles.answers}>
        {answers.map(({ subject, state, outcome }) => (
          <article
            key={keyOf(subject)}
            className={`card ${styles.answer}`}
            aria-labelledby={`answer-${keyOf(subject)}`}
          >
            <div>
              <h2 id={`answer-${keyOf(subject)}`}>{titleOf(subject)}</h2>
              <p className="soft small">{textOf(subject)}</p>
            </div>
            {outcome.ok ? (
              <Explained explanation={outcome.data} state={state} />
            ) : (
              <Banner tone="bad" actions={<Button onPress={onRetry}>{explainWords.retry()}</Button>}>
                {refusalText(outcome.refusal)}
              </Banner>
            )}
          </article>
        ))}
      </div>
    </section>
  );
}

function keyOf(subject: Subject): string {
  return subject.kind;
}

function titleOf(subject: Subject): string {
  switch (subject.kind) {
    case 'stored':
      return explainWords.stored();
    case 'draft':
      return explainWords.draft();
    case 'past':
      return explainWords.past(subject.version);
  }
}

function textOf(subject: Subject): string {
  switch (subject.kind) {
    case 'stored':
      return explainWords.storedText();
    case 'draft':
      return explainWords.draftText();
    case 'past':
      return explainWords.pastText();
  }
}

/** In a sentence for each of the others: whether this context gets what it gets now. */
function difference(answers: readonly Answer[]): string {
  const stored = answers.find(({ subject }) => subject.kind === 'stored')?.outcome;
  if (!stored?.ok) return '';
  return answers
    .flatMap(({ subject, outcome }) => {
      if (!outcome.ok || subject.kind === 'stored') return [];
      const how = compared(outcome.data, stored.data);
      return [
        subject.kind === 'past' ? explainWords.gaveThen(how, subject.version) : explainWords.drafted(how),
      ];
    })
    .join(' ');
}
