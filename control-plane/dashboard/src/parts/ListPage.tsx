import { Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { Refused } from '../api/refusal';
import { type Command, useCommands } from '../frame/commands';
import type { Permit } from '../session/permits';
import { Button } from '../ui/Button';
import { Curl } from '../ui/Curl';
import type { Request } from '../ui/curl';
import { Empty, Loading, Skeleton } from '../ui/Feedback';
import { RefusalPage } from '../ui/RefusalPage';
import { MayNot } from './MayNot';

const NONE: readonly Command[] = [];

interface ListPageProps {
  title: string;
  /** Before the title and after it. */
  mark?: ReactNode;
  count?: ReactNode;
  back?: ReactNode;
  lead: string;
  permit: Permit;
  notice?: ReactNode;
  list: { isLoaded: boolean; error: Error | null; refetch: () => unknown };
  create: { id: string; label: string; isAllowed: boolean; run: () => void };
  /** Commands beside that of creating one. The list has to be the same one from render to render. */
  commands?: readonly Command[];
  /** Shown in place of the list when there is none. */
  empty: { isEmpty: boolean; title: string; text: string; request: Request };
  children: ReactNode;
  /** Below the list, whatever it has. */
  footer?: ReactNode;
}

/** A page that lists things of one kind: loads, refuses, explains what the things are for, and creates one. */
export function ListPage({
  title,
  mark,
  count,
  back,
  lead,
  permit,
  notice,
  list,
  create,
  commands = NONE,
  empty,
  children,
  footer,
}: ListPageProps) {
  useCreateCommand(create, commands);
  if (!list.isLoaded && list.error instanceof Refused) {
    return <RefusalPage refusal={list.error.refusal} />;
  }
  const button = (
    <Button look="primary" isDisabled={!create.isAllowed} onPress={create.run}>
      <Plus size={16} aria-hidden />
      {create.label}
    </Button>
  );
  const isEmpty = list.isLoaded && empty.isEmpty;
  return (
    <div className="page">
      <div className="stack close">
        {back}
        <div className="row apart">
          <div className="row" style={{ flexWrap: 'nowrap' }}>
            {mark}
            <h1>{title}</h1>
            {isEmpty ? null : count}
          </div>
          {isEmpty ? null : button}
        </div>
        <p className="soft">{lead}</p>
      </div>
      <MayNot permit={permit} />
      {notice}
      {list.isLoaded ? null : (
        <Loading>
          <Skeleton height="12rem" />
        </Loading>
      )}
      {isEmpty ? (
        <Empty title={empty.title} action={button} api={<Curl {...empty.request} />}>
          {empty.text}
        </Empty>
      ) : null}
      {list.isLoaded && !isEmpty ? children : null}
      {footer}
    </div>
  );
}

function useCreateCommand(
  { id, label, isAllowed, run }: ListPageProps['create'],
  others: readonly Command[],
) {
  const all = useMemo<readonly Command[]>(
    () => (isAllowed ? [...others, { id, title: label, section: 'actions', keys: 'c', run }] : others),
    [id, label, isAllowed, run, others],
  );
  useCommands(all);
}
