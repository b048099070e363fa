/** The context that is explained, as a form and as JSON: two views of one thing. */

export type AttributeType = 'text' | 'number' | 'boolean' | 'json';

export const ATTRIBUTE_TYPES: readonly AttributeType[] = ['text', 'number', 'boolean', 'json'];

export interface Attribute {
  name: string;
  type: AttributeType;
  /** As it is typed: `true`, `12`, `["a"]`. */
  value: string;
}

export interface ContextForm {
  key: string;
  attributes: readonly Attribute[];
  /** Members that the service does not read; it warns about them. */
  others: Readonly<Record<string, unknown>>;
}

/** The context to explain. The service checks its members. */
export type Context = Readonly<Record<string, unknown>>;

export type Problem = 'json' | 'object' | 'number' | 'boolean' | 'twice' | 'unnamed' | 'precision';

export type Read =
  | { ok: true; context: Context }
  /** `place` is the attribute in a form, and absent in JSON. */
  | { ok: false; problem: Problem; place: number | null };

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** A context from JSON. */
export function readJson(text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'json', place: null };
  }
  if (!isObject(value)) return { ok: false, problem: 'object', place: null };
  if (losesDigits(value)) return { ok: false, problem: 'precision', place: null };
  return { ok: true, context: value };
}

/** A context from a form. A row without a value is not filled in yet, and is left out. */
export function readForm({ key, attributes, others }: ContextForm): Read {
  const members = new Map<string, unknown>();
  for (const [place, { name, type, value }] of attributes.entries()) {
    if (isUnfilled({ name, type, value })) continue;
    if (name === '') return { ok: false, problem: 'unnamed', place };
    if (members.has(name)) return { ok: false, problem: 'twice', place };
    const read = readValue(type, value);
    if (!read.ok) return { ok: false, problem: read.problem, place };
    members.set(name, read.value);
  }
  return { ok: true, context: { ...others, key, attributes: Object.fromEntries(members) } };
}

function isUnfilled({ name, type, value }: Attribute): boolean {
  return type === 'boolean' ? name === '' : value === '';
}

function readValue(
  type: AttributeType,
  typed: string,
): { ok: true; value: unknown } | { ok: false; problem: Problem } {
  switch (type) {
    case 'text':
      return { ok: true, value: typed };
    case 'boolean':
      return { ok: true, value: typed === 'true' };
    case 'number': {
      const value = Number(typed.trim());
      if (!NUMBER.test(typed.trim()) || !Number.isFinite(value)) return { ok: false, problem: 'number' };
      return losesDigits(value) ? { ok: false, problem: 'precision' } : { ok: true, value };
    }
    case 'json':
      try {
        const value: unknown = JSON.parse(typed);
        return losesDigits(value) ? { ok: false, problem: 'precision' } : { ok: true, value };
      } catch {
        return { ok: false, problem: 'json' };
      }
  }
}

/** The form of a context; `null` when a form cannot show it, as one with attributes that are a list. */
export function formOf(context: Context): ContextForm | null {
  const { key = '', attributes = {}, ...others } = context;
  if (typeof key !== 'string' || !isObject(attributes)) return null;
  return {
    key,
    attributes: Object.entries(attributes).map(([name, value]) => ({ name, ...typed(value) })),
    others,
  };
}

function typed(value: unknown): Pick<Attribute, 'type' | 'value'> {
  switch (typeof value) {
    case 'string':
      // An empty text in a form is none yet.
      return value === '' ? { type: 'json', value: '""' } : { type: 'text', value };
    case 'number':
      return { type: 'number', value: String(value) };
    case 'boolean':
      return { type: 'boolean', value: String(value) };
    default:
      return { type: 'json', value: JSON.stringify(value) };
  }
}

/** An attribute under another type, with what is typed kept where it means the same. */
export function retyped(attribute: Attribute, type: AttributeType): Attribute {
  const { name, value } = attribute;
  if (type === 'boolean') return { name, type, value: value.trim() === 'true' ? 'true' : 'false' };
  if (type === 'json' && attribute.type === 'text') {
    return { name, type, value: value === '' ? '' : JSON.stringify(value) };
  }
  return { name, type, value };
}

/** The JSON of a context as a person reads it. */
export function jsonOf(context: Context): string {
  return JSON.stringify(context, null, 2);
}

/** The form as JSON, also while something in it is wrong: what cannot be read is kept as text. */
export function jsonOfForm(form: ContextForm): string {
  const attributes = form.attributes
    .filter(attribute => attribute.name !== '' && !isUnfilled(attribute))
    .map(({ name, type, value }) => {
      const read = readValue(type, value);
      return [name, read.ok ? read.value : value] as const;
    });
  return jsonOf({ ...form.others, key: form.key, attributes: Object.fromEntries(attributes) });
}

/**
 * Whether a whole number is beyond what the browser holds exactly, while the service compares 64 bits exactly: it
 * would be asked about another number than the one that was typed.
 */
function losesDigits(value: unknown): boolean {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 2 ** 64;
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(losesDigits);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
