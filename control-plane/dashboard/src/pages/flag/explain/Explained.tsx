import type { StateDraft } from '../../../api/model';
import { Chip } from '../../../ui/Chip';
import { Banner } from '../../../ui/Feedback';
import { Value } from '../../../ui/Value';
import { BucketLine } from './BucketLine';
import { decidingOf } from './deciding';
import styles from './Explain.module.css';
import { Gates } from './Gates';
import { linesOf } from './marks';
import { explainWords } from './messages';
import type { Explanation } from './queries';
import { TriedRule } from './TriedRule';

interface ExplainedProps {
  explanation: Explanation;
  state: StateDraft | null;
}

/** An answer with its reasons: the value first, then what decided, then all that was looked at. */
export function Explained({ explanation, state }: ExplainedProps) {
  const { result, steps, rules, warnings } = explanation;
  const written = state?.rules ?? [];
  const lines = state === null ? [] : linesOf(explanation, state);
  return (
    <>
      <div className="stack close">
        <pre className={styles.value}>
          <Value>{JSON.stringify(result.value, null, 2)}</Value>
        </pre>
        <div className="row">
          <Chip>{result.reason}</Chip>
          {result.variant_key === '' ? null : (
            <Chip>
              <Value>{explainWords.variant(result.variant_key)}</Value>
            </Chip>
          )}
        </div>
        <p>
          <strong>
            <Value>
              {explainWords.deciding(
                decidingOf(explanation, written),
                result.reason,
                steps.at(-1)?.detail ?? '',
              )}
            </Value>
          </strong>
        </p>
      </div>
      {warnings.length === 0 ? null : (
        <Banner tone="warn">
          <p>{explainWords.warnings()}</p>
          <ul className={styles.warnings}>
            {warnings.map(({ place, message }) => (
              <li key={`${place} ${message}`}>{explainWords.warning(place, message)}</li>
            ))}
          </ul>
        </Banner>
      )}
      <div className="stack close">
        <h3>{explainWords.steps()}</h3>
        <ol className={styles.steps}>
          {steps.map(({ step, outcome, detail }) => (
            <li key={step} className={outcome === 'decided' ? styles.deciding : ''}>
              <span className={styles.step}>
                {explainWords.stepName(step)}
                <Chip tone={outcome === 'decided' ? 'good' : 'plain'}>
                  {outcome === 'decided' ? explainWords.decided() : explainWords.passed()}
                </Chip>
              </span>
              <span className={styles.seen}>
                <Value>{explainWords.stepDetail(detail)}</Value>
              </span>
            </li>
          ))}
        </ol>
      </div>
      <Gates explanation={explanation} />
      {rules.length === 0 ? null : (
        <div className="stack close">
          <h3>{explainWords.rules()}</h3>
          <ol className={styles.facts}>
            {rules.map((tried, place) => (
              <TriedRule key={tried.id} tried={tried} place={place} rule={written[place]} />
            ))}
          </ol>
        </div>
      )}
      {lines.length === 0 ? null : (
        <div className="stack close">
          <h3>{explainWords.buckets()}</h3>
          {lines.map(line => (
            <BucketLine key={line.kind} line={line} />
          ))}
        </div>
      )}
    </>
  );
}
