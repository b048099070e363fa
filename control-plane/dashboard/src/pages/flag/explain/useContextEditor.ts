import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Context } from './context';
import { type Edited, EMPTY, editedOf, readEdited } from './edited';
import { contextOf } from './fragment';
import { newest } from './recent';

/** The last context of each user: it stays when the environment or the tab changes. */
const last = new Map<string, Edited>();

/** The context that is edited: that of a shared link first, else what was edited last. */
export function useContextEditor(user: string) {
  const navigate = useNavigate({ from: '/p/$project/flags/$key' });
  const shared = useLocation({ select: ({ hash }) => hash });
  const [edited, setEdited] = useState<Edited>(() => first(user, shared));

  const change = (next: Edited) => {
    last.set(user, next);
    setEdited(next);
  };

  // From here on the context is the editor's: an address that still had it would soon carry an old one.
  useEffect(() => {
    const context = contextOf(shared);
    if (context === null) return;
    const next = editedOf(context);
    last.set(user, next);
    setEdited(next);
    void navigate({ to: '.', search: search => search, hash: '', replace: true, resetScroll: false });
  }, [shared, user, navigate]);

  return { edited, change };
}

/** The context that the editor would open with; `null` while it cannot be read. */
export function currentContext(user: string): Context | null {
  const read = readEdited(first(user, ''));
  return read.ok ? read.context : null;
}

function first(user: string, shared: string): Edited {
  const context = contextOf(shared);
  if (context !== null) return editedOf(context);
  const before = last.get(user);
  if (before !== undefined) return before;
  const kept = newest(user);
  return kept === null ? EMPTY : editedOf(kept);
}
