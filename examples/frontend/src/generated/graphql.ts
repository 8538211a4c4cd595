/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A pet to create. The service assigns its id. */
export type NewPet = {
  /** The id of the pet's category. */
  categoryId: string;
  /** The name of the pet, at most 1,000 characters. */
  name: string;
  /** The availability of the pet; not set if omitted. */
  status?: PetStatus | null | undefined;
};

/** Fields of a pet and their values. As `input`, these fields are updated: an omitted field stays unchanged, and `{status: null}` unsets the status. As `expected`, they are compared with the pet. */
export type PetChanges = {
  /** The id of the pet's category; must not be null. */
  categoryId?: string | null | undefined;
  /** The name, at most 1,000 characters; must not be null. */
  name?: string | null | undefined;
  /** The availability of the pet; null: it is not set. */
  status?: PetStatus | null | undefined;
};

/** The kinds of events. */
export type PetEventKind =
  /** The pet was created. */
  | 'created'
  /** The pet was deleted. */
  | 'deleted'
  /** At least one field of the pet was updated. */
  | 'updated';

/** Conditions, all of which a pet must meet. An omitted or null condition does not restrict the result. `{status: [available, pending], categoryId: ["7"]}`: the pets of category 7 that are available or pending. */
export type PetFilter = {
  /** Any of these categories, at most 50 different ones: `["7", "8"]`. */
  categoryId?: Array<string> | null | undefined;
  /** The beginning of the name, case-insensitive, at most 500 characters: `"re"` matches Rex. There are no wildcards: `%`, `_` and `\` match themselves. */
  namePrefix?: string | null | undefined;
  /** Any of these statuses: `[available, pending]`. */
  status?: Array<PetStatus> | null | undefined;
};

/** The availability of a pet, as in the REST API. */
export type PetStatus =
  /** The pet is for sale. */
  | 'available'
  /** The pet is being sold. */
  | 'pending'
  /** The pet has been sold. */
  | 'sold';

export type PetFieldsFragment = { id: string, name: string, categoryId: string, status: PetStatus | null };

export type PetsQueryVariables = Exact<{
  filter?: PetFilter | null | undefined;
  after?: string | null | undefined;
  counted?: PetFilter | null | undefined;
  counts: boolean;
}>;


export type PetsQuery = { pets: { nodes: Array<{ id: string, name: string, categoryId: string, status: PetStatus | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } }, petCounts?: Array<{ status: PetStatus | null, count: number }> };

export type CreatePetMutationVariables = Exact<{
  input: NewPet;
  idempotencyKey: string;
}>;


export type CreatePetMutation = { createPet: { id: string, name: string, categoryId: string, status: PetStatus | null } | null };

export type UpdatePetMutationVariables = Exact<{
  id: string;
  input: PetChanges;
  expected: PetChanges;
}>;


export type UpdatePetMutation = { updatePet: { id: string, name: string, categoryId: string, status: PetStatus | null } | null };

export type DeletePetMutationVariables = Exact<{
  id: string;
  expected: PetChanges;
}>;


export type DeletePetMutation = { deletePet: { id: string } | null };

export type PetChangedSubscriptionVariables = Exact<{
  filter?: PetFilter | null | undefined;
}>;


export type PetChangedSubscription = { petChanged: { kind: PetEventKind, pet: { id: string, name: string, categoryId: string, status: PetStatus | null } } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const PetFieldsFragmentDoc = new TypedDocumentString(`
    fragment PetFields on Pet {
  id
  name
  categoryId
  status
}
    `, {"fragmentName":"PetFields"}) as unknown as TypedDocumentString<PetFieldsFragment, unknown>;
export const PetsDocument = new TypedDocumentString(`
    query Pets($filter: PetFilter, $after: String, $counted: PetFilter, $counts: Boolean!) {
  pets(first: 10, filter: $filter, after: $after) {
    nodes {
      ...PetFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
  petCounts(filter: $counted) @include(if: $counts) {
    status
    count
  }
}
    fragment PetFields on Pet {
  id
  name
  categoryId
  status
}`) as unknown as TypedDocumentString<PetsQuery, PetsQueryVariables>;
export const CreatePetDocument = new TypedDocumentString(`
    mutation CreatePet($input: NewPet!, $idempotencyKey: String!) {
  createPet(input: $input, idempotencyKey: $idempotencyKey) {
    ...PetFields
  }
}
    fragment PetFields on Pet {
  id
  name
  categoryId
  status
}`) as unknown as TypedDocumentString<CreatePetMutation, CreatePetMutationVariables>;
export const UpdatePetDocument = new TypedDocumentString(`
    mutation UpdatePet($id: ID!, $input: PetChanges!, $expected: PetChanges!) {
  updatePet(id: $id, input: $input, expected: $expected) {
    ...PetFields
  }
}
    fragment PetFields on Pet {
  id
  name
  categoryId
  status
}`) as unknown as TypedDocumentString<UpdatePetMutation, UpdatePetMutationVariables>;
export const DeletePetDocument = new TypedDocumentString(`
    mutation DeletePet($id: ID!, $expected: PetChanges!) {
  deletePet(id: $id, expected: $expected) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeletePetMutation, DeletePetMutationVariables>;
export const PetChangedDocument = new TypedDocumentString(`
    subscription PetChanged($filter: PetFilter) {
  petChanged(filter: $filter) {
    kind
    pet {
      ...PetFields
    }
  }
}
    fragment PetFields on Pet {
  id
  name
  categoryId
  status
}`) as unknown as TypedDocumentString<PetChangedSubscription, PetChangedSubscriptionVariables>;