/** The types of those parts of Node.js that the bot uses. */
declare module "node:crypto" {
  export function createHash(algorithm: string): Hash;
  interface Hash {
    update(text: string): Hash;
    digest(): Buffer;
  }
}

declare module "node:http" {
  export function createServer(handle: (request: Request, response: Response) => void): Server;
  interface Request {
    method?: string;
    url?: string;
    on(event: "data", listener: (chunk: Buffer) => void): void;
    on(event: "end", listener: () => void): void;
  }
  interface Response {
    writeHead(status: number, fields: Record<string, string | number>): Response;
    end(body: Buffer): void;
  }
  interface Server {
    keepAliveTimeout: number;
    listen(port: number, host: string): void;
  }
}

interface Buffer extends Uint8Array {
  readUInt32LE(): number;
  toString(): string;
}

declare const Buffer: { concat(parts: Buffer[]): Buffer; from(text: string): Buffer };
declare const console: { error(...values: unknown[]): void };
declare const process: { env: Record<string, string | undefined> };
