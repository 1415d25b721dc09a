import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultText, readPolicy } from './read-policy.ts'

const faultsOf = (text: string) => readPolicy(text).faults.map(faultText)

describe('a policy file', () => {
  it('has defaults for missing keys: nothing is automatic', () => {
    expect(readPolicy('{}')).toEqual({
      faults: [],
      file: {
        enabled: false,
        commands: [],
        tools: [],
        filePatterns: { write: [], read: [] },
        riskLevelThreshold: 'low',
        logAutoApproved: false,
        summaryIntervalSeconds: 300,
      },
    })
  })

  it('is read with all its keys', () => {
    const text = JSON.stringify({
      enabled: true,
      commands: ['npm test'],
      tools: ['remote_log'],
      file_patterns: { write: ['docs/**'], read: ['**'] },
      risk_level_threshold: 'high',
      log_auto_approved: true,
      summary_interval_seconds: 60,
    })
    expect(readPolicy(`\uFEFF${text}`).file).toEqual({
      enabled: true,
      commands: ['npm test'],
      tools: ['remote_log'],
      filePatterns: { write: ['docs/**'], read: ['**'] },
      riskLevelThreshold: 'high',
      logAutoApproved: true,
      summaryIntervalSeconds: 60,
    })
  })

  it('reports all faults with their lines, and then nothing in it applies', () => {
    const text = [
      '{',
      '  "enabled": "yes",',
      '  "commands": ["npm test",',
      '    7, ""],',
      '  "file_pattern": {},',
      '  "file_patterns": { "write": "docs", "wrong": [] },',
      '  "risk_level_threshold": "critical",',
      '  "summary_interval_seconds": 0.5,',
      '  "chat.tools": {}',
      '}',
    ].join('\n')
    expect(readPolicy(text).file).toBeNull()
    expect(faultsOf(text)).toEqual([
      'line 2: enabled must be true or false, not "yes"',
      'line 4: commands[1] must be a text, not 7',
      'line 4: commands[2] must not be empty',
      'line 5: file_pattern is not known; known here: enabled, commands, tools, file_patterns, risk_level_threshold, log_auto_approved, summary_interval_seconds',
      'line 6: file_patterns.write must be a list of texts [ … ], not "docs"',
      'line 6: file_patterns.wrong is not known; known here: write, read',
      'line 7: risk_level_threshold must be "low" or "high", not "critical"; critical is never automatic',
      'line 8: summary_interval_seconds must be a whole number of seconds from 1 to 86400, not 0.5',
      expect.stringMatching(/^line 9: chat.tools is not known/),
    ])
  })

  it.each([
    ['{\n  "enabled": true,\n}', 'line 3: The file is not JSON.'],
    ['{\n  // yes\n  "enabled": true\n}', 'line 2: The file is not JSON. It must not contain comments.'],
    ['', 'line 1: The file is not JSON.'],
    ['{"enabled": true\n', 'line 1: The file is not JSON.'],
    ['[]', 'must be an object { … }, not a list'],
    ['null', 'must be an object { … }, not null'],
    ['{"enabled": false,\n"enabled": true}', 'line 2: enabled appears twice; keep one of them'],
    ['{"Enabled": true}', 'line 1: Enabled is not known; did you mean enabled?'],
    ['{"__proto__": {"enabled": true}}', expect.stringMatching(/__proto__ is not known/)],
  ])('%j: %s', (text, fault) => {
    expect(readPolicy(text).file).toBeNull()
    expect(faultsOf(text)).toEqual([fault])
  })

  it('that is nested too deeply is refused', () => {
    expect(readPolicy(`{"commands": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`).file).toBeNull()
    expect(readPolicy(`{"commands": ${'['.repeat(200)}${']'.repeat(200)}}`).file).toBeNull()
  })

  it('never throws, whatever it contains', () => {
    fc.assert(fc.property(fc.string(), (text) => void readPolicy(text)))
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { file, faults } = readPolicy(text)
        expect(file === null).toBe(faults.length > 0)
      }),
    )
  })
})
