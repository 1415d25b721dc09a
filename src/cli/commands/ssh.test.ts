import { describe, expect, it } from 'vitest'
import { destinationOf } from './ssh.ts'

describe('the destination of an ssh command line', () => {
  it.each([
    ['web1', 'web1', undefined],
    ['ann@web1', 'web1', 'ann'],
    ['-p 2222 ann@web1 ls -la', 'web1', 'ann'],
    ['-vp2222 -o StrictHostKeyChecking=no web1', 'web1', undefined],
    ['-l ann web1', 'web1', 'ann'],
    ['-lann -tt web1', 'web1', 'ann'],
    ['-o User=ann web1', 'web1', 'ann'],
    ['-J jump@gate ann@web1', 'web1', 'ann'],
    ['ssh://ann@web1:2222', 'web1', 'ann'],
    ['ann@corp.example@web1', 'web1', 'ann@corp.example'],
    ['-- web1', 'web1', undefined],
  ])('%s leads to %s as %s', (line, host, user) => {
    expect(destinationOf(line.split(' '))).toEqual({ host, user })
  })

  it.each(['-V', '-Q cipher', '-p 2222'])('%s leads nowhere', (line) => {
    expect(destinationOf(line.split(' '))).toBeNull()
  })
})
