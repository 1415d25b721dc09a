import { describe, expect, it } from 'vitest'
import { withHooks, withoutHooks, type ClaudeSettings, type HookOptions } from './settings.ts'

const wanted: HookOptions = { program: 'signalbox', every: false, strict: false }
const theirs: ClaudeSettings = {
  model: 'opus',
  hooks: {
    Stop: [{ hooks: [{ type: 'command', command: './play-sound.sh', timeout: 5 }] }],
    PostToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command: 'signalbox-lint' }] }],
  },
}
const commandsIn = ({ hooks = {} }: ClaudeSettings, event: string) =>
  (hooks[event] ?? []).flatMap((group) => group.hooks.map(({ command }) => command))

describe('the hooks in the settings of Claude Code', () => {
  it('are added next to existing ones', () => {
    const settings = withHooks(theirs, wanted)
    expect(settings).toMatchObject({ model: 'opus', hooks: { PostToolUse: theirs.hooks?.['PostToolUse'] } })
    expect(commandsIn(settings, 'Stop')).toEqual(['./play-sound.sh', 'signalbox hook stop'])
    expect(commandsIn(settings, 'PermissionRequest')).toEqual(['signalbox hook permission'])
    expect(commandsIn(settings, 'PreToolUse')).toEqual([])
  })

  it('give people a day to answer', () => {
    const [group] = withHooks({}, wanted).hooks?.['PermissionRequest'] ?? []
    expect(group?.hooks[0]).toMatchObject({ timeout: 86_400 })
  })

  it('come before every use if configured, and deny if strict', () => {
    const settings = withHooks({}, { ...wanted, every: true, strict: true })
    expect(commandsIn(settings, 'PreToolUse')).toEqual(['signalbox hook permission --strict'])
    expect(commandsIn(settings, 'PermissionRequest')).toEqual(['signalbox hook permission --strict'])
  })

  it('are unchanged by a second install, and replaced if the command differs', () => {
    const once = withHooks(theirs, { ...wanted, every: true, strict: true })
    expect(withHooks(once, { ...wanted, every: true, strict: true })).toEqual(once)
    const program = "/opt/node '/opt/sign box/dist/signalbox.js' --home /data"
    const elsewhere = withHooks(once, { ...wanted, program })
    expect(commandsIn(elsewhere, 'PreToolUse')).toEqual([])
    expect(commandsIn(elsewhere, 'Stop')).toEqual(['./play-sound.sh', `${program} hook stop`])
    expect(withHooks(elsewhere, wanted)).toEqual(withHooks(theirs, wanted))
  })

  it('can be removed again, and leave the rest', () => {
    expect(withoutHooks(withHooks(theirs, wanted))).toEqual(theirs)
    expect(withoutHooks(withHooks({ model: 'opus' }, wanted))).toEqual({ model: 'opus' })
  })

  it('leave others in the same group alone', () => {
    const mixed = {
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'signalbox hook stop' }, { type: 'prompt' }] }] },
    }
    expect(withoutHooks(mixed)).toEqual({ hooks: { Stop: [{ hooks: [{ type: 'prompt' }] }] } })
  })
})
