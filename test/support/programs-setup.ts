import { ensurePrograms } from '../../scripts/lib/programs.mjs'

/** Tests of terminals asked for by name, without the preparation of a whole `npm test`, get their programs here. */
export async function setup(): Promise<void> {
  await ensurePrograms()
}
