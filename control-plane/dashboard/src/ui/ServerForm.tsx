import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import type { Refusal } from '../api/refusal';
import { t } from '../messages/open';
import { useSecondsLeft } from '../session/countdown';
import { Banner } from './Feedback';
import { refusalText } from './refusalText';
import { useOnline } from './useOnline';

interface FormState {
  isPending: boolean;
  /** The service asked to wait, or there is no connection: the button stays disabled until then. */
  isWaiting: boolean;
}

interface ServerFormProps {
  label: string;
  /** Answers with what the service refused; a text takes the place of its own words. */
  onSubmit: (fields: Record<string, string>) => Promise<Refusal | null>;
  /** Words of ours for a refusal, the field that it belongs to, or a way out of it: a link. */
  explain?: (refusal: Refusal) => { field?: string; text?: string; action?: ReactNode } | null;
  children: (state: FormState) => ReactNode;
}

/**
 * A form whose refusals come from the service. A sentence about a field is shown at the field, any other above the
 * form; the focus goes there and nothing that was typed is lost.
 */
export function ServerForm({ label, onSubmit, explain, children }: ServerFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const banner = useRef<HTMLDivElement>(null);
  const [isPending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [until, setUntil] = useState<number | null>(null);
  const left = useSecondsLeft(until);
  const isOnline = useOnline();

  const explained = refusal === null ? null : (explain?.(refusal) ?? null);
  const field = refusal === null ? null : fieldOf(refusal, explained?.field);
  const text = refusal === null ? '' : (explained?.text ?? refusalText(refusal));

  const named = useCallback(
    (name: string) => form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`) ?? null,
    [],
  );
  const [shownAt, setShownAt] = useState<string | null>(null);

  useEffect(() => {
    if (refusal === null) return;
    const input = field === null ? null : named(field);
    setShownAt(input === null ? null : field);
    (input ?? banner.current)?.focus();
  }, [refusal, field, named]);

  // The next input hides the message at the field. The listener is at the document, after React has
  // taken the text: a rendering before that would put the old text back.
  useEffect(() => {
    if (shownAt === null) return;
    const onInput = ({ target }: Event) => {
      if (target instanceof HTMLInputElement && target.form === form.current && target.name === shownAt) {
        setRefusal(null);
      }
    };
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  }, [shownAt]);

  async function submit(fields: Record<string, string>) {
    if (isPending || left > 0) return;
    setPending(true);
    const answer = await onSubmit(fields);
    setPending(false);
    setRefusal(answer);
    setUntil(
      answer !== null && 'seconds' in answer && answer.seconds ? Date.now() + answer.seconds * 1000 : null,
    );
  }

  const isAbove = refusal !== null && (shownAt === null || shownAt !== field);
  return (
    <Form
      ref={form}
      aria-label={label}
      className="stack"
      // The service decides what is wrong. The browser's own check would hold back the next attempt as long as its
      // answer to the last one stands at the field.
      validationBehavior="aria"
      validationErrors={refusal !== null && shownAt !== null && shownAt === field ? { [shownAt]: text } : {}}
      onSubmit={event => {
        event.preventDefault();
        const entries = [...new FormData(event.currentTarget)];
        void submit(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])));
      }}
    >
      {isAbove ? (
        <Banner tone="bad" ref={banner} actions={explained?.action}>
          <p>{text}</p>
          {left > 0 ? <p role="timer">{t.refusal.tryIn(left)}</p> : null}
          <RequestId refusal={refusal} />
        </Banner>
      ) : null}
      {refusal !== null && !isAbove && explained?.action ? <div>{explained.action}</div> : null}
      {children({ isPending, isWaiting: left > 0 || !isOnline })}
    </Form>
  );
}

function fieldOf(refusal: Refusal, named: string | undefined): string | null {
  if (named !== undefined) return named;
  return refusal.kind === 'invalid' ? refusal.field : null;
}

/** The id by which the service's log is searched. */
export function RequestId({ refusal }: { refusal: Refusal }) {
  if (refusal.kind !== 'fault' || refusal.requestId === null) return null;
  return (
    <p className="small">
      <code>{t.refusal.requestId(refusal.requestId)}</code>
    </p>
  );
}
