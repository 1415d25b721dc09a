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
    truncated: z.boolean().meta({ description: 'There was more output than is kept.' }),
    timedOut: z.boolean(),
    isolation: z
      .enum(['none', 'sandbox'])
      .meta({ description: 'sandbox: confined as the agent of the session is. none: as whoever runs the server.' }),
    seconds: z.number(),
  })
  .meta({ id: 'CommandRun' })
export type CommandRun = z.infer<typeof CommandRun>

export const commandEndpoints = {
  listCommands: endpoint({
    method: 'GET',
    path: '/api/commands',
    tag: 'commands',
    summary: 'The commands of config.toml that may be run in a session’s workspace',
    status: 200,
    response: z.object({
      commands: z.array(z.object({ alias: z.string(), command: z.string(), shell: z.boolean() })),
    }),
  }),
  runCommand: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/run',
    tag: 'commands',
    summary: 'Run one of them in the workspace of a session of yours, and wait for its end',
    status: 200,
    params: z.object({ id: SessionId }),
    body: z.strictObject({ alias: z.string().min(1).max(200) }),
    response: CommandRun,
  }),
}
