import { Code } from '../parts/Code';

import styles from './FirstCall.module.css';
import { insights } from './messages';

interface FirstCallProps {
  /** What the command does. */
  label: string;
  path: '/v1/evaluate' | '/v1/track';
  body: unknown;
}

/** A call that an app makes with an API key, as a command for a shell. */
export function FirstCall({ label, path, body }: FirstCallProps) {
  const command = commandOf(location.origin, path, body);
  return (
    <div className={`${styles.call} stack close`}>
      <Code label={label} text={command} copy={insights.copyCommand()} />
      <p className="soft small">{insights.apiKey()}</p>
    </div>
  );
}

function commandOf(origin: string, path: string, body: unknown): string {
  const json = JSON.stringify(body).replaceAll("'", `'\\''`);
  return [
    `curl -X POST '${origin}${path}'`,
    '-H "X-API-Key: $HALYARD_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d '${json}'`,
  ].join(' \\\n  ');
}
