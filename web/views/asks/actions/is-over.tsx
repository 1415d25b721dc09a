/** Said where an answer is being written for an ask that no longer waits; the words stay, to be taken along. */
export const IsOver = ({ over }: { over: string | null }) =>
  over === null ? null : (
    <p role="alert" className="rounded-lg bg-wait-soft px-3 py-2 text-wait">
      {over}. Your answer can’t be sent any more.
    </p>
  )
