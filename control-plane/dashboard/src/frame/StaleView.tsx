import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Change } from '../api/events';
import { states } from '../messages/states';
import { useMe } from '../session/me';
import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { useNow } from '../ui/useNow';
import { useLiveEvents } from './Live';
import { actorQuery, concerns, type View } from './staleView';

interface StaleViewProps extends View {
  /** Puts what is stored now on the screen. What is being edited is the page's to keep. */
  onShow: () => void;
}

/** For pages that keep a draft and so do not follow by themselves: "changed 4 s ago by Ada", and the way to see it. */
export function StaleView({ onShow, ...view }: StaleViewProps) {
  const me = useMe();
  const [change, setChange] = useState<Change | null>(null);
  useLiveEvents(({ event, data }) => {
    if (event === 'change' && concerns(data as Change, view, me.user.id)) setChange(data as Change);
  });
  const { data: who } = useQuery({
    ...actorQuery(change?.actor_id ?? null),
    enabled: change !== null && me.permissions.includes('audit.read'),
  });
  const now = useNow(change === null ? null : EVERY_MS);
  if (change === null) return null;
  return (
    <Banner
      tone="note"
      actions={
        <Button
          onPress={() => {
            setChange(null);
            onShow();
          }}
        >
          {states.show()}
        </Button>
      }
    >
      {/* A screen reader announces the change once, not each second. */}
      <p aria-live="off">{states.changed(who ?? null, change.at, now)}</p>
      <p>{states.changedText()}</p>
    </Banner>
  );
}

const EVERY_MS = 1000;
