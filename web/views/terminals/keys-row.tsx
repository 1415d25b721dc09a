import { extraKeys } from '../../terminal/keys.ts'

/** Keys that phones lack. A press keeps the focus, so that the phone keyboard stays open. */
export const KeysRow = ({
  press,
  disabled = false,
  armed = () => false,
}: {
  press: (key: string) => void
  disabled?: boolean
  armed?: (key: string) => boolean
}) => (
  <div role="group" aria-label="Keys" className="-mx-1 flex gap-1.5 overflow-x-auto p-1 pointer-fine:flex-wrap">
    {extraKeys.map(({ key, label, spoken }) => (
      <button
        key={key}
        type="button"
        aria-label={armed(key) ? `${spoken}: tap again` : spoken}
        disabled={disabled}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => press(key)}
        className={`min-h-11 min-w-11 shrink-0 rounded-lg border px-2.5 text-sm font-medium disabled:opacity-50 pointer-fine:min-h-8 pointer-fine:min-w-9 ${armed(key) ? 'border-transparent bg-stop text-on-stop' : 'border-line-strong bg-panel hover:bg-sunken'}`}
      >
        {armed(key) ? `${label}: again` : label}
      </button>
    ))}
  </div>
)
