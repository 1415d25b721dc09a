import { describe, expect, it } from 'vitest'
import { editDistance } from '../lib/edit-distance.ts'
import { closest, onlyContaining } from './closest.ts'
import { keyHint, similarKey } from './similar.ts'

describe('edit distance', () => {
  it.each([
    ['same', 'same', 0],
    ['aproval', 'approval', 1],
    ['lgo', 'log', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
  ])('from %s to %s is %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance)
    expect(editDistance(to, from)).toBe(distance)
  })

  it('beyond the limit is infinite', () => {
    expect(editDistance('kitten', 'sitting', 2)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('the closest word', () => {
  it('is the nearest of several', () => {
    expect(closest('tls_kye', ['tls_cert', 'tls_key'])).toBe('tls_key')
  })

  it('may differ in case and separator', () => {
    expect(closest('approvalSeconds', ['approval_seconds'])).toBe('approval_seconds')
    expect(closest('approval-seconds', ['approval_seconds'])).toBe('approval_seconds')
  })

  it('is nothing if nothing is near', () => {
    expect(closest('banana', ['level', 'format'])).toBeUndefined()
    expect(closest('x', ['id'])).toBeUndefined()
  })

  it('contains a word only if no other does', () => {
    expect(onlyContaining('port', ['http_port', 'ipc_name'])).toBe('http_port')
    expect(onlyContaining('seconds', ['a_seconds', 'b_seconds'])).toBeUndefined()
  })
})

describe('the key that was meant', () => {
  it.each([
    ['timeouts', 'aproval_seconds', 'timeouts.approval_seconds'],
    ['timeouts', 'approvalSeconds', 'timeouts.approval_seconds'],
    ['', 'approval_seconds', 'timeouts.approval_seconds'],
    ['', 'aproval_second', 'timeouts.approval_seconds'],
    ['', 'port', 'http_port'],
    ['http', 'port', 'http_port'],
    ['', 'slack_app_token', 'slack.app_token'],
    ['', 'host', 'http.host'],
    ['', 'max_concurent_sessions', 'max_concurrent_sessions'],
    ['log', 'lvel', 'log.level'],
  ])('[%s] %s is %s', (section, name, key) => {
    expect(similarKey(section, name)).toBe(key)
  })

  it.each(['banana', '__proto__', 'constructor', 'toString', ''])('%j resembles no key', (name) => {
    expect(similarKey('', name)).toBeUndefined()
  })

  it('is named with its section if that is elsewhere', () => {
    expect(keyHint('timeouts', 'aproval_seconds')).toBe('did you mean approval_seconds?')
    expect(keyHint('', 'approval_seconds')).toBe('it belongs under [timeouts]')
    expect(keyHint('http', 'ipc_name')).toBe('it belongs at the top of the file, before the first [table]')
    expect(keyHint('', 'aproval_seconds')).toBe('did you mean approval_seconds under [timeouts]?')
  })
})
