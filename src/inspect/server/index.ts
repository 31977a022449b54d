// The entry ./inspect/server: the offline inspector, a page on this machine that shows the actors. Node only.

export { startInspector, type Inspector, type InspectorOptions } from './start-inspector.ts';
