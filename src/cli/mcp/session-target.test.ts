import { describe, expect, it } from 'vitest'
import { sessionTargetOf } from './session-target.ts'

const id = '6f1e9a3e-0f53-4a3b-9c39-2f6a1a6f8f10'
const none = { session: undefined, workspace: undefined, workspaceId: undefined }
const query = (given: Partial<Record<keyof typeof none, string>>, isRemote = false) =>
  Object.fromEntries(sessionTargetOf({ ...none, ...given }, { cwd: '/work/shop', isRemote }).query)

describe('the session and workspace of a connection', () => {
  it('is a session of its own in the current directory', () => {
    const [one, two] = [query({}), query({})]
    expect(one).toEqual({ session_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4/), workspace: '/work/shop' })
    expect(one['session_id']).not.toBe(two['session_id'])
  })

  it('is what the flags say', () => {
    expect(query({ session: id, workspace: '../bar' })).toEqual({ session_id: id, workspace: '/work/bar' })
    expect(query({ session: id, workspaceId: 'web' })).toEqual({ session_id: id, workspace_id: 'web' })
  })

  it('is not a directory of this machine if the server is remote', () => {
    expect(query({ session: id }, true)).toEqual({ session_id: id })
    expect(query({ session: id, workspace: '/srv/x' }, true)).toEqual({ session_id: id, workspace: '/srv/x' })
  })

  it('is the current directory if an editor left its variable unexpanded', () => {
    expect(query({ session: id, workspace: '${workspaceFolder}' })['workspace']).toBe('/work/shop')
  })

  it('is refused if both flags are given, or the session id is invalid', () => {
    expect(() => query({ workspace: 'a', workspaceId: 'b' })).toThrow('not both')
    expect(() => query({ session: '6f1e' })).toThrow('Invalid session id')
  })
})
