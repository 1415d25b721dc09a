import { describe, expect, it } from 'vitest'
import { fillForm, formLines } from './form-answer.ts'

const schema = {
  type: 'object',
  properties: {
    colour: { type: 'string', title: 'Which colour?', oneOf: [{ const: 'red', title: 'Red' }, { const: 'green' }] },
    size: { type: 'string', enum: ['s', 'm'] },
    count: { type: 'integer', minimum: 1 },
    sure: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  },
  required: ['colour'],
}
const fill = (...words: string[]) => fillForm(schema, words, {})

describe('the answer to a form', () => {
  it('picks a choice by value, label or number', () => {
    expect(fill('colour=red', 'size=2')).toEqual({ colour: 'red', size: 'm' })
    expect(fill('colour=Red', 'count=3', 'sure=y', 'tags=2,a')).toEqual({
      colour: 'red',
      count: 3,
      sure: true,
      tags: ['b', 'a'],
    })
    expect(fill('colour=2', 'tags=["a"]')).toEqual({ colour: 'green', tags: ['a'] })
  })

  it.each([
    [['colour=blue'], 'red (or 1), green (or 2)'],
    [['colour=red', 'count=0'], 'It must be at least 1.'],
    [['color=red'], 'It has: colour, size'],
    [['size=s'], 'colour (Which colour?): red (or 1)'],
  ])('%j is refused with what is allowed', (words, hint) => {
    expect(() => fill(...words)).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }))
  })

  it('checks the choices of JSON as well', () => {
    expect(() => fillForm(schema, ['{"colour":"blue"}'], { colour: 'blue' })).toThrow('Invalid colour "blue".')
    expect(fillForm(schema, ['{"colour":"red","count":2}'], { colour: 'red', count: 2 })).toEqual({
      colour: 'red',
      count: 2,
    })
  })

  it('is asked for with a line for each choice', () => {
    expect(formLines(schema).slice(0, 4)).toEqual([
      '  colour: Which colour?',
      '    [1] red  Red',
      '    [2] green',
      '  size (optional)',
    ])
  })
})
