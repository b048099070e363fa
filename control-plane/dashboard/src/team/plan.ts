/** Reads from a refusal which feature the plan lacks and which plan has it: `custom roles require the enterprise plan`. */
export interface Lacking {
  feature: string;
  plan: string;
}

export function lacking(message: string): Lacking | null {
  const found = /^(.+) requires? the (\w+) plan$/.exec(message);
  return found?.[1] && found[2] ? { feature: found[1], plan: found[2] } : null;
}
