import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerLaunch } from './clients.ts'

type Here = { program: string; node: string; platform?: NodeJS.Platform }

/** How another program starts this command line, from any directory. */
export function launchOf(args: readonly string[], env: ServerLaunch['env'], here: Here): ServerLaunch {
  const root = join(dirname(realpathSync(here.program)), '..')
  const isWindows = (here.platform ?? process.platform) === 'win32'
  const script = join(root, 'signalbox')
  // In a clone, use the script, which installs and builds what is missing. An installed package has its own link.
  if (!isWindows && existsSync(join(root, 'src')) && existsSync(script)) return { command: script, args, env }
  const isProgram = !isWindows && !/\.[cm]?[jt]s$/.test(here.program)
  return isProgram ? { command: here.program, args, env } : { command: here.node, args: [here.program, ...args], env }
}
