/** Commands that an operator runs where the control plane runs. */

export function enrollCommand(name: string, region: string | null): string {
  const edge = word(name.trim() === '' ? 'fra-1' : name.trim());
  const only = region === null ? '' : ` --region ${word(region)}`;
  return `halyard edge enroll --name ${edge}${only} --out ${word(`./${name.trim() === '' ? 'fra-1' : name.trim()}`)}`;
}

export function revokeCommand(name: string): string {
  return `halyard edge revoke ${word(name)}`;
}

/** As one word for a shell, whatever is in it. */
function word(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
