/** The choice of events: types, or all types of an area, or everything. */

const ALL = '*';

export interface Area {
  /** The first part of its types, such as `flag`. */
  name: string;
  types: { type: string; description: string }[];
}

/** The types by area, in the order of the service. */
export function areasOf(types: readonly { type: string; description: string }[]): Area[] {
  const areas = new Map<string, Area>();
  for (const one of types) {
    const name = one.type.slice(0, one.type.indexOf('.'));
    const area = areas.get(name) ?? { name, types: [] };
    area.types.push(one);
    areas.set(name, area);
  }
  return [...areas.values()];
}

export function isEverything(events: readonly string[]): boolean {
  return events.length === 0 || events.includes(ALL);
}

export function wildcard(area: string): string {
  return `${area}.*`;
}

/** Whether a choice includes a type. */
export function includes(events: readonly string[], type: string): boolean {
  const area = type.slice(0, type.indexOf('.'));
  return events.includes(type) || events.includes(wildcard(area));
}

/** The choice with a type added or removed. An area of which one type is removed becomes its other types. */
export function toggleType(events: readonly string[], area: Area, type: string): string[] {
  const all = wildcard(area.name);
  if (events.includes(all)) {
    const others = area.types.map(one => one.type).filter(one => one !== type);
    return [...events.filter(one => one !== all), ...others];
  }
  return events.includes(type) ? events.filter(one => one !== type) : [...events, type];
}

/** The choice with all types of an area, present and future, added or removed. */
export function toggleArea(events: readonly string[], area: Area): string[] {
  const all = wildcard(area.name);
  const others = events.filter(one => one !== all && !one.startsWith(`${area.name}.`));
  return events.includes(all) ? others : [...others, all];
}
