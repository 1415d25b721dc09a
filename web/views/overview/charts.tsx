type Bar = { readonly label: string; readonly value: number }
type Chart = { title: string; bars: readonly Bar[]; text: (value: number) => string }

const mostOf = (bars: readonly Bar[]): number => Math.max(0, ...bars.map(({ value }) => value))
const height = 120
const step = 10

/** In words for screen readers; the table below has every figure. */
function about({ title, bars, text }: Chart): string {
  const top = bars.toSorted((a, b) => b.value - a.value)[0]
  return top && top.value > 0 ? `${title}: most ${text(top.value)}, ${top.label}` : `${title}: nothing`
}

/** A column for each day. */
export function ColumnChart({ title, bars, text }: Chart) {
  const most = mostOf(bars)
  return (
    <>
      <svg
        viewBox={`0 0 ${bars.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={about({ title, bars, text })}
        className="h-30 w-full border-b border-line-strong text-accent"
      >
        {bars.map(({ label, value }, index) => {
          const tall = most === 0 ? 0 : (value / most) * (height - 2)
          return (
            <g key={label}>
              <title>{`${label}: ${text(value)}`}</title>
              <rect x={index * step} width={step} height={height} fill="transparent" />
              {value > 0 && (
                <rect
                  x={index * step + 1}
                  y={height - Math.max(2, tall)}
                  width={step - 2}
                  height={Math.max(2, tall)}
                  fill="currentColor"
                />
              )}
            </g>
          )
        })}
      </svg>
      <div aria-hidden="true" className="mt-1 flex justify-between text-xs text-soft tabular-nums">
        <span>{bars[0]?.label}</span>
        <span>{most > 0 && `most ${text(most)}`}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
    </>
  )
}

const mostBars = 10

/** A bar for each of the largest. */
export function BarChart({ title, bars, text }: Chart) {
  const most = mostOf(bars)
  const largest = bars.toSorted((a, b) => b.value - a.value).filter(({ value }) => value > 0)
  const left = largest.length - mostBars
  return (
    <div role="img" aria-label={about({ title, bars, text })} className="flex flex-col gap-2">
      {largest.length === 0 && <p className="text-sm text-soft">Nothing</p>}
      {largest.slice(0, mostBars).map(({ label, value }, index) => (
        <div key={`${index} ${label}`} className="text-sm">
          <div className="flex justify-between gap-3">
            <span className="min-w-0 truncate">{label}</span>
            <span className="shrink-0 text-soft tabular-nums">{text(value)}</span>
          </div>
          <svg viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-full text-accent">
            <rect width="100" height="6" className="fill-sunken" />
            <rect width={Math.max(0.5, (value / most) * 100)} height="6" fill="currentColor" />
          </svg>
        </div>
      ))}
      {left > 0 && <p className="text-sm text-soft">and {left} more, in the table</p>}
    </div>
  )
}
