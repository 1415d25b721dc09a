import type { SessionConfigOption, SessionMode, SessionModeState } from '@agentclientprotocol/sdk/unstable'

export type ModeId = 'careful' | 'quick'
export type Speed = 'normal' | 'fast'
type PracticeSettings = { modeId: ModeId; speed: Speed }

const modes: (SessionMode & { id: ModeId })[] = [
  { id: 'careful', name: 'Careful', description: 'Asks before edits and commands' },
  { id: 'quick', name: 'Quick', description: 'Asks before commands, edits at once' },
]

export const isModeId = (id: string): id is ModeId => modes.some((mode) => mode.id === id)
export const modeIds = modes.map(({ id }) => id)
export const isSpeed = (value: unknown): value is Speed => value === 'normal' || value === 'fast'

export const modeState = ({ modeId }: PracticeSettings): SessionModeState => ({
  currentModeId: modeId,
  availableModes: modes,
})

export const configOptions = ({ speed }: PracticeSettings): SessionConfigOption[] => [
  {
    type: 'select',
    id: 'speed',
    name: 'Speed',
    description: 'How quickly the practice agent speaks',
    currentValue: speed,
    options: [
      { value: 'normal', name: 'Normal', description: 'At a readable pace' },
      { value: 'fast', name: 'Fast', description: 'Without pauses' },
    ],
  },
]

/** Milliseconds between two words. */
export const paceOf = ({ speed }: PracticeSettings): number => (speed === 'fast' ? 0 : 25)
