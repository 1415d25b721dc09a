import { api } from '../../../client/contract.ts'
import type { CommandRun } from '../../../client/contract/commands.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'
import { steer } from './agents.ts'

/** The commands of the configuration. */
export type Commands = {
  list(): readonly { alias: string; command: string; shell: boolean }[]
  /** `mark`: what the directory was when its session began. */
  run(
    alias: string,
    where: { sessionId: SessionId; cwd: string; mark: string | null },
  ): Promise<Result<Omit<CommandRun, 'alias' | 'command'>>>
}

export function mountCommands(web: Web, deps: RouteDeps, commands: Commands): void {
  mount(web, deps, api.listCommands, async (_input, { caller }) => {
    const person = await deps.app.read.isPerson(caller.standing)
    if (!person.ok) return person
    // Only offered to people who may run them.
    return ok({ commands: deps.app.read.may(caller.standing).machine ? [...commands.list()] : [] })
  })

  mount(web, deps, api.runCommand, async ({ params, body }, call) => {
    const { alias } = body
    const known = commands.list()
    const found = known.find((one) => one.alias === alias)
    const session = await deps.app.read.session(call.caller.standing, params.id)
    if (!session.ok) return session
    const refused = await steer(deps, call, params.id, 'run', alias)
    if (refused) return refused
    if (!found) return fail(unknownCommand(alias, known))
    const mark = await deps.app.read.workspaceMark(params.id)
    const where = { sessionId: params.id, cwd: session.value.workspaceRoot, mark }
    const ran = await commands.run(alias, where)
    return ran.ok ? ok({ alias, command: found.command, ...ran.value }) : ran
  })
}

const unknownCommand = (alias: string, known: readonly { alias: string }[]) => ({
  kind: 'not_found' as const,
  code: 'unknown_command',
  message: `Command not found: ${alias}`,
  hint:
    known.length === 0
      ? 'Add it under [commands] in config.toml.'
      : `Known: ${known.map((one) => one.alias).join(', ')}.`,
})
