// Keeps the page standing when one of its views fails on something it was told.

import { Component, type ReactNode } from 'react';

interface Props {
  /** Another one is another try. */
  readonly of: string;
  readonly children: ReactNode;
}

interface State {
  readonly fault: string | undefined;
  readonly of: string;
}

/** A view, or a sentence in its place. */
export class Guarded extends Component<Props, State> {
  override readonly state: State = { fault: undefined, of: this.props.of };

  static getDerivedStateFromError(fault: unknown): Pick<State, 'fault'> {
    return { fault: fault instanceof Error ? fault.message : String(fault) };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): Partial<State> | null {
    return of === state.of ? null : { of, fault: undefined };
  }

  override render(): ReactNode {
    const { fault } = this.state;
    return fault === undefined ? this.props.children : <p className="empty">This cannot be shown: {fault}</p>;
  }
}
