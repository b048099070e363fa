import type { Rule } from '../../../api/model';
import { conditionWords } from '../../../conditions/messages';
import { Value } from '../../../ui/Value';
import styles from './Explain.module.css';
import { explainWords } from './messages';
import type { Explanation } from './queries';
import { Verdict } from './Verdict';

type Tried = Explanation['rules'][number];

interface TriedRuleProps {
  tried: Tried;
  place: number;
  /** The rule as it is written; absent where that is not known. */
  rule: Rule | undefined;
}

/** A rule that was looked at: each of its conditions with the value that was seen. */
export function TriedRule({ tried, place, rule }: TriedRuleProps) {
  const serves = tried.matched && tried.admitted !== false;
  const isOpen = tried.conditions.length === 0 && tried.segments.length === 0;
  return (
    <li className={styles.rule}>
      <div className="row apart">
        <h4 className={styles.small}>
          <Value>{explainWords.ruleTitle(place, rule?.description ?? '')}</Value>
        </h4>
        <Verdict isGood={serves} label={outcome(tried)} />
      </div>
      {isOpen ? <p className="soft small">{explainWords.everyone()}</p> : null}
      {tried.segments.length > 0 ? (
        <>
          <p className="soft small">{explainWords.anySegment()}</p>
          <ul className={styles.facts}>
            {tried.segments.map(({ key, exists, matched }) => (
              <li key={key} className={styles.fact}>
                <span>
                  <code>{explainWords.segment(key)}</code>
                  {exists ? null : <span className={styles.seen}>{explainWords.segmentGone()}</span>}
                </span>
                <Verdict isGood={matched} label={matched ? explainWords.holds() : explainWords.fails()} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {tried.conditions.length > 0 ? (
        <>
          <p className="soft small">{rule?.match_type === 'any' ? explainWords.any() : explainWords.all()}</p>
          <ul className={styles.facts}>
            {tried.conditions.map((condition, index) => (
              <li key={index} className={styles.fact}>
                <span>
                  <Value>{conditionWords.condition(condition)}</Value>
                  <span className={styles.seen}>
                    {condition.missing ? (
                      explainWords.missing()
                    ) : (
                      <Value>{explainWords.seen(condition.attribute_value)}</Value>
                    )}
                  </span>
                </span>
                <Verdict
                  isGood={condition.matched}
                  label={condition.matched ? explainWords.holds() : explainWords.fails()}
                />
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </li>
  );
}

function outcome({ matched, admitted }: Tried): string {
  if (!matched) return explainWords.noMatch();
  return admitted === false ? explainWords.notAdmitted() : explainWords.serves();
}
