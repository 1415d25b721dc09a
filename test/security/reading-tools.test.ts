import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { McpHarness } from '../conformance/mcp-harness.ts'
import { openOperationsHarness } from '../conformance/operations-harness.ts'
import { openAsk, startSession } from '../conformance/work.ts'

const odd = [
  'view_and_run grep_exec read_modify ls_rm read-file;rm list_and_send search_then_deploy readonly_shell glob_run',
  'view.exec read:run list!x grep2 reads READ Read_File readFile Grep2 LSx GLOB read_url read_secret list_processes',
  'search_web view_db ls-remote read_and_forget grep_pipe viewer listener reader Readme read\u200b mcp__x__read_file',
].flatMap((line) => line.split(' '))

describe('what counts as reading', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function work() {
    const place = await harness.place()
    await place.policy({ enabled: true, file_patterns: { read: ['src/**'] }, risk_level_threshold: 'high' })
    const agent = harness.server.api(harness.token)
    const session = await startSession(agent, { workspaceRoot: place.path })
    const status = async (subject: object) => (await openAsk(agent, session, { subject })).status
    return {
      tool: (tool: string, input: object = { path: 'src/a.ts' }) => status({ kind: 'tool', tool, input }),
      permission: (toolCall: object) =>
        status({
          kind: 'permission',
          toolCall,
          options: [
            { optionId: 'y', name: 'Yes', kind: 'allow_once' },
            { optionId: 'n', name: 'No', kind: 'reject_once' },
          ],
        }),
    }
  }

  it('S7 is a list of known tools: a name that sounds like reading is asked about', async () => {
    const { tool } = await work()
    for (const name of ['read_file', 'Read', 'Grep', 'Glob', 'LS', 'list_directory', 'search_file_content'])
      expect([name, await tool(name)]).toEqual([name, 'answered'])
    const through: string[] = []
    for (const name of odd) if ((await tool(name)) !== 'open') through.push(name)
    expect(through).toEqual([])
  })

  it('S7 a reading tool with arguments that reading does not need is asked about', async () => {
    const { tool } = await work()
    for (const more of [{ next: 'rm -rf /' }, { output: 'x' }, { content: 'x' }, { write: true }, { exec: ['id'] }])
      expect(await tool('read_file', { path: 'src/a.ts', ...more })).toBe('open')
    expect(await tool('read_file', { paths: ['src/a.ts', '../x'] })).toBe('open')
  })

  it('S7 the claim of an agent over ACP is not enough', async () => {
    const { permission } = await work()
    const path = 'src/a.ts'
    const call = (more: object) => permission({ kind: 'read', args: { path }, ...more })
    expect(await call({})).toBe('answered')
    expect(await call({ tool: 'read_file' })).toBe('answered')
    expect(await call({ tool: 'view_and_run' })).toBe('open')
    expect(await call({ args: { path, exec: 'id' } })).toBe('open')
    expect(await call({ args: { path, command: 'id' } })).toBe('open')
    expect(await call({ locations: [{ path: 'src/b.ts' }] })).toBe('open')
    expect(await call({ content: [{ type: 'diff', path, oldText: 'a', newText: 'b' }] })).toBe('open')
    expect(await permission({ kind: 'read', args: {} })).toBe('open')
    expect(await permission({ kind: 'search', tool: 'search_and_replace', args: { path } })).toBe('open')
  })
})
