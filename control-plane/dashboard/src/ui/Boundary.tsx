import { Component, type ReactNode } from 'react';
import { forgetFailures } from './part';

interface BoundaryProps {
  /** In place of children that could not be shown. */
  instead: (retry: () => void, hasRetried: boolean) => ReactNode;
  /** What failed is not asked for any more: the next request starts anew. */
  isIdle?: boolean;
  children: ReactNode;
}

/** Keeps an error below it from reaching the page around it. */
export class Boundary extends Component<BoundaryProps, { hasFailed: boolean; hasRetried: boolean }> {
  override state = { hasFailed: false, hasRetried: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate() {
    if (this.state.hasFailed && this.props.isIdle) this.retry();
  }

  readonly retry = () => {
    forgetFailures();
    this.setState({ hasFailed: false, hasRetried: !this.props.isIdle });
  };

  override render() {
    return this.state.hasFailed ? this.props.instead(this.retry, this.state.hasRetried) : this.props.children;
  }
}
