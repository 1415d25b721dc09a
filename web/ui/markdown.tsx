import { memo, useMemo, useState } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { AgentLink } from './agent-link.tsx'
import { Button } from './button.tsx'
import { blocksOf, planOf } from './markdown-blocks.ts'
import { safeText } from './safe-text.ts'

/** Longer text is shown in parts and unrendered: Markdown of this size would freeze the page. */
const longest = 200_000

const components: Components = {
  a: ({ href, children }) => <AgentLink href={href}>{children}</AgentLink>,
  // Loading a picture would tell its owner that someone looked.
  img: ({ src, alt }) => (
    <AgentLink href={typeof src === 'string' ? src : undefined}>{`picture: ${alt || 'unnamed'}`}</AgentLink>
  ),
  pre: ({ children }) => (
    <pre tabIndex={0} className="overflow-x-auto rounded-lg bg-sunken p-3 font-mono text-sm">
      {children}
    </pre>
  ),
  code: ({ children }) => <code className="rounded bg-sunken px-1 font-mono text-[0.9em] break-words">{children}</code>,
  table: ({ children }) => (
    <div tabIndex={0} className="overflow-x-auto">
      <table className="border-collapse text-sm">{children}</table>
    </div>
  ),
  th: ({ children }) => <th className="border border-line px-2 py-1 text-left">{children}</th>,
  td: ({ children }) => <td className="border border-line px-2 py-1">{children}</td>,
  h1: ({ children }) => <p className="text-lg font-semibold">{children}</p>,
  h2: ({ children }) => <p className="text-base font-semibold">{children}</p>,
  h3: ({ children }) => <p className="font-semibold">{children}</p>,
  h4: ({ children }) => <p className="font-semibold">{children}</p>,
  h5: ({ children }) => <p className="font-semibold">{children}</p>,
  h6: ({ children }) => <p className="font-semibold">{children}</p>,
  ul: ({ children }) => <ul className="list-disc pl-5">{children}</ul>,
  ol: ({ children }) => <ol className="list-decimal pl-5">{children}</ol>,
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-strong pl-3 text-soft">{children}</blockquote>
  ),
  hr: () => <hr className="border-line" />,
}

const plugins = [remarkGfm]
const Block = memo(function Block({ text }: { text: string }) {
  return (
    <Markdown remarkPlugins={plugins} components={components} skipHtml={false}>
      {text}
    </Markdown>
  )
})

/** Text of an agent. HTML stays text, pictures become links, and growing text is not rendered again from the start. */
export function AgentText({ text }: { text: string }) {
  const safe = useMemo(() => safeText(text), [text])
  const blocks = useMemo(() => (safe.length > longest ? [] : blocksOf(safe)), [safe])
  const plan = useMemo(() => planOf(blocks), [blocks])
  const [step, setStep] = useState(0)
  if (safe.length > longest) return <LongText text={safe} />
  const end = plan.steps[step] ?? blocks.length
  const left = blocks.slice(end).reduce((sum, block) => sum + block.length, 0)
  return (
    <div className="flex min-w-0 flex-col gap-2.5 break-words">
      {blocks
        .slice(0, end)
        .map((block, index) =>
          plan.plain[index] ? <LongText key={index} text={block} /> : <Block key={index} text={block} />,
        )}
      {left > 0 && (
        <Button className="self-start" onClick={() => setStep(step + 1)}>
          Show more ({left.toLocaleString()} characters left)
        </Button>
      )}
    </div>
  )
}

/** Plain text in parts, so that a line of ten million characters does not freeze the page. */
export function LongText({ text, step = 20_000 }: { text: string; step?: number }) {
  const [shown, setShown] = useState(step)
  return (
    <div>
      <pre className="font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">{text.slice(0, shown)}</pre>
      {text.length > shown && (
        <Button className="mt-2" onClick={() => setShown(shown * 4)}>
          Show more ({(text.length - shown).toLocaleString()} characters left)
        </Button>
      )}
    </div>
  )
}
