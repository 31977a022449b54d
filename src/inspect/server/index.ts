// The entry ./inspect/server: the offline inspector, a page on this machine that shows what the actors do. Node only.

export { startInspector, type Inspector, type InspectorOptions } from './start-inspector.ts';
