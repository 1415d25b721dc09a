import { ensurePrograms } from '../../scripts/lib/programs.mjs'

/** Prepares the programs for terminal tests that are run by name, without the preparation of a whole `npm test`. */
export async function setup(): Promise<void> {
  await ensurePrograms()
}
