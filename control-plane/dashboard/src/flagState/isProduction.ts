/** Whether an environment's name or slug says that its users are real ones: a switch there asks first. */
export function isProduction({ name, slug }: { name: string; slug: string }): boolean {
  return /(^|[^a-z])(prod|production|live)([^a-z]|$)/i.test(`${slug} ${name}`);
}
