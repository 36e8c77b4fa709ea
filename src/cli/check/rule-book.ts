import type { Rule } from './finding.ts'
import { ABSENT_RULES } from './rules/absent.ts'
import { ADVERTISED_RULES } from './rules/advertised.ts'
import { ANSWER_RULES } from './rules/answers.ts'
import { CACHING_RULES } from './rules/caching.ts'
import { CONTENTS_RULES } from './rules/contents.ts'
import { FRAME_RULES } from './rules/frames.ts'
import { HANDSHAKE_RULES } from './rules/handshake.ts'
import { HTTP_GUARD_RULES } from './rules/http-guards.ts'
import { HTTP_LEGACY_RULES } from './rules/http-legacy.ts'
import { HTTP_MODERN_RULES } from './rules/http-modern.ts'
import { ITEM_RULES } from './rules/items.ts'
import { LIST_RULES } from './rules/lists.ts'
import { READING_RULES } from './rules/reading.ts'
import { SUBSCRIPTION_RULES } from './rules/subscriptions.ts'
import { TEMPLATE_RULES } from './rules/templates.ts'
import { RUN_RULES } from './run-checks.ts'

/** Every rule by family, as docs/check.md has them. */
export const RULE_BOOK: readonly (readonly [family: string, rules: readonly Rule[]])[] = [
  ['Answers', ANSWER_RULES],
  ['Opening', HANDSHAKE_RULES],
  ['What is declared', ADVERTISED_RULES],
  ['Lists', LIST_RULES],
  ['Items of lists', ITEM_RULES],
  ['Cache hints', CACHING_RULES],
  ['Reading', READING_RULES],
  ['Contents', CONTENTS_RULES],
  ['Absent resources', ABSENT_RULES],
  ['Templates', TEMPLATE_RULES],
  ['Subscriptions', SUBSCRIPTION_RULES],
  ['Messages', FRAME_RULES],
  ['HTTP: Origin and Host', HTTP_GUARD_RULES],
  ['HTTP of 2026-07-28', HTTP_MODERN_RULES],
  ['HTTP before', HTTP_LEGACY_RULES],
  ['The check itself', RUN_RULES],
]
