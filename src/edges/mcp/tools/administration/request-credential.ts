import * as z from 'zod'
import { requestId } from '../common.ts'
import { tool } from '../tool.ts'
import { adminOutput, askAdministrators, reasonField, statusWords, type AdminToolDeps } from './common.ts'

export const requestCredential = (deps: AdminToolDeps) =>
  tool({
    name: 'request_credential',
    title: 'Ask for a credential',
    description: [
      'Ask the administrators of your agent group for a credential for one host.',
      'They give the value to Signalbox, which adds it to requests that your container sends to that host through Signalbox. You never see it.',
      statusWords,
    ].join(' '),
    input: z.strictObject({
      name: z.string().min(1).max(100).optional().describe('Required. What it is called, such as GITHUB_TOKEN.'),
      host: z.string().min(1).max(253).optional().describe('Required. The host it is for, such as api.example.com.'),
      reason: reasonField('Why you need it.'),
      request_id: requestId,
    }),
    output: z.object(adminOutput),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    recordsSignOfLife: true,
    needs: ['name', 'host', 'reason'],
    run({ name = '', host = '', reason = '', request_id }, call) {
      if (request_id !== undefined) return askAdministrators(deps, call, { requestId: request_id, kind: 'credential' })
      return askAdministrators(deps, call, {
        title: `Grant the credential ${name} for ${host}?`,
        subject: { kind: 'credential', name, host, reason },
      })
    },
  })
