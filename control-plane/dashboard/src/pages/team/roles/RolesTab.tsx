import { useQueries, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Refused } from '../../../api/refusal';
import { PlanCard } from '../../../team/PlanCard';
import { Button } from '../../../ui/Button';
import { Chip } from '../../../ui/Chip';
import { Curl } from '../../../ui/Curl';
import { Empty } from '../../../ui/Feedback';
import { Optional } from '../../../ui/Optional';
import { PageLoading } from '../../../ui/PageLoading';
import { type Column, Table } from '../../../ui/Table';
import { Value } from '../../../ui/Value';
import { holdersQuery } from '../queries';
import { DeleteRole } from './DeleteRole';
import { KEYS } from './keys';
import { roles as words } from './messages';
import { type CustomRole, rolesQuery } from './queries';
import { RoleEditor } from './RoleEditor';

const NAMED = 3;

type Open = { kind: 'new' } | { kind: 'edit' | 'delete'; role: CustomRole } | null;

/** Built-in and custom roles, and who has them. */
export default function RolesTab() {
  const { data, error } = useQuery(rolesQuery);
  const [open, setOpen] = useState<Open>(null);
  const holders = useQueries({ queries: (data ?? []).map(({ id }) => holdersQuery(id)) });
  if (data === undefined) {
    if (error instanceof Refused && error.refusal.kind === 'plan')
      return <PlanCard message={error.refusal.message} />;
    return <PageLoading error={error} height="16rem" />;
  }
  const columns: Column<CustomRole>[] = [
    {
      id: 'name',
      title: words.name(),
      cell: ({ name, built_in }) => (
        <span className="row">
          <Value>{name}</Value>
          {built_in ? <Chip>{words.builtIn()}</Chip> : null}
        </span>
      ),
    },
    {
      id: 'allows',
      title: words.allows(),
      cell: ({ permissions }) => words.allowed(permissions.length, KEYS.length),
    },
    {
      id: 'holders',
      title: words.holders(),
      cell: role => {
        const held = holders[data.indexOf(role)]?.data;
        if (held === undefined) return null;
        if (held.total === 0) return <span className="soft">{words.holderCount(0)}</span>;
        const names = held.data.slice(0, NAMED).map(({ name }) => name);
        return words.holdersOf(names, held.total - names.length);
      },
    },
    {
      id: 'actions',
      title: words.edit(),
      isTitleHidden: true,
      cell: role =>
        role.built_in ? (
          <Button aria-label={words.viewOf(role.name)} onPress={() => setOpen({ kind: 'edit', role })}>
            {words.view()}
          </Button>
        ) : (
          <span className="row">
            <Button aria-label={words.editOf(role.name)} onPress={() => setOpen({ kind: 'edit', role })}>
              {words.edit()}
            </Button>
            <Button aria-label={words.deleteOf(role.name)} onPress={() => setOpen({ kind: 'delete', role })}>
              {words.delete()}
            </Button>
          </span>
        ),
    },
  ];
  const create = (
    <Button look="primary" onPress={() => setOpen({ kind: 'new' })}>
      <Plus size={16} aria-hidden />
      {words.create()}
    </Button>
  );
  const isEmpty = data.every(({ built_in }) => built_in);
  return (
    <div className="stack">
      <div className="row apart">
        <p className="soft">{words.lead()}</p>
        {isEmpty ? null : create}
      </div>
      {isEmpty ? (
        <Empty
          title={words.emptyTitle()}
          action={create}
          api={
            <Curl
              method="POST"
              path="/v1/roles"
              body={{ name: 'Reviewer', permissions: ['flags.read', 'approvals.read', 'approvals.review'] }}
            />
          }
        >
          {words.empty()}
        </Empty>
      ) : null}
      <Table label={words.table()} columns={columns} rows={data} rowId={({ id }) => id} />
      <Optional onClose={() => setOpen(null)}>
        {open?.kind === 'new' ? <RoleEditor onClose={() => setOpen(null)} /> : null}
        {open?.kind === 'edit' ? <RoleEditor role={open.role} onClose={() => setOpen(null)} /> : null}
        {open?.kind === 'delete' ? <DeleteRole role={open.role} onClose={() => setOpen(null)} /> : null}
      </Optional>
    </div>
  );
}
