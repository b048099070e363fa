import styles from './Explain.module.css';
import { explainWords } from './messages';
import type { Explanation } from './queries';
import { Verdict } from './Verdict';

/** The checks before any rule is tried: the contest of the group, and prerequisites. */
export function Gates({ explanation }: { explanation: Explanation }) {
  const { mutex, prerequisites, buckets } = explanation;
  return (
    <>
      {mutex === null ? null : (
        <div className="stack close">
          <h3>{explainWords.mutex()}</h3>
          <p className="soft small">
            {explainWords.mutexText(mutex.group, mutex.members)}{' '}
            {buckets.mutex === null ? null : explainWords.mutexBucket(buckets.mutex)}
          </p>
          <ul className={styles.facts}>
            {mutex.members.map(member => (
              <li key={member} className={styles.fact}>
                <code>{member}</code>
                <Verdict
                  isGood={member === mutex.winner}
                  label={member === mutex.winner ? explainWords.winner() : explainWords.loser()}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
      {prerequisites.length === 0 ? null : (
        <div className="stack close">
          <h3>{explainWords.prerequisites()}</h3>
          <ul className={styles.facts}>
            {prerequisites.map(({ flag_key, met, reason, value }) => (
              <li key={flag_key} className={styles.fact}>
                <span>
                  <code>{flag_key}</code>
                  <span className={styles.seen}>{explainWords.gave(value, reason)}</span>
                </span>
                <Verdict isGood={met} label={met ? explainWords.met() : explainWords.unmet()} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
