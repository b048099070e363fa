import { type ReactNode, useState } from 'react';
import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { type Column, Table } from '../ui/Table';
import { Value } from '../ui/Value';
import { whatIf as words } from './messages';
import type { WhatIfAnswer } from './queries';

/** Rows that are shown at first. */
const MOST = 5;

type Transition = WhatIfAnswer['transitions'][number];
type Example = WhatIfAnswer['examples'][number];
type Group = WhatIfAnswer['groups'][number];

const coded = (told: Transition['from']) => (
  <code>
    <Value>{words.value(told)}</Value>
  </code>
);

const TRANSITIONS: Column<Transition>[] = [
  { id: 'flag', title: words.flag(), cell: ({ flag_key }) => <Value>{flag_key}</Value> },
  { id: 'from', title: words.from(), cell: ({ from }) => coded(from) },
  { id: 'to', title: words.to(), cell: ({ to }) => coded(to) },
  { id: 'answers', title: words.answers(), cell: ({ answers }) => words.count(answers) },
];

const EXAMPLES: Column<Example>[] = [
  { id: 'key', title: words.key(), cell: ({ key }) => <Value>{key}</Value> },
  {
    id: 'attributes',
    title: words.attributes(),
    cell: ({ attributes }) => <Value>{words.attributesOf(attributes)}</Value>,
  },
  { id: 'flag', title: words.flag(), cell: ({ flag_key }) => <Value>{flag_key}</Value> },
  { id: 'from', title: words.from(), cell: ({ from }) => coded(from) },
  { id: 'to', title: words.to(), cell: ({ to }) => coded(to) },
];

interface AnswerProps {
  answer: WhatIfAnswer;
  /** The attribute by whose values answers are counted. */
  by: string | undefined;
}

/** What edges say that a draft would have changed: the sentence, what it leaves out, and the counts behind it. */
export function Answer({ answer, by }: AnswerProps) {
  const warnings = words.warnings(answer);
  const groups: Column<Group>[] = [
    {
      id: 'value',
      title: by ?? '',
      cell: ({ value }) => (value === null ? <span className="soft">{words.without()}</span> : coded(value)),
    },
    { id: 'answers', title: words.answers(), cell: ({ answers }) => words.count(answers) },
    {
      id: 'changed',
      title: words.changed(),
      cell: ({ changed, answers }) => words.changedOf(changed, answers),
    },
  ];
  return (
    <>
      <div role="status" className="stack close">
        <p>
          <strong>{words.sentence(answer)}</strong>
        </p>
        {answer.share === null ? null : <p className="soft">{words.basis(answer)}</p>}
        {answer.is_open ? <p className="soft">{words.open()}</p> : null}
      </div>
      {warnings.length === 0 ? null : (
        <Banner tone="warn">
          {warnings.map(warning => (
            <p key={warning}>{warning}</p>
          ))}
        </Banner>
      )}
      <Rows label={words.transitions()} rows={answer.transitions}>
        {rows => (
          <Table
            label={words.transitions()}
            columns={TRANSITIONS}
            rows={rows}
            rowId={({ flag_key, from, to }) => JSON.stringify([flag_key, from, to])}
          />
        )}
      </Rows>
      {by === undefined ? null : (
        <Rows label={words.groups(by)} rows={answer.groups}>
          {rows => (
            <Table
              label={words.groups(by)}
              columns={groups}
              rows={rows}
              rowId={({ value }) => JSON.stringify(value)}
            />
          )}
        </Rows>
      )}
      <Rows label={words.examples()} rows={answer.examples}>
        {rows => (
          <Table
            label={words.examples()}
            columns={EXAMPLES}
            rows={rows}
            rowId={example => String(rows.indexOf(example))}
          />
        )}
      </Rows>
    </>
  );
}

interface RowsProps<Row> {
  label: string;
  rows: readonly Row[];
  children: (rows: readonly Row[]) => ReactNode;
}

/** The first rows of a table, and a button that shows the others. */
function Rows<Row>({ label, rows, children }: RowsProps<Row>) {
  const [isAll, setAll] = useState(false);
  if (rows.length === 0) return null;
  return (
    <div className="stack close">
      <p>{label}</p>
      {children(isAll ? rows : rows.slice(0, MOST))}
      {isAll || rows.length <= MOST ? null : (
        <div>
          <Button look="quiet" onPress={() => setAll(true)}>
            {words.showAll(rows.length)}
          </Button>
        </div>
      )}
    </div>
  );
}
