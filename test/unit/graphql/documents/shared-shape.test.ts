import { specifiedRules } from 'graphql'
import { expect, it } from 'vitest'

/**
 * Of these, only OverlappingFieldsCanBeMergedRule compares arguments, those of fields with the same response key. DeferStreamDirectiveLabelRule
 * compares labels of `@defer` and `@stream`, which our schema does not have.
 */
const KNOWN = [
  'DeferStreamDirectiveLabelRule',
  'DeferStreamDirectiveOnRootFieldRule',
  'DeferStreamDirectiveOnValidOperationsRule',
  'ExecutableDefinitionsRule',
  'FieldsOnCorrectTypeRule',
  'FragmentsOnCompositeTypesRule',
  'KnownArgumentNamesRule',
  'KnownDirectivesRule',
  'KnownFragmentNamesRule',
  'KnownOperationTypesRule',
  'KnownTypeNamesRule',
  'LoneAnonymousOperationRule',
  'MaxIntrospectionDepthRule',
  'NoFragmentCyclesRule',
  'NoUndefinedVariablesRule',
  'NoUnusedFragmentsRule',
  'NoUnusedVariablesRule',
  'OverlappingFieldsCanBeMergedRule',
  'PossibleFragmentSpreadsRule',
  'ProvidedRequiredArgumentsRule',
  'ScalarLeafsRule',
  'SingleFieldSubscriptionsRule',
  'StreamDirectiveOnListFieldRule',
  'UniqueArgumentNamesRule',
  'UniqueDirectivesPerLocationRule',
  'UniqueFragmentNamesRule',
  'UniqueInputFieldNamesRule',
  'UniqueOperationNamesRule',
  'UniqueVariableNamesRule',
  'ValuesOfCorrectTypeRule',
  'VariablesAreInputTypesRule',
  'VariablesInAllowedPositionRule',
]

it('no rule of GraphQL compares values of a document, besides those that are known to mayCompareValues', () => {
  expect(
    specifiedRules.map(({ name }) => name).toSorted(),
    'The rules of graphql-js have changed: check whether mayCompareValues (shared-shape.ts) knows all that compare values.',
  ).toEqual(KNOWN)
})
