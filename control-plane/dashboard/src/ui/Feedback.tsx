import { CircleCheck, Info, OctagonAlert, TriangleAlert } from 'lucide-react';
import { type CSSProperties, type ReactNode, type Ref, useEffect, useState } from 'react';
import { t } from '../messages/open';
import styles from './Feedback.module.css';
import { Pennants } from './Pennants';

type Tone = 'note' | 'good' | 'warn' | 'bad';

const MARKS = { note: Info, good: CircleCheck, warn: TriangleAlert, bad: OctagonAlert };

interface BannerProps {
  tone: Tone;
  /** Buttons and links below the text. */
  actions?: ReactNode;
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
}

/** Says something about the page or form below it. What is bad is announced at once. */
export function Banner({ tone, actions, ref, children }: BannerProps) {
  const Mark = MARKS[tone];
  return (
    <div
      ref={ref}
      tabIndex={-1}
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`${styles.banner} ${styles[tone]}`}
    >
      <Mark size={18} aria-hidden className={styles.mark} />
      <div className={styles.text}>
        {children}
        {actions ? <div className={styles.extra}>{actions}</div> : null}
      </div>
    </div>
  );
}

interface SkeletonProps {
  /** The size of what will be there, so that nothing moves when it comes. */
  width?: string;
  height: string;
}

/** Invisible for its first 150 ms: what comes sooner does not flicker. */
export function Skeleton({ width = '100%', height }: SkeletonProps) {
  const size: CSSProperties = { inlineSize: width, blockSize: height };
  return <div className={styles.skeleton} style={size} aria-hidden />;
}

/** The skeleton of a page or a part, which also announces to screen readers that it loads. */
export function Loading({ children }: { children: ReactNode }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy>
      <span className="hidden" role="status">
        {isLate ? t.common.loading() : ''}
      </span>
      {children}
    </div>
  );
}

interface EmptyProps {
  title: string;
  /** It is all there is, so its title is that of the page. */
  isPage?: boolean;
  children: ReactNode;
  action?: ReactNode;
  /** The same by the API: a `Curl`. */
  api?: ReactNode;
}

/** An empty list: its purpose, and the one thing to do. */
export function Empty({ title, isPage = false, children, action, api }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <Pennants />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p>{children}</p>
      {action}
      {api}
    </div>
  );
}
