/** The context while it is edited: the form, or typed JSON. */
import {
  type Context,
  type ContextForm,
  formOf,
  jsonOf,
  jsonOfForm,
  type Read,
  readForm,
  readJson,
} from './context';

export type Edited = { view: 'form'; form: ContextForm } | { view: 'json'; text: string };

export const EMPTY: Edited = { view: 'form', form: { key: 'user-1', attributes: [], others: {} } };

/** A context as it is edited first: in the form, unless a form cannot show it. */
export function editedOf(context: Context): Edited {
  const form = formOf(context);
  return form === null ? { view: 'json', text: jsonOf(context) } : { view: 'form', form };
}

export function readEdited(edited: Edited): Read {
  return edited.view === 'form' ? readForm(edited.form) : readJson(edited.text);
}

/** The same in the other view; `null` when the JSON is none, or what a form cannot show. */
export function inView(edited: Edited, view: Edited['view']): Edited | null {
  if (edited.view === view) return edited;
  if (edited.view === 'form') return { view: 'json', text: jsonOfForm(edited.form) };
  const read = readJson(edited.text);
  const form = read.ok ? formOf(read.context) : null;
  return form === null ? null : { view: 'form', form };
}

/** The form with rows for attributes that it has not yet. */
export function withAttributes(form: ContextForm, names: readonly string[]): ContextForm {
  const rows = names.map(name => ({ name, type: 'text', value: '' }) as const);
  return { ...form, attributes: [...form.attributes.filter(({ name }) => name !== ''), ...rows] };
}
