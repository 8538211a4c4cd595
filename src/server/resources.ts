/**
 * The resources of this service; rest-operations.ts lists their REST operations. Only these two files import what is in a resource's folder:
 * everything else goes through their lists.
 */
import { createDemoPets } from '../pets/demo-pets.ts'
import '../pets/graphql.ts'
import { readPetSamples, readPetsOnHomePage } from '../pets/pets-on-pages.ts'
import { petResource } from '../pets/pet-resource.ts'
import { eventSourceOf } from '../resource/events.ts'
import type { Resource } from '../resource/fields/resource.ts'

export const resources = [petResource] as const satisfies readonly Resource[]

/** What `petstore import` and `export` move. */
export const transferResource = petResource

/** The tables whose events reach subscribers. */
export const eventSources = resources.filter(({ hasEvents }) => hasEvents).map(eventSourceOf)

/** Read what the pages show. */
export const readHomeContent = readPetsOnHomePage
export const readSampleTabs = readPetSamples

/** Fills a new embedded database. */
export const createDemo = createDemoPets
