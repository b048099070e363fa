import { Component, type ReactNode } from 'react';
import { forgetFailures } from './part';

interface BoundaryProps {
  /** In place of children that could not be shown. */
  instead: (retry: () => void) => ReactNode;
  /** What failed is not asked for any more: the next request starts anew. */
  isIdle?: boolean;
  children: ReactNode;
}

/** Keeps an error below it from reaching the page around it. */
export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate() {
    if (this.state.hasFailed && this.props.isIdle) this.retry();
  }

  readonly retry = () => {
    forgetFailures();
    this.setState({ hasFailed: false });
  };

  override render() {
    return this.state.hasFailed ? this.props.instead(this.retry) : this.props.children;
  }
}
