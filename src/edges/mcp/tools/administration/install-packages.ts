import * as z from 'zod'
import { mostPackages } from '../../../../domain/ask/subject.ts'
import { requestId } from '../common.ts'
import { tool } from '../tool.ts'
import { adminOutput, askAdministrators, reasonField, statusWords, type AdminToolDeps } from './common.ts'

const names = z.array(z.string().min(1).max(300)).max(mostPackages).default([])

export const installPackages = (deps: AdminToolDeps) =>
  tool({
    name: 'install_packages',
    title: 'Ask for packages',
    description: [
      `Ask the administrators of your agent group for packages, at most ${mostPackages} in all.`,
      'Once they approve, your image is built with them and you are restarted; a message tells you.',
      statusWords,
    ].join(' '),
    input: z.strictObject({
      apt: names.describe('Debian packages, such as ripgrep or git=1:2.39.5-0.'),
      npm: names.describe('npm packages, such as typescript or typescript@7.0.2.'),
      reason: reasonField('Why you need them.'),
      request_id: requestId,
    }),
    output: z.object(adminOutput),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    recordsSignOfLife: true,
    needs: ['reason'],
    run({ apt, npm, reason = '', request_id }, call) {
      if (request_id !== undefined) return askAdministrators(deps, call, { requestId: request_id, kind: 'packages' })
      return askAdministrators(deps, call, {
        title: `Install ${listed([...apt, ...npm])}?`,
        subject: { kind: 'packages', apt, npm, reason },
      })
    },
  })

const listed = (all: readonly string[]): string =>
  all.length > 3 ? `${all.slice(0, 3).join(', ')} and ${all.length - 3} more` : all.join(', ') || 'packages'
