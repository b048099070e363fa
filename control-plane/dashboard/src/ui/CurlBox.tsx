import { states } from '../messages/states';
import { CopyButton } from './CopyButton';
import styles from './Curl.module.css';
import { curl, type Request } from './curl';

/** The command, closed at first. */
export default function CurlBox(request: Request) {
  const command = curl(location.origin, request);
  return (
    <details className={styles.curl}>
      <summary>{states.sameByApi()}</summary>
      <div className={styles.box}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
        <section className={styles.code} tabIndex={0} aria-label={states.sameByApi()}>
          <pre>{command}</pre>
        </section>
        <CopyButton isSmall text={command} label={states.copyCommand()} />
      </div>
      <p className="soft small">{states.apiToken()}</p>
    </details>
  );
}
