/** What the scripts of Scalar and of GraphiQL define, as far as our scripts use it. */

declare const Scalar: {
  createApiReference: (selector: string, configuration: object) => void
}

interface GraphiqlTab {
  query: string | null
  variables: string | null
}

interface GraphiqlTabs {
  tabs: GraphiqlTab[]
  activeTabIndex: number
}

declare const YogaGraphiQL: {
  renderYogaGraphiQL: (
    element: HTMLElement,
    options: Record<string, unknown> & { onTabChange: (state: GraphiqlTabs) => void },
  ) => void
}
