import type { Logger } from '../lib/log.ts'
import type { Root } from './belongings.ts'
import { createTree } from './ending.ts'
import { childMark, childVariable, placeOf } from './place.ts'

/** Marks a process that no keeper holds, so that what it starts is known as its own; a crash leaves it to the reaping. */
export function visitMark(dataDir: string, name: string): { value: string; env: Record<string, string> } {
  const value = childMark(placeOf(dataDir).homeHash, `visit-${name}`)
  return { value, env: { [childVariable]: value } }
}

/** Ends such a process with everything of it. */
export async function endVisit(root: () => Root, log: Logger): Promise<void> {
  await createTree(root, log).end()
}
