// Reads width and height from an image's first bytes. Used by Read to describe what it shows.

/** Pixels, or undefined if the header is not understood. */
export function imageSize(
  bytes: Buffer,
  mediaType: string,
): { readonly width: number; readonly height: number } | undefined {
  try {
    switch (mediaType) {
      case 'image/png':
        return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
      case 'image/gif':
        return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
      case 'image/webp':
        return webpSize(bytes);
      default:
        return jpegSize(bytes);
    }
  } catch {
    return undefined; // the file ends inside its header
  }
}

// Segments are `FF marker length`; the size stands in the one that starts the frame (SOF0 to SOF15).
function jpegSize(bytes: Buffer): { width: number; height: number } | undefined {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}

function webpSize(bytes: Buffer): { width: number; height: number } | undefined {
  switch (bytes.subarray(12, 16).toString('latin1')) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}
