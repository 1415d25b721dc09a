import * as z from 'zod'
import { SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'

const CommandRun = z
  .object({
    alias: z.string(),
    command: z.string(),
    exitCode: z.int().nullable().meta({ description: 'Null if it was killed.' }),
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean().meta({ description: 'The output was truncated.' }),
    timedOut: z.boolean(),
    isolation: z
      .enum(['none', 'sandbox', 'container'])
      .meta({ description: "sandbox, container: confined like the session's agent. none: runs as the server's user." }),
    seconds: z.number(),
  })
  .meta({ id: 'CommandRun' })
export type CommandRun = z.infer<typeof CommandRun>

export const commandEndpoints = {
  listCommands: endpoint({
    method: 'GET',
    path: '/api/commands',
    tag: 'commands',
    summary: 'Commands in config.toml that can be run in a session’s workspace',
    status: 200,
    response: () =>
      z.object({
        commands: z.array(z.object({ alias: z.string(), command: z.string(), shell: z.boolean() })),
      }),
  }),
  runCommand: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/run',
    tag: 'commands',
    summary: 'Run a configured command in the workspace of one of your sessions, and wait until it ends',
    status: 200,
    params: () => z.object({ id: SessionId }),
    body: () => z.strictObject({ alias: z.string().min(1).max(200) }),
    response: CommandRun,
  }),
}
