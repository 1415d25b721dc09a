import { describe, expect, it } from 'vitest'
import { deadReason, destinationText } from './dead-letter-text.ts'

const instance = '11111111-1111-4111-8111-111111111111'
const chat = '22222222-2222-4222-8222-222222222222'
const chats = [{ id: chat as never, name: 'releases', platformId: 'C1', isGroup: true }]
const instances = [{ id: instance as never, title: 'Example Ltd', platform: 'slack' }]

describe('what a dead letter says', () => {
  it.each([
    ['', 'releases on Example Ltd'],
    ['171.2', 'releases on Example Ltd, in a thread'],
  ])('names the chat and the instance, thread %j', (thread, text) => {
    const letter = { follower: 'chat', destination: `${instance}/${chat}/${thread}` }
    expect(destinationText(letter, chats, instances)).toBe(text)
  })

  it('shows the name that the server gives', () => {
    expect(destinationText({ follower: 'chat', destination: 'slack #general' }, [], [])).toBe('Slack #general')
  })

  it('shows no id of a chat that is gone', () => {
    expect(destinationText({ follower: 'chat', destination: `${instance}/x/` }, [], [])).toBe('a removed chat')
  })

  it.each([
    ['gone: channel_not_found', 'No longer there: channel_not_found'],
    ['permanent: ', 'Refused'],
    ['something else', 'something else'],
  ])('says %j in words', (error, words) => {
    expect(deadReason(error)).toBe(words)
  })
})
