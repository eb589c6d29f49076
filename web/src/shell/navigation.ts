/** The left navigation, in order. A page appears behind its entry as soon as a route with that path is declared. */
import {
  Bell,
  Braces,
  Database,
  Gauge,
  KeyRound,
  type LucideIcon,
  Rows3,
  Search,
  Share2,
  Tags,
  Users,
} from 'lucide-react'

export type NavigationItem = { path: string; label: string; icon: LucideIcon; group: string; about: string }

export const NAVIGATION: readonly NavigationItem[] = [
  { path: '/sources', label: 'Sources', icon: Rows3, group: 'Logs', about: 'Where events are kept.' },
  { path: '/search', label: 'Search', icon: Search, group: 'Logs', about: 'Find events and watch them come in.' },
  { path: '/query', label: 'SQL', icon: Database, group: 'Logs', about: 'Ask questions over your sources in SQL.' },
  {
    path: '/endpoints',
    label: 'Endpoints',
    icon: Braces,
    group: 'Publish',
    about: 'Queries with an address of their own.',
  },
  { path: '/alerts', label: 'Alerts', icon: Bell, group: 'Publish', about: 'Queries that watch and tell you.' },
  { path: '/backends', label: 'Backends', icon: Share2, group: 'Publish', about: 'Places events are sent on to.' },
  { path: '/key-values', label: 'Key-values', icon: Tags, group: 'Manage', about: 'Values that enrich your events.' },
  { path: '/tokens', label: 'Tokens', icon: KeyRound, group: 'Manage', about: 'Access for senders and programs.' },
  { path: '/team', label: 'Team', icon: Users, group: 'Manage', about: 'People, roles and invitations.' },
  { path: '/system', label: 'System', icon: Gauge, group: 'Manage', about: 'How this service is doing.' },
]
