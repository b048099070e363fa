/** Waits until `probe` gives something. */
export async function eventually(what, probe, patience = 15_000) {
  const deadline = Date.now() + patience;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await sleep(10);
  }
}

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
