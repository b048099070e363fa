import { shown } from './shown';

interface ValueProps {
  className?: string | undefined;
  children: string;
}

/**
 * Text that a person gave, in a sentence or a list of ours. Its direction does not reach the words around it, and characters that are
 * not seen are shown as escapes.
 */
export function Value({ className, children }: ValueProps) {
  return <bdi className={className}>{shown(children)}</bdi>;
}
