import { useMemo, useSyncExternalStore } from 'react'
import { browserStorage } from '../../../app/browser-storage.ts'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { outcomesOf } from '../../../../src/domain/ask/outcomes.ts'
import type { DiffReview, LineComment } from '../../../diff/line-comments.ts'
import { useAskItem } from '../use-inbox-item.ts'
import { createReviewStore } from './review-store.ts'

export const reviews = createReviewStore(browserStorage)

export const useComments = (askId: string): readonly LineComment[] =>
  useSyncExternalStore(reviews.listen, () => reviews.of(askId)).comments

/** The review of an ask. Only people who can reject it can comment. */
export function useReview({ id, status, kind }: Pick<Ask, 'id' | 'status' | 'kind'>): DiffReview {
  const review = useSyncExternalStore(reviews.listen, () => reviews.of(id))
  const item = useAskItem(id)
  const canComment = status === 'open' && item?.mine === true && outcomesOf[kind].includes('reject')
  return useMemo(
    () => ({
      comments: status === 'open' ? review.comments : [],
      viewed: new Set(review.viewed),
      setViewed: (file, viewed) => reviews.setViewed(id, file, viewed),
      comment: canComment ? (said) => reviews.comment(id, said) : null,
    }),
    [review, id, status, canComment],
  )
}
