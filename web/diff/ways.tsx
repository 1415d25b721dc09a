import { Icon } from '../ui/icon.tsx'

/** Where a file stands among the others, and how to get to them. */
export type Place = { index: number; last: number; go: (index: number) => void }

/** To the files beside this one. */
export const Ways = ({ index, last, go }: Place) => (
  <span className="diff-group">
    <Way icon="back" label="Previous file" keyName="[" disabled={index === 0} go={() => go(index - 1)} />
    <Way icon="next" label="Next file" keyName="]" disabled={index === last} go={() => go(index + 1)} />
  </span>
)

type WayProps = { icon: 'back' | 'next'; label: string; keyName: string; disabled: boolean; go: () => void }

const Way = ({ icon, label, keyName, disabled, go }: WayProps) => (
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
