import { Icon } from '../ui/icon.tsx'

/** Index of a file, and how to go to others. */
export type FilePosition = { index: number; last: number; go: (index: number) => void }

/** Buttons to the previous and next file. */
export const FileNavigation = ({ index, last, go }: FilePosition) => (
  <span className="diff-group">
    <StepButton icon="back" label="Previous file" keyName="[" disabled={index === 0} go={() => go(index - 1)} />
    <StepButton icon="next" label="Next file" keyName="]" disabled={index === last} go={() => go(index + 1)} />
  </span>
)

type StepProps = { icon: 'back' | 'next'; label: string; keyName: string; disabled: boolean; go: () => void }

const StepButton = ({ icon, label, keyName, disabled, go }: StepProps) => (
  <button
    type="button"
    className="diff-button diff-button-icon"
    aria-label={label}
    aria-keyshortcuts={keyName}
    title={`${label} (${keyName})`}
    disabled={disabled}
    onClick={go}
  >
    <Icon name={icon} className="size-4" />
  </button>
)
