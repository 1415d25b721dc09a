import { describe, expect, it } from 'vitest'
import { fieldsOf, initialOf, readForm } from './form.ts'

const schema = {
  type: 'object',
  required: ['version', 'channel'],
  properties: {
    version: { type: 'string', title: 'Version', minLength: 3, maxLength: 20 },
    channel: { type: 'string', oneOf: [{ const: 'beta', title: 'Beta' }, { const: 'stable' }] },
    percent: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    notify: { type: 'boolean', default: true },
    regions: { type: 'array', minItems: 1, items: { enum: ['eu', 'us'], enumNames: ['Europe'] } },
    when: { type: 'string', format: 'date-time' },
  },
}
const fields = fieldsOf(schema)

describe('a form from an agent', () => {
  it('has a field of the right kind for each property, with its default', () => {
    expect(fields.map(({ name, type, required }) => [name, type, required])).toEqual([
      ['version', 'text', true],
      ['channel', 'one_of', true],
      ['percent', 'number', false],
      ['notify', 'yes_no', false],
      ['regions', 'some_of', false],
      ['when', 'text', false],
    ])
    expect(initialOf(fields)).toMatchObject({ percent: '10', notify: true, regions: [], channel: '' })
    expect(fields[4]).toMatchObject({
      choices: [
        { value: 'eu', label: 'Europe' },
        { value: 'us', label: 'us' },
      ],
    })
  })

  it('returns numbers as numbers, and leaves out empty optional fields', () => {
    const { content, faults } = readForm(fields, { ...initialOf(fields), version: '1.2.3', channel: 'beta' })
    expect(faults).toEqual({})
    expect(content).toEqual({ version: '1.2.3', channel: 'beta', percent: 10, notify: true })
  })

  it('reports the error of each field', () => {
    const filled = { version: '', channel: 'nightly', percent: '1.5', regions: ['eu'], when: 'soon' }
    expect(readForm(fields, filled).faults).toEqual({
      version: 'Required.',
      channel: 'Choose one of the options.',
      percent: 'Must be a whole number.',
      when: 'Must be a date and time.',
    })
    expect(readForm(fields, { ...filled, percent: '101' }).faults['percent']).toBe('At most 100.')
  })

  it('has no fields without a schema', () => {
    for (const odd of [null, 'text', [], { properties: 7 }]) expect(fieldsOf(odd)).toEqual([])
  })
})
