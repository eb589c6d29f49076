/** People: the first owner, log-in and sessions. */
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Routes } from '../../route.ts'
import { addSessionRoutes } from './session.ts'
import { addSetupRoutes, type SetupParts } from './setup.ts'

export type PeopleParts = SetupParts & { catalog: Catalog }

export function addPeopleRoutes(routes: Routes, parts: PeopleParts): void {
  addSetupRoutes(routes, parts)
  addSessionRoutes(routes, parts)
}
