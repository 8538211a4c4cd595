/** Chooses the statement for a page, and its values. */
import { makePgArray } from 'drizzle-orm/pg-core'
import { isBefore, type NameRange, rangeOfPrefix } from './name-key.ts'
import { type Bound, buildPage, type PageShape, type ValueName } from './pet-page-sql.ts'
import type { PetBound, PetRange } from './pet-range.ts'
import {
  buildOnce,
  buildStatement,
  type Statement,
  type StatementTemplate,
} from '../db/postgres/statement.ts'

type PageTemplate = StatementTemplate<ValueName>

/** A page whose statement can also answer other pages of the same template. */
export interface JoinablePage {
  template: PageTemplate
  values: Record<ValueName, string | null>
}

/** How to query a page. */
export interface PagePlan {
  /** In one statement with other pages, without long names; null if the statement may take long. */
  joined: JoinablePage | null
  /** In its own statement. */
  alone: () => Statement
  /** Whether `alone` returns a row for each pet instead of an array for each column. */
  hasRows: boolean
}

/** What the statement of a page depends on. */
export interface PageRequest {
  shape: Omit<PageShape, 'form'>
  values: Record<ValueName, string | null>
  /** The statuses and categories that it combines, as arrays in parallel; null if there is only one combination. */
  lists: { status: string; categoryId: string } | null
}

/** @returns null if no pet can match the filter */
export function describePage(range: PetRange): PageRequest | null {
  const { status, categoryId } = range.filter
  const [only, ...others] = combine(status, categoryId)
  if (!only) return null

  const names = rangeOfPrefix(range.filter.keyPrefix)
  const byName = range.order.field === 'NAME'
  const [low, high] = boundsOf(range, byName ? names : {})
  const shape: PageRequest['shape'] = {
    byName,
    scan: (range.order.direction === 'ASC') === (range.from === 'start') ? 'asc' : 'desc',
    hasStatus: status !== undefined,
    hasCategory: categoryId !== undefined,
    low: low.kind,
    high: high.kind,
    nameCondition: byName || names.low === undefined ? 'none' : names.high === undefined ? 'from' : 'between',
  }
  const values = {
    limit: String(range.limit),
    status: only.status,
    categoryId: only.categoryId,
    lowKey: byName ? low.key : (names.low ?? null),
    lowId: low.id,
    highKey: byName ? high.key : (names.high ?? null),
    highId: high.id,
  }
  return { shape, values, lists: others.length > 0 ? toLists([only, ...others]) : null }
}

/**
 * Decides how to query a page. Each combination of a status and a category is one range of one index (tables.ts), so Postgres
 * reads little more than it returns.
 * @returns null if no pet can match the filter
 */
export function planPage(range: PetRange): PagePlan | null {
  const page = describePage(range)
  if (!page) return null
  const { shape, values, lists } = page
  if (lists) {
    const alone = () => templateOf({ form: 'merged', ...shape }).with({ ...values, ...lists })
    return { joined: null, alone, hasRows: false }
  }
  const isJoinable = shape.nameCondition === 'none'
  return {
    joined: isJoinable ? { template: templateOf({ form: 'joined', ...shape }), values } : null,
    alone: () => templateOf({ form: 'alone', ...shape }).with(values),
    hasRows: false,
  }
}

/** One statement for pages of one template: one row per page, whose last column is its number, from 1. */
export function joinPages(pages: readonly [JoinablePage, ...JoinablePage[]]): Statement {
  const [{ template, values }] = pages
  const arrays = { ...values }
  for (const name of template.parameters) arrays[name] = makePgArray(pages.map((page) => page.values[name]))
  return template.with(arrays)
}

interface Combination {
  status: string | null
  categoryId: string | null
}

/** Every combination of a status and a category in a filter; null stands for any. */
function combine(
  status: readonly string[] | undefined,
  categoryId: readonly string[] | undefined,
): Combination[] {
  const statuses = status ? [...new Set(status)] : [null]
  const categories = categoryId ? [...new Set(categoryId)] : [null]
  return statuses.flatMap((status) => categories.map((categoryId) => ({ status, categoryId })))
}

function toLists(combinations: readonly Combination[]): { status: string; categoryId: string } {
  return {
    status: makePgArray(combinations.map(({ status }) => status)),
    categoryId: makePgArray(combinations.map(({ categoryId }) => categoryId)),
  }
}

interface PageBound {
  kind: Bound
  key: string | null
  id: string | null
}
const OPEN: PageBound = { kind: 'open', key: null, id: null }

/** The lower and upper bounds of a range: the cursor or the bound of the prefix, whichever is narrower. */
function boundsOf({ order, after, before }: PetRange, names: NameRange): [low: PageBound, high: PageBound] {
  const [low, high] = order.direction === 'ASC' ? [after, before] : [before, after]
  const isLowKey = names.low !== undefined && (!low || isBefore(low.nameKey ?? '', names.low))
  const isHighKey = names.high !== undefined && (!high || !isBefore(high.nameKey ?? '', names.high))
  return [isLowKey ? atKey(names.low) : atPosition(low), isHighKey ? atKey(names.high) : atPosition(high)]
}

function atKey(key: string | undefined): PageBound {
  return { kind: 'key', key: key ?? null, id: null }
}

function atPosition(bound: PetBound | undefined): PageBound {
  if (!bound) return OPEN
  return { kind: bound.isIncluded ? 'included' : 'position', key: bound.nameKey, id: bound.id }
}

/** One template per shape; there are a few hundred. */
const templateOf = buildOnce((shape: PageShape) => Object.values(shape).join(), buildTemplate)

function buildTemplate(shape: PageShape): PageTemplate {
  // A name search may take long, and its best plan depends on the values.
  const prepare = shape.nameCondition === 'none'
  return buildStatement<ValueName>('listPets', buildPage(shape), { prepare })
}
