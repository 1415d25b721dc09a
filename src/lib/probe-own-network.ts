import { execFile } from 'node:child_process'
import { rightsOfRoot } from './bubblewrap.ts'

const proven = new Set<string>()

/** Whether bubblewrap can create a separate network: in some containers the system does not let it set up a loopback. */
export async function probeOwnNetwork(
  bubblewrap: string,
  root: boolean,
): Promise<{ works: true } | { works: false; why: string }> {
  if (proven.has(bubblewrap)) return { works: true }
  const args = ['--ro-bind', '/', '/', '--unshare-net', ...(root ? rightsOfRoot : []), '--', '/bin/sh', '-c', ':']
  const why = await new Promise<string | null>((resolve) => {
    execFile(bubblewrap, args, { timeout: 10_000, env: {} }, (error, _, stderr) => {
      resolve(error === null ? null : stderr.trim().split('\n')[0] || error.message)
    })
  })
  if (why !== null) return { works: false, why: `bubblewrap can't make one here (${why})` }
  proven.add(bubblewrap)
  return { works: true }
}
