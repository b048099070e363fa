import { useState } from 'react';
import { EditField } from '../../../parts/Fields';
import { Button } from '../../../ui/Button';
import { CopyButton } from '../../../ui/CopyButton';
import { Banner } from '../../../ui/Feedback';
import { Tabs } from '../../../ui/Tabs';
import { ContextFields } from './ContextFields';
import type { Context, Read } from './context';
import styles from './Explain.module.css';
import { type Edited, editedOf, inView } from './edited';
import { explainWords } from './messages';

interface ContextCardProps {
  edited: Edited;
  read: Read;
  /** Names that the rules look at. */
  known: readonly string[];
  /** The service's message about the context. */
  refusal: string | null;
  recent: readonly Context[];
  /** An address of this page that carries the context; left out where there is none. */
  link?: string | null;
  onChange: (edited: Edited) => void;
  onForget: () => void;
  /** The focus leaves the card: what it holds now was meant. */
  onLeave?: () => void;
}

/** Who is asking: as a form or as JSON, or one of those that asked last. */
export function ContextCard(props: ContextCardProps) {
  const { edited, read, known, refusal, recent, link, onChange, onForget, onLeave } = props;
  const [isStuck, setStuck] = useState(false);
  const change = (next: Edited) => {
    setStuck(false);
    onChange(next);
  };
  const turn = (view: string) => {
    const next = inView(edited, view === 'json' ? 'json' : 'form');
    setStuck(next === null);
    if (next !== null) onChange(next);
  };
  const problem = read.ok ? undefined : explainWords.problem(read.problem);
  return (
    <section
      className={`card ${styles.context}`}
      aria-labelledby="explain-context"
      onBlur={event => {
        if (!event.currentTarget.contains(event.relatedTarget)) onLeave?.();
      }}
    >
      <div className="stack close">
        <h2 id="explain-context">{explainWords.context()}</h2>
        <p className="soft small">{explainWords.contextText()}</p>
      </div>
      {refusal === null ? null : <Banner tone="bad">{refusal}</Banner>}
      <Tabs
        label={explainWords.view()}
        value={edited.view}
        onChange={turn}
        tabs={[
          {
            id: 'form',
            label: explainWords.form(),
            content:
              edited.view === 'form' ? (
                <ContextFields
                  form={edited.form}
                  read={read}
                  known={known}
                  onChange={form => change({ view: 'form', form })}
                />
              ) : null,
          },
          {
            id: 'json',
            label: explainWords.json(),
            content:
              edited.view === 'json' ? (
                <EditField
                  label={explainWords.contextJson()}
                  description={explainWords.contextJsonText()}
                  isCode
                  isLong
                  value={edited.text}
                  onChange={text => change({ view: 'json', text })}
                  error={isStuck && read.ok ? explainWords.notForForm() : problem}
                />
              ) : null,
          },
        ]}
      />
      {link === undefined ? null : (
        <div className="stack close">
          <div className="row">
            {link === null ? null : <CopyButton text={link} label={explainWords.copyLink()} />}
          </div>
          <p className="soft small">{explainWords.copyLinkText()}</p>
        </div>
      )}
      {recent.length === 0 ? null : (
        <details className={styles.recent}>
          <summary>{explainWords.recent(recent.length)}</summary>
          <div className="stack close">
            <p className="soft small">{explainWords.recentText()}</p>
            <ul className={styles.recentList}>
              {recent.map(context => (
                <li key={JSON.stringify(context)}>
                  <Button look="quiet" onPress={() => change(editedOf(context))}>
                    {explainWords.summary(context)}
                  </Button>
                </li>
              ))}
            </ul>
            <div>
              <Button onPress={onForget}>{explainWords.clearRecent()}</Button>
            </div>
          </div>
        </details>
      )}
    </section>
  );
}
