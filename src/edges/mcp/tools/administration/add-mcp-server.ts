import * as z from 'zod'
import { fail } from '../../../../lib/result.ts'
import { requestId } from '../common.ts'
import { tool } from '../tool.ts'
import { adminOutput, askAdministrators, reasonField, statusWords, type AdminToolDeps } from './common.ts'

const input = z.strictObject({
  name: z.string().min(1).max(64).optional().describe('Required. What you call it: letters, digits, - and _.'),
  command: z.string().min(1).max(4096).optional().describe('The program, or give url.'),
  args: z.array(z.string().max(10_000)).max(100).optional().describe('Its arguments.'),
  env: z.record(z.string(), z.string()).optional().describe('Its variables. Use request_credential for secrets.'),
  url: z.string().min(1).max(4096).optional().describe('The address of a server over HTTP, or give command.'),
  reason: reasonField('Why you need it.'),
  request_id: requestId,
})

export const addMcpServer = (deps: AdminToolDeps) =>
  tool({
    name: 'add_mcp_server',
    title: 'Ask for an MCP server',
    description: [
      'Ask the administrators of your agent group for an MCP server. Give command, or url.',
      'Once they approve, you are restarted with its tools; a message tells you.',
      statusWords,
    ].join(' '),
    input,
    output: z.object(adminOutput),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    recordsSignOfLife: true,
    needs: ['name', 'reason'],
    async run({ name = '', command, args, env, url, reason = '', request_id }, call) {
      if (request_id !== undefined) return askAdministrators(deps, call, { requestId: request_id, kind: 'mcp_server' })
      if ((command === undefined) === (url === undefined)) return invalid('Give either command or url.')
      if (url !== undefined && (args !== undefined || env !== undefined))
        return invalid('args and env belong to a command, not to a url.')
      const server = url === undefined ? { command: command ?? '', args: args ?? [], env: env ?? {} } : { url }
      return askAdministrators(deps, call, {
        title: `Add the MCP server ${name}?`,
        subject: { kind: 'mcp_server', name, server, reason },
      })
    },
  })

const invalid = (message: string) => fail({ kind: 'invalid', code: 'invalid_server', message })
