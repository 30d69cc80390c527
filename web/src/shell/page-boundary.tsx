import { Component, type ComponentChildren } from 'preact';
import { PageFailed } from './page-failed.js';

interface Props {
  path: string;
  children: ComponentChildren;
}

/** Keeps a fault within the page that has it: the header stays, and another page can be chosen. */
export class PageBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.hasFailed && before.path !== this.props.path) this.setState({ hasFailed: false });
  }

  override render() {
    return this.state.hasFailed ? <PageFailed /> : this.props.children;
  }
}
