import type { Organization } from './organization';
import { sql } from './sql';

/** Makes a flag and its states as old as that: the clock of the service under test is that of the machine. */
export async function backdate({ project }: Organization, key: string, days: number): Promise<void> {
  const age = `interval '${days} days'`;
  const flags = `SELECT id FROM flags WHERE project_id = '${project.id}' AND key = '${key}'`;
  await sql(
    `UPDATE flag_states SET updated_at = updated_at - ${age} WHERE flag_id IN (${flags})`,
    `UPDATE flags SET created_at = created_at - ${age}, updated_at = updated_at - ${age} WHERE id IN (${flags})`,
  );
}
