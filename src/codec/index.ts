// The package entry `turnchart/codec`: conversations to JSON text and back.

export { decodeConversation, encodeConversation } from './conversation-codec.ts';
