// The entry ./inspect: inspection in any JavaScript runtime. Imports nothing of Node.

export {
  connectInspector,
  type InspectorConnection,
  type InspectorConnectionOptions,
  type InspectorSocket,
  type InspectorSocketClass,
} from './connect-inspector.ts';
export {
  inspectorMessage,
  type ActorMessage,
  type EventMessage,
  type InspectorMessage,
  type SnapshotMessage,
} from './inspector-message.ts';
export { mermaidOf } from './mermaid.ts';
export { withTranscript } from './transcript-actor.ts';
