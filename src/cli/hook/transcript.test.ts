import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { events } from './event.ts'
import { createCalls, createUseCheck } from './transcript.ts'

const bash = { tool_name: 'Bash', tool_input: { command: 'npm test' } }
const line = (type: string, part: object) =>
  JSON.stringify({ type, uuid: 'x', message: { role: type, content: [part] } })
const call = (id: string, command = 'npm test') =>
  line('assistant', { type: 'tool_use', id, name: 'Bash', input: { command } })
const result = (id: string) => line('user', { type: 'tool_result', tool_use_id: id, content: 'ok', is_error: false })

describe('the calls in a transcript', () => {
  it('have ended when the one that ran has its result', () => {
    const calls = createCalls(bash)
    calls.read(call('1'))
    expect(calls.areOver()).toBe(false)
    calls.read(result('other'))
    expect(calls.areOver()).toBe(false)
    calls.read(result('1'))
    expect(calls.areOver()).toBe(true)
  })

  it('have not ended if an earlier identical call ended and this one is not written yet', () => {
    const calls = createCalls(bash)
    for (const text of [call('1'), result('1')]) calls.read(text)
    expect(calls.areOver()).toBe(false)
    calls.read(call('2'))
    expect(calls.areOver()).toBe(false)
  })

  it('have ended when the last of several identical ones has', () => {
    const calls = createCalls(bash)
    for (const text of [call('1'), call('2')]) calls.read(text)
    expect(calls.areOver()).toBe(false)
    calls.read(result('2'))
    expect(calls.areOver()).toBe(false)
    calls.read(result('1'))
    expect(calls.areOver()).toBe(true)
  })

  it('are only those with this input', () => {
    const calls = createCalls(bash)
    const texts = [call('1', 'rm -r .'), '{"type":"assistant","message":"tool_use', '"tool_use"', line('user', {})]
    for (const text of texts) calls.read(text)
    expect(calls.areOver()).toBe(false)
    calls.read(result('1'))
    expect(calls.areOver()).toBe(false)
  })
})

describe('a tool that is used without us', () => {
  const eventOf = (transcript_path: string) =>
    events.permission.parse({
      session_id: '8a3d86a0-08b1-4cb0-aa77-ac7944b82e43',
      cwd: '/work/shop',
      hook_event_name: 'PermissionRequest',
      transcript_path,
      ...bash,
    })

  it('is noticed in the transcript', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sbh-'))
    try {
      const path = join(folder, 'session.jsonl')
      const isOver = createUseCheck(eventOf(path))
      expect(await isOver()).toBe(false)
      await writeFile(path, `${call('1')}\n${result('1').slice(0, 20)}`)
      expect(await isOver()).toBe(false)
      await appendFile(path, `${result('1').slice(20)}\n`)
      expect(await isOver()).toBe(true)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
