/** What the scripts of Scalar and of GraphiQL define, as far as our scripts use it. */

declare const Scalar: {
  createApiReference: import('@scalar/types/api-reference').CreateApiReference
}

interface GraphiqlTab {
  query: string | null
  variables: string | null
}

interface GraphiqlTabs {
  tabs: GraphiqlTab[]
  activeTabIndex: number
}

/** The options of Yoga's GraphiQL that we set: its package has no types of them. */
interface GraphiqlOptions {
  title: string
  endpoint: string
  additionalHeaders: Record<string, string>
  shouldPersistHeaders: boolean
  /** The tool that is open below the editor. */
  defaultEditorToolsVisibility: 'variables' | false
  defaultTabs: readonly GraphiqlTab[]
  initialQuery: string
  initialVariables: string
  onEditQuery: (query: string) => void
  onTabChange: (state: GraphiqlTabs) => void
}

declare const YogaGraphiQL: {
  renderYogaGraphiQL: (element: HTMLElement, options: GraphiqlOptions) => void
}
