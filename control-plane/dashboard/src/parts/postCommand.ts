/** The command that does what a form does; `$token` stands for an access token, as in the guides. */
export function postCommand(path: string, body: object): string {
  return [
    `curl -s -X POST "${location.origin}${path}" \\`,
    `  -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join('\n');
}
